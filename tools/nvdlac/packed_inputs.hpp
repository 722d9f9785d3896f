// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include <nvdlac/verify/report.hpp>

namespace nvdlac::cli {

// Reports of inputs as bytes for another process; every number stays what it is. None of them tells
// of a program that is not bit-exact.
std::string packed(const std::vector<verification::input_report>&);
std::vector<verification::input_report> unpacked(const std::string&);

}  // namespace nvdlac::cli
