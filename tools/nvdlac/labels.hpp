// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <vector>

namespace nvdlac::cli {

// The class of each input: an IDX or npy file of one dimension, or text with a number on each line.
// Throws nvdlac::error.
std::vector<std::size_t> read_labels(const std::filesystem::path&);

}  // namespace nvdlac::cli
