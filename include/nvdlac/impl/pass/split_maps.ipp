// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/any_map.hpp>
#include <nvdlac/net/box.hpp>
#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/move.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/pass/split_maps.hpp>

namespace nvdlac::pass::detail {

NVDLAC_IMPL std::vector<channel_kernels> parts_of_map(net::shape map) {
  constexpr std::int32_t most = hw::any_map.convolution.kernels, widest_atom = 32, fewest = 8;
  const std::int32_t area = map.h * map.w;
  if (map.c <= most / area || map.c < fewest) return {};
  const std::int32_t each = most / area / widest_atom * widest_atom;
  if (each == 0) return {};  // less than whole atoms would be moved element by element
  std::vector<channel_kernels> parts;
  for (std::int32_t first = 0; first < map.c; first += each) {
    channel_kernels p{first, std::min(each, map.c - first)};
    for (std::int32_t place = 0; place < area; ++place)
      for (std::int32_t c = 0; c < p.count; ++c) p.kernels.push_back((first + c) * area + place);
    parts.push_back(std::move(p));
  }
  return parts;
}

NVDLAC_IMPL net::fully_connected layer_of(const net::fully_connected& whole,
                                          const channel_kernels& part) {
  net::fully_connected result{.outputs = static_cast<std::int32_t>(part.kernels.size()),
                              .relu = whole.relu};
  const std::size_t row = whole.weights.size() / static_cast<std::size_t>(whole.outputs);
  for (const auto kernel : part.kernels) {
    const auto k = static_cast<std::size_t>(kernel);
    const auto begin = whole.weights.begin() + static_cast<std::ptrdiff_t>(k * row);
    result.weights.insert(result.weights.end(), begin, begin + static_cast<std::ptrdiff_t>(row));
    if (!whole.bias.empty()) result.bias.push_back(whole.bias[k]);
  }
  return result;
}

NVDLAC_IMPL net::move map_of(net::shape map, const std::vector<channel_kernels>& parts) {
  std::vector<net::box> boxes;
  for (const auto& p : parts)
    boxes.push_back({.to = {p.channel, 0, 0},
                     .from = {p.channel * map.h * map.w, 0, 0},
                     .loops = {{{map.h, {0, 1, 0}, {map.w * p.count, 0, 0}},
                                {map.w, {0, 0, 1}, {p.count, 0, 0}},
                                {p.count, {1, 0, 0}, {1, 0, 0}}}}});
  return {.target = map, .boxes = std::move(boxes)};
}

}  // namespace nvdlac::pass::detail
