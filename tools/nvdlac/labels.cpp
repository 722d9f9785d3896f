// SPDX-License-Identifier: Apache-2.0
#include "labels.hpp"

#include <cmath>
#include <sstream>
#include <string>

#include <nvdlac/base/count.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/data/npy.hpp>

namespace nvdlac::cli {
namespace {

using labels = std::vector<std::size_t>;

labels from_npy(const data::file_bytes& bytes, const std::string& file) {
  labels result;
  for (const float x : data::parse_npy(bytes, file).content.values) {
    if (x < 0 || x != std::floor(x)) data::refuse(file, text("holds the label ", x));
    result.push_back(static_cast<std::size_t>(x));
  }
  return result;
}

labels from_text(const data::file_bytes& bytes, const std::string& file) {
  labels result;
  std::istringstream in({bytes.begin(), bytes.end()});
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line.size() > 9 || line.find_first_not_of("0123456789") != line.npos)
      throw error({.file = file, .line = number, .reason = "is no label",
                   .remedy = "a class number on each line, or an IDX or npy file"});
    result.push_back(std::stoul(line));
  }
  return result;
}

}  // namespace

labels read_labels(const std::filesystem::path& path) {
  const auto bytes = data::read_file(path);
  const auto file = path.string();
  if (data::is_npy(bytes)) return from_npy(bytes, file);
  if (bytes.size() < 4 || bytes[0] != 0) return from_text(bytes, file);
  const auto idx = data::parse_idx(bytes, file);
  return {idx.values.begin(), idx.values.end()};
}

std::optional<std::vector<std::size_t>> labels_for(const std::string& file, std::size_t inputs) {
  if (file.empty()) return std::nullopt;
  auto found = read_labels(file);
  if (found.size() != inputs)
    throw error({.file = file, .reason = text("holds ", count_of(found.size(), "label"), " for ",
                                              count_of(inputs, "input"))});
  return found;
}

}  // namespace nvdlac::cli
