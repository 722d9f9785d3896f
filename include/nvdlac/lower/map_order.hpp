// SPDX-License-Identifier: Apache-2.0
#pragma once
// Vectors whose elements lie in memory as those of a map do: surface by surface, the places of a
// surface line by line, and the lanes of an atom. Whoever reads the map reads the vector's bytes.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/net/box.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::lower {

// The elements of such a vector: those of whole atoms, of which the last ones may be no channels.
constexpr std::int64_t elements_in_memory(net::shape map, std::int32_t lanes) {
  return net::product({(map.c + lanes - 1) / lanes, lanes, map.h, map.w});
}

// The boxes of a move that gives the map the bytes of such a vector as they are: the full surfaces,
// and the last one where it is not full.
constexpr std::vector<net::box> boxes_in_map_order(net::shape map, std::int32_t lanes) {
  const std::int32_t full = map.c / lanes, rest = map.c % lanes, area = lanes * map.h * map.w;
  std::vector<net::box> boxes;
  const auto add = [&](std::int32_t first, std::int32_t surfaces, std::int32_t channels) {
    if (surfaces * channels == 0) return;
    boxes.push_back({.to = {first * lanes, 0, 0},
                     .from = {first * area, 0, 0},
                     .loops = {{{surfaces, {lanes, 0, 0}, {area, 0, 0}},
                                {map.h, {0, 1, 0}, {lanes * map.w, 0, 0}},
                                {map.w, {0, 0, 1}, {lanes, 0, 0}},
                                {channels, {1, 0, 0}, {1, 0, 0}}}}});
  };
  add(0, full, lanes);
  add(full, 1, rest);
  return boxes;
}

// Whether a move of `in` gives a map the bytes of a vector as they are.
constexpr bool keeps_map_order(std::span<const net::box> boxes, net::shape target, net::shape in,
                               std::int32_t lanes) {
  if (in.h != 1 || in.w != 1 || in.c != elements_in_memory(target, lanes)) return false;
  const auto in_order = boxes_in_map_order(target, lanes);
  // Not by std::ranges, whose templates are a hundredth of those of a program that is a constant.
  return std::equal(boxes.begin(), boxes.end(), in_order.begin(), in_order.end());
}

}  // namespace nvdlac::lower
