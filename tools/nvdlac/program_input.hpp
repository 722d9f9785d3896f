// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "inputs.hpp"
#include "preprocessing_options.hpp"
#include "target.hpp"

namespace nvdlac::cli {

// How files become the inputs of a program: as the loadable says, or else as the user does.
// Pictures have no more than `most_samples` (budget::samples).
std::vector<wanted_input> wanted_by(const runtime::any_session&, const preprocessing_options&,
                                    std::uint64_t most_samples);

}  // namespace nvdlac::cli
