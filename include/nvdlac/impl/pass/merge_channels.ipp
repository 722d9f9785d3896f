// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/pass/merge_channels.hpp>

namespace nvdlac::pass {

NVDLAC_IMPL channel_lines lines_of(const net::batch_norm& b, std::size_t channels) {
  channel_lines lines;
  for (std::size_t c = 0; c < channels; ++c) {
    const auto [factor, bias] = b.on_channel(c);
    lines.push_back({factor, bias});
  }
  return lines;
}

NVDLAC_IMPL channel_lines lines_of(const net::scale& s, std::size_t channels) {
  channel_lines lines;
  for (std::size_t c = 0; c < channels; ++c)
    lines.push_back({static_cast<double>(s.factor_of(c)), static_cast<double>(s.bias_of(c))});
  return lines;
}

NVDLAC_IMPL net::scale to_scale(const channel_lines& lines, bool relu) {
  net::scale s{.relu = relu};
  for (const auto& [factor, bias] : lines) {
    s.factor.push_back(static_cast<float>(factor));
    s.bias.push_back(static_cast<float>(bias));
  }
  return s;
}

NVDLAC_IMPL std::optional<channel_lines> merge_bias::per_channel(const net::float_tensor& t) {
  const std::size_t area = t.values.size() / static_cast<std::size_t>(t.shape.c);
  channel_lines lines;
  for (std::size_t i = 0; i < t.values.size(); ++i) {
    if (i % area == 0) lines.push_back({1.0, static_cast<double>(t.values[i])});
    if (t.values[i] != t.values[i / area * area]) return std::nullopt;
  }
  return lines;
}

}  // namespace nvdlac::pass
