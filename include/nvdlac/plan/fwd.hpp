// SPDX-License-Identifier: Apache-2.0
#pragma once
// Declares the program of a network, for headers that only name it.
#include <nvdlac/hw/spec.hpp>

namespace nvdlac::plan {

struct program_data;
template <hw::hardware Hw>
struct program;

}  // namespace nvdlac::plan
