// SPDX-License-Identifier: Apache-2.0
#pragma once
// SDP over cubes beyond its registers, part by part. Engines that look at neighbours have rules of
// their own.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/hw/limits.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/layer.hpp>

namespace nvdlac::lower {

namespace detail {

// Where a part of a cube begins: c is a multiple of the channels of an atom.
struct corner {
  std::int32_t c = 0, y = 0, x = 0;
};

// The operands of the part.
constexpr layer::sdp_unit part(const layer::sdp_unit& whole, bytes atom, corner from,
                               net::shape shape) {
  layer::sdp_unit u = whole;
  if (u.mode == layer::sdp_mode::per_point)
    u.operands = layer::part(whole.operands, atom, from.c, from.y, from.x, shape);
  if (u.mode == layer::sdp_mode::per_kernel) {
    const std::uint64_t each = u.alu && u.mul ? 2 * u.operand_bytes : u.operand_bytes;
    const auto before = each * static_cast<std::uint64_t>(from.c);
    u.operands.at.offset += before;
    u.operands.shape.c = shape.c;
    u.operands.size = std::min(whole.operands.size - before,
                               each * align_up(static_cast<std::uint64_t>(shape.c), atom.n));
  }
  return u;
}

constexpr layer::sdp part(const layer::sdp& whole, bytes atom, corner from, net::shape shape) {
  layer::sdp s = whole;
  s.input = layer::part(whole.input, atom, from.c, from.y, from.x, shape);
  s.output = layer::part(whole.output, atom, from.c, from.y, from.x, shape);
  s.x1 = part(whole.x1, atom, from, shape);
  s.x2 = part(whole.x2, atom, from, shape);
  return s;
}

}  // namespace detail

// Parts are of whole atoms, of which the largest have 32 lanes.
static_assert(hw::limits<hw::register_map::small>.sdp.channels % 32 == 0 &&
              hw::limits<hw::register_map::full>.sdp.channels % 32 == 0);

// Layers from memory to memory whose cubes SDP's registers cannot hold, in their place as several.
constexpr void split_cubes(const hw::spec& hw, std::vector<layer::layer>& layers) {
  const auto& limits = hw::limits_of(hw.map).sdp;
  const net::shape most{static_cast<std::int32_t>(limits.channels),
                        static_cast<std::int32_t>(limits.height),
                        static_cast<std::int32_t>(limits.width)};
  const auto is_large = [&](const layer::layer& l) {
    const auto* s = std::get_if<layer::sdp>(&l.what);
    return s != nullptr && !s->input.at.on_the_fly() && !s->output.at.on_the_fly() &&
           (s->input.shape.c > most.c || s->input.shape.h > most.h || s->input.shape.w > most.w);
  };
  if (std::none_of(layers.begin(), layers.end(), is_large)) return;
  std::vector<layer::layer> result;
  for (auto& l : layers) {
    if (!is_large(l)) {
      result.push_back(std::move(l));
      continue;
    }
    const auto& whole = std::get<layer::sdp>(l.what);
    const net::shape all = whole.input.shape;
    std::size_t number = 0;
    for (detail::corner at; at.c < all.c; at.c += most.c)
      for (at.y = 0; at.y < all.h; at.y += most.h)
        for (at.x = 0; at.x < all.w; at.x += most.w) {
          const net::shape shape{std::min(most.c, all.c - at.c), std::min(most.h, all.h - at.y),
                                 std::min(most.w, all.w - at.x)};
          result.push_back({label(l.name, "/part", number++),
                            detail::part(whole, hw.atom(), at, shape)});
        }
  }
  layers = std::move(result);
}

}  // namespace nvdlac::lower
