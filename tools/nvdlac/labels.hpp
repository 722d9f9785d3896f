// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/verify/report.hpp>

namespace nvdlac::cli {

// The class of each input: an IDX or npy file of one dimension, or text with a number on each line.
// Throws nvdlac::error.
std::vector<std::size_t> read_labels(const std::filesystem::path&);

// Those of so many inputs, or of no file none. Throws where there are more or fewer.
std::optional<std::vector<std::size_t>> labels_for(const std::string& file, std::size_t inputs);

// The classes that the first of these outputs tells apart: all of its elements.
std::size_t classes_in(const std::vector<verification::output_form>& outputs);

// Throws error where a label is none of so many classes; `file` is for messages.
void check_labels(const std::vector<std::size_t>& labels, std::size_t classes,
                  const std::string& file);

}  // namespace nvdlac::cli
