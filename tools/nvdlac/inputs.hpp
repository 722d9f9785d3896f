// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/data/inputs.hpp>
#include <nvdlac/data/samples.hpp>

namespace nvdlac::cli {

using data::input_files;
using data::input_set;
using data::wanted_input;

// The files of each input. A network of several inputs takes NAME=FILE, as many values for each.
data::input_paths paths_for(const std::vector<std::string>& arguments,
                            const std::vector<wanted_input>& wanted);

// Arrays in memory by the names of inputs; that of a network with one may have none, "".
using named_arrays = std::map<std::string, data::shared_array>;

// The array of each input. Throws nvdlac::error for names that are none of the inputs', and for
// inputs without one.
data::input_arrays arrays_for(const named_arrays& arrays, const std::vector<wanted_input>& wanted);

// Writes notes or warnings, as `kind` says, about inputs.
void tell(std::ostream& to, const char* kind, const std::vector<problem>& all);

}  // namespace nvdlac::cli
