// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pieces of moves that CONV writes where the result wants them, without gathering their channels
// before.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/layer/surface.hpp>
#include <nvdlac/lower/channel_selection.hpp>
#include <nvdlac/lower/move_plan.hpp>
#include <nvdlac/net/box.hpp>

namespace nvdlac::lower {

// Channels of some lines of a cube, every `from_step`-th, which become every `to_step`-th line of
// another.
struct line_selection {
  net::position from{}, to{};
  std::int32_t from_step = 1, to_step = 1;
  net::shape shape{};                  // of what is selected
  std::span<const std::int32_t> source{};  // the channel of each

  // All channels of the lines that are read.
  constexpr layer::surface read(const layer::surface& cube, bytes atom) const {
    return layer::every_line(cube, atom, from_step, 0, from.y, from.x,
                             {cube.shape.c, shape.h, shape.w});
  }
  constexpr layer::surface written(const layer::surface& cube, bytes atom) const {
    return layer::every_line(cube, atom, to_step, to.c, to.y, to.x, shape);
  }
};

// A piece as such a selection, where the move's results stand in place and it has enough elements:
// a convolution waits for its data, a copy of few atoms does not.
constexpr std::optional<line_selection> line_selection_of(const move_plan& plan,
                                                          const move_piece& piece) {
  constexpr std::int32_t least_atoms = 128;
  const auto& box = plan.boxes[piece.box];
  const auto& result = plan.results[piece.result];
  line_selection s{.from = box.from, .to = box.to,
                   .shape = {static_cast<std::int32_t>(result.source.size()), 1, 1},
                   .source = plan.origins[piece.origin].source};
  s.to.c = result.source[0];
  for (const auto& l : box.loops) {
    if (l.count == 1 || detail::moves_channels(l)) continue;
    const bool columns = l.to == net::position{0, 0, 1} && l.from == l.to && s.shape.w == 1;
    const bool lines = l.to.x == 0 && l.from.x == 0 && l.to.y > 0 && l.from.y > 0 && s.shape.h == 1;
    if (columns) s.shape.w = l.count;
    else if (lines) {
      s.shape.h = l.count;
      s.from_step = l.from.y;
      s.to_step = l.to.y;
    } else return std::nullopt;
  }
  if (!plan.results_in_place || s.shape.h * s.shape.w < least_atoms) return std::nullopt;
  return s;
}

// Whether all pieces that do not begin with whole atoms are such selections; of inputs of these
// shapes.
constexpr bool selects_lines(const hw::spec& hw, const move_plan& plan,
                             std::span<const net::shape> in, hw::precision p) {
  const auto lanes = static_cast<std::int32_t>(layer::lanes_of(hw.atom(), p));
  bool any = false;
  for (const auto& piece : plan.pieces) {
    const auto& origin = plan.origins[piece.origin];
    if (origin.input < 0 || origin.in_place(lanes)) continue;
    const auto s = line_selection_of(plan, piece);
    if (!s) return false;
    const std::int32_t channels = in[static_cast<std::size_t>(origin.input)].c;
    const std::vector<std::int32_t> source(s->source.begin(), s->source.end());
    if (!layers_to_select(hw, {channels, s->shape.h, s->shape.w}, s->shape, p, source))
      return false;
    any = true;
  }
  return any;
}

}  // namespace nvdlac::lower
