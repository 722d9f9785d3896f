// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include <nvdlac/data/inputs.hpp>

namespace nvdlac::cli {

using data::input_files;
using data::input_set;
using data::wanted_input;

// The files of each input. A network of several inputs takes NAME=FILE, as many values for each.
data::input_paths paths_for(const std::vector<std::string>& arguments,
                            const std::vector<wanted_input>& wanted);

}  // namespace nvdlac::cli
