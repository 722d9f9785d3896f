// SPDX-License-Identifier: Apache-2.0
#pragma once
// The meaning of the command line's options without the network; wrong ones are usage_errors.
#include <set>
#include <span>
#include <string>

#include <nvdlac/compile_options.hpp>
#include <nvdlac/pass/pipeline.hpp>

#include "model_options.hpp"

namespace nvdlac::cli {

compile_options options_of(const model_options&);

// "int8=0.5" of --prefer: percent.
double most_changed(const std::string& preferred);

// Passes, and these steps, are all that the names may be.
void check_passes(const std::set<std::string>& names, std::span<const pass::pass_info> steps);

}  // namespace nvdlac::cli
