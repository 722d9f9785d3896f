// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/quant/tensor_rt_table.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL bool is_tensor_rt_cache(std::string_view text_of_file) {
  return text_of_file.starts_with("TRT-");
}

NVDLAC_IMPL scale_table tensor_rt_scales(std::string_view text_of_file, const std::string& file,
                                         diagnostics& found) {
  scale_table table{.method = "TensorRT's calibration", .file = file};
  for (std::size_t line = 1; !text_of_file.empty(); ++line) {
    const auto end = std::min(text_of_file.find('\n'), text_of_file.size());
    auto content = text_of_file.substr(0, end);
    text_of_file.remove_prefix(std::min(end + 1, text_of_file.size()));
    if (content.ends_with('\r')) content.remove_suffix(1);
    if (line == 1 || content.empty()) continue;
    const auto colon = content.rfind(": ");
    std::uint32_t bits = 0;
    const auto digits = colon == content.npos ? std::string_view() : content.substr(colon + 2);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
    if (digits.size() != 8 || read.ptr != digits.data() + digits.size())
      found.add({.file = file, .line = line,
                 .reason = "is no tensor's name, a colon and eight hexadecimal digits"});
    else
      table.entries.push_back({std::string(content.substr(0, colon)),
                               static_cast<double>(std::bit_cast<float>(bits))});
  }
  return table;
}

namespace detail {

// The types of operators that TensorRT calls so; empty: a kind that is not known.
inline std::set<std::string_view> operators_called(std::string_view kind) {
  static const std::map<std::string_view, std::set<std::string_view>> all = {
      {"Convolution", {"convolution"}},
      {"Deconvolution", {"deconvolution"}},
      {"Fully Connected", {"fully_connected"}},
      {"Activation", {"relu", "clip", "activation", "prelu"}},
      {"Parametric ReLU", {"prelu"}},
      {"Pooling", {"pool"}},
      {"LRN", {"lrn"}},
      {"Scale", {"scale", "batch_norm"}},
      {"SoftMax", {"softmax"}},
      {"Concatenation", {"concat"}},
      {"ElementWise", {"add", "multiply", "extremum"}},
      {"Shuffle", {"reshape", "flatten", "move"}}};
  const auto found = all.find(kind);
  return found == all.end() ? std::set<std::string_view>() : found->second;
}

}  // namespace detail

NVDLAC_IMPL scale_table named_by_number(scale_table table, std::span<const numbered_layer> layers) {
  constexpr std::string_view begin = "(Unnamed Layer* ", end = "]_output";
  std::set<std::string> listed;
  for (const auto& e : table.entries) listed.insert(e.layer);
  for (auto& e : table.entries) {
    const std::string_view name = e.layer;
    const auto middle = name.find(") [");
    if (!name.starts_with(begin) || !name.ends_with(end) || middle == name.npos ||
        middle + 3 + end.size() > name.size())
      continue;
    std::size_t number = 0;
    const auto digits = name.substr(begin.size(), middle - begin.size());
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const auto kind = name.substr(middle + 3, name.size() - end.size() - middle - 3);
    if (read.ptr != digits.data() + digits.size() || number >= layers.size() ||
        !detail::operators_called(kind).contains(layers[number].kind))
      continue;
    if (listed.insert(std::string(layers[number].name)).second) e.layer = layers[number].name;
  }
  return table;
}

}  // namespace nvdlac::quant
