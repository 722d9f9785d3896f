// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/verify/report.hpp>
#include <nvdlac/verify/verdict.hpp>

namespace nvdlac::cli {

// Writes what must hold of a verification as a suite of tests in JUnit's XML: of each configuration
// that its program is exact, and each threshold by its option.
std::string in_junit(const verification::report&, const std::vector<verification::judgement>&,
                     std::string_view (*option_of)(verification::threshold));

}  // namespace nvdlac::cli
