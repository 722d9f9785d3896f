// SPDX-License-Identifier: Apache-2.0
#pragma once
// Moves that bring one value of each channel, or a single line or column, to all places.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include <nvdlac/hw/limits.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/box.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::lower {

// One value of each channel becomes a map in a pass of SDP, which multiplies ones by it. A line or
// a column is copied once, and then the copies that are there, twice as many each time.
struct repetition {
  net::shape from{}, to{};

  constexpr bool is_of_vector() const { return from.h == 1 && from.w == 1; }
  constexpr bool is_of_column() const { return from.w != to.w; }
  // How often the line or the column is there in the end.
  constexpr std::int32_t times() const { return is_of_column() ? to.w : to.h; }
  constexpr std::int32_t layers() const {
    if (is_of_vector()) return 1;
    return 1 + static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(times() - 1)));
  }

  // Calls f(first, count) for each copy of so many lines or columns, those from 0 on, to `first`.
  template <class F>
  constexpr void for_each_doubling(const F& f) const {
    for (std::int32_t there = 1; there < times(); there *= 2)
      f(there, std::min(there, times() - there));
  }
};

// The repetition that the boxes of a move are; nothing where they are none, where a pass of SDP
// does not reach over the result, or where a copy for each line or column takes hardly more layers.
constexpr std::optional<repetition> repetition_of(const hw::spec& hw,
                                                  std::span<const net::box> boxes, net::shape out,
                                                  std::span<const net::shape> in) {
  const auto& most = hw::limits_of(hw.map).sdp;
  if (in.size() != 1 || in[0].c != out.c || in[0] == out ||
      std::cmp_greater(out.c, most.channels) || std::cmp_greater(out.h, most.height) ||
      std::cmp_greater(out.w, most.width))
    return std::nullopt;
  const repetition r{in[0], out};
  const bool of_side = (r.from.h == out.h && r.from.w == 1) || (r.from.w == out.w && r.from.h == 1);
  if (!r.is_of_vector() && (!of_side || 2 * r.layers() > r.times())) return std::nullopt;
  const auto source = [&](net::position p) {
    return net::position{p.c, r.from.h == 1 ? 0 : p.y, r.from.w == 1 ? 0 : p.x};
  };
  for (const auto& b : boxes) {
    if (b.input != 0 || b.from != source(b.to)) return std::nullopt;
    for (const auto& l : b.loops)
      if (l.count > 1 && l.from != source(l.to)) return std::nullopt;
  }
  return r;
}

}  // namespace nvdlac::lower
