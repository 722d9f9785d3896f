// SPDX-License-Identifier: Apache-2.0
#pragma once
// The contents of a loadable, for reading.
#include <cstddef>
#include <string>
#include <vector>

#include <nvdlac/emit/loadable_image.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/runtime/loaded_program.hpp>

namespace nvdlac::report {

// The tasks of a loaded program in the form of the planner.
std::vector<plan::task> tasks_of(const runtime::loaded_program& from);

// A row for each memory that the runtime makes, in lines of at most `most` letters; 0: of any
// length.
std::string memory_table(const emit::loadable_image& image, std::size_t most = 0);

// Where its elements lie in memory, and a line for each tensor of the user's file.
std::string describe_places(const runtime::binding& b, bytes atom);

// "data 1x28x28: pixels, mean 0, scale 0.00390625, order rgb"
std::string describe(const runtime::binding& b);

}  // namespace nvdlac::report

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/report/loadable.ipp>
#endif
