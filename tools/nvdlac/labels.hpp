// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace nvdlac::cli {

// The class of each input: an IDX or npy file of one dimension, or text with a number on each line.
// Throws nvdlac::error.
std::vector<std::size_t> read_labels(const std::filesystem::path&);

// Returns the labels of so many inputs, or of no file none. Throws where there are more or fewer.
std::optional<std::vector<std::size_t>> labels_for(const std::string& file, std::size_t inputs);

}  // namespace nvdlac::cli
