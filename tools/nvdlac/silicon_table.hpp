// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <nvdlac/cost/silicon.hpp>

namespace nvdlac::cli {

// Reads what area and energy are estimated by, an object of JSON with the members of cost::silicon;
// those that it has not are 0. Throws error for what it cannot be.
cost::silicon read_silicon(const std::string& file);

}  // namespace nvdlac::cli
