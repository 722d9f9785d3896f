// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/any_map.hpp>
#include <nvdlac/net/box.hpp>
#include <nvdlac/net/move.hpp>
#include <nvdlac/net/sliding.hpp>
#include <nvdlac/pass/cut_cubes.hpp>

namespace nvdlac::pass {

NVDLAC_IMPL cut_dimension cut_dimension::of(net::sliding window, std::int32_t size,
                                            std::int32_t positions) {
  cut_dimension d{window, size, positions, positions};
  constexpr std::int64_t side = hw::any_map.cube_side;
  if (std::max(size, positions) <= side) return d;
  const std::int64_t extent = window.extent();
  // A window that is larger than a cube is no matter of parts; nor is what hangs over the edge.
  const std::int64_t reach = (std::int64_t{positions} - 1) * window.stride + extent;
  if (extent >= side || reach > std::int64_t{size} + window.before + window.after)
    return d;
  const auto most = static_cast<std::int32_t>(
      std::min(side, (side - extent) / window.stride + 1));
  const std::int32_t parts = (positions + most - 1) / most;
  d.each = (positions + parts - 1) / parts;
  return d;
}

NVDLAC_IMPL net::range cut_dimension::read_by(std::int32_t part) const {
  return net::input_range(size, static_cast<std::int32_t>(window.extent()),
                          static_cast<std::int32_t>(window.stride),
                          static_cast<std::int32_t>(window.before), part * each, count(part));
}

NVDLAC_IMPL net::move cut_cubes::slice(net::shape to, std::int32_t line, std::int32_t column) {
  net::box b{.from = {0, line, column}};
  std::size_t used = 0;
  const auto loop = [&](std::int32_t count, net::position step) {
    if (count > 1) b.loops[used++] = {count, step, step};
  };
  loop(to.w, {0, 0, 1});
  loop(to.h, {0, 1, 0});
  loop(to.c, {1, 0, 0});
  return {.target = to, .boxes = std::vector{b}};
}

}  // namespace nvdlac::pass
