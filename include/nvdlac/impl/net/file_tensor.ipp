// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

NVDLAC_IMPL std::optional<std::vector<steps>> find_walk(std::span<const std::int32_t> from,
                                                        const net::shape& cube) {
  if (from.size() != cube.size() || from.empty() || from[0] != 0) return std::nullopt;
  file_tensor t{.shape = {cube.c, cube.h, cube.w}};
  // The innermost steps go on as long as they can; what they cover is one step of the next ones.
  for (std::size_t unit = 1; unit < from.size();) {
    const auto stride = from[unit];
    std::size_t count = 1;
    while (count * unit < from.size() &&
           from[count * unit] == static_cast<std::int64_t>(count) * stride)
      ++count;
    if (stride < 1 || count == 1 || from.size() % (unit * count) != 0) return std::nullopt;
    t.walk.insert(t.walk.begin(), {static_cast<std::int32_t>(count), stride});
    unit *= count;
  }
  if (!t.fits(cube)) return std::nullopt;
  bool same = true;
  std::size_t next = 0;
  t.visit(from.size(), [&](std::size_t i) { same = same && std::cmp_equal(from[next++], i); });
  if (!same) return std::nullopt;
  if (t.walk.size() <= 1) t.walk.clear();
  return std::move(t.walk);
}

}  // namespace nvdlac::net
