// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tensors of one run as files of a directory: FILE.bin as memory holds them, FILE.npy as
// numbers, FILE.real.npy as real numbers where their scale is known, index.json about all of them.
#include <filesystem>
#include <string_view>
#include <vector>

#include <nvdlac/verify/run_tensors.hpp>

#include "outputs.hpp"
#include "target.hpp"

namespace nvdlac::cli {

// The directory of the option `flag` is made if there is none.
void plan_tensors(output_set&, std::string_view flag, const std::filesystem::path& directory);
void add_tensors(output_set&, std::string_view flag, const std::filesystem::path& directory,
                 const target&, const std::vector<verification::run_tensor>&);

}  // namespace nvdlac::cli
