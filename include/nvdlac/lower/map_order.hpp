// SPDX-License-Identifier: Apache-2.0
#pragma once
// Vectors whose elements lie in memory as those of a map do: surface by surface, the places of a
// surface line by line, and the lanes of an atom. Whoever reads the map reads the vector's bytes.
#include <cstddef>
#include <cstdint>
#include <span>

#include <nvdlac/net/box.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::lower {

// The elements of such a vector: those of whole atoms, of which the last ones may be no channels.
constexpr std::int64_t elements_in_memory(net::shape map, std::int32_t lanes) {
  return net::product({(map.c + lanes - 1) / lanes, lanes, map.h, map.w});
}

// The elements of the map in one surface, or in all but the last one, which is not full: a box of
// the vector.
constexpr net::box box_of_surfaces(net::shape map, std::int32_t lanes, bool full) {
  const std::int32_t whole = map.c / lanes, area = lanes * map.h * map.w;
  const std::int32_t first = full ? 0 : whole;
  return {.to = {first * lanes, 0, 0},
          .from = {first * area, 0, 0},
          .loops = {{{full ? whole : 1, {lanes, 0, 0}, {area, 0, 0}},
                     {map.h, {0, 1, 0}, {lanes * map.w, 0, 0}},
                     {map.w, {0, 0, 1}, {lanes, 0, 0}},
                     {full ? lanes : map.c % lanes, {1, 0, 0}, {1, 0, 0}}}}};
}

// Whether a move of `in` gives a map the bytes of a vector as they are.
constexpr bool keeps_map_order(std::span<const net::box> boxes, net::shape target, net::shape in,
                               std::int32_t lanes) {
  const bool any_full = target.c >= lanes, any_rest = target.c % lanes != 0;
  const auto count = std::size_t{any_full} + std::size_t{any_rest};
  if (in.h != 1 || in.w != 1 || in.c != elements_in_memory(target, lanes) ||
      boxes.size() != count)
    return false;
  return (!any_full || boxes[0] == box_of_surfaces(target, lanes, true)) &&
         (!any_rest || boxes[count - 1] == box_of_surfaces(target, lanes, false));
}

}  // namespace nvdlac::lower
