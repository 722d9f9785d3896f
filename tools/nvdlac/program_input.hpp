// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "inputs.hpp"
#include "preprocessing_options.hpp"
#include "target.hpp"

namespace nvdlac::cli {

// How files become the inputs of a program: as the loadable says, or else as the user does.
std::vector<wanted_input> wanted_by(const runtime::any_session&, const preprocessing_options&);

}  // namespace nvdlac::cli
