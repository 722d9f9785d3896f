// SPDX-License-Identifier: Apache-2.0
#pragma once
// The options that a random model is compiled with.
#include <cstdint>
#include <vector>

#include "onnx.hpp"
#include "trial.hpp"

namespace nvdlac::judge {

// The plain way, in a precision of the configuration, of those that are `allowed` ("int8", ..).
trial draw_plain(const model&, const cli::target&, const std::vector<std::string>& allowed,
                 std::uint64_t seed);
// Adds an option or two to the plain trial, of those that say something on the configuration:
// without one of the steps, with a search for a schedule, ..
trial draw_variant(const trial& plain, const model&, const cli::target&, std::uint64_t seed);

}  // namespace nvdlac::judge
