// SPDX-License-Identifier: Apache-2.0
#pragma once
// Moves whose parts take turns in lines and columns, as the phases of a transposed convolution do:
// Rubik makes their result in one pass from a cube that holds the parts as groups of surfaces.
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/hw/limits.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/lower/move_plan.hpp>
#include <nvdlac/net/box.hpp>

namespace nvdlac::lower {

// The source of every stride_y-th line and every stride_x-th column of the result: all elements of
// so many channels of an input, from `first` on; or the fill value.
struct turn {
  std::int32_t input = net::box::filled;
  std::int32_t first = 0;

  constexpr bool operator==(const turn&) const = default;
};

struct interleaving {
  std::int32_t atom = 1;      // channels
  std::int32_t stride_y = 1, stride_x = 1;
  net::shape group{};         // of each turn
  std::vector<turn> turns{};  // number y * stride_x + x begins at (y, x); none: the move is another

  constexpr explicit operator bool() const { return !turns.empty(); }
  // In the cube that holds the turns as groups: where each begins, and the size of all of it.
  constexpr std::int32_t channel_of(std::size_t turn) const {
    return static_cast<std::int32_t>(turn) * ((group.c + atom - 1) / atom * atom);
  }
  constexpr net::shape stacked() const { return {channel_of(turns.size()), group.h, group.w}; }
  // One input already is such a cube, from its first channel on.
  constexpr bool is_stacked() const {
    for (std::size_t n = 0; n < turns.size(); ++n)
      if (turns[n].input < 0 || turns[n].input != turns[0].input ||
          turns[n].first != channel_of(n))
        return false;
    return group.c % atom == 0;
  }
  // Fewer layers than without Rubik, when so many turns have to be copied to their groups first:
  // a pass of SDP writes columns side by side, or those of one surface.
  constexpr bool saves_layers(std::size_t copies) const {
    const auto surfaces = static_cast<std::size_t>(channel_of(1) / atom);
    return copies + 1 < turns.size() * (stride_x == 1 ? 1 : surfaces);
  }
  // A turn as a move of its own, to its group.
  constexpr std::vector<net::box> boxes(const turn& t) const {
    return {{.input = t.input,
             .from = {t.first, 0, 0},
             .loops = {{{group.c, {1, 0, 0}, {1, 0, 0}},
                        {group.h, {0, 1, 0}, {0, 1, 0}},
                        {group.w, {0, 0, 1}, {0, 0, 1}}}}}};
  }
};

namespace detail {

// Sorts the boxes of a move into turns.
class turn_finder {
 public:
  constexpr explicit turn_finder(interleaving empty) : found_(std::move(empty)) {}

  constexpr interleaving find(std::span<const net::box> boxes) {
    const auto leaves = [&](const net::box& b, const net::box_loop& l) { return !stays(b, l); };
    const auto turns = std::int64_t{found_.stride_y} * found_.stride_x;
    if (cut_count(boxes, leaves) != turns) return {};
    found_.turns.resize(static_cast<std::size_t>(turns), turn{});
    std::vector<char> known(found_.turns.size(), false);
    for (const auto& b : cut_along(boxes, leaves)) {
      const auto y = phase(b, b.to.y, b.from.y, found_.stride_y);
      const auto x = phase(b, b.to.x, b.from.x, found_.stride_x);
      const auto first = b.input < 0 ? 0 : b.from.c - b.to.c;
      if (std::cmp_not_equal(b.size(), found_.group.size()) || first % found_.atom != 0 || y < 0 ||
          x < 0 || y >= found_.stride_y || x >= found_.stride_x)
        return {};
      const auto n = static_cast<std::size_t>(y * found_.stride_x + x);
      if (std::exchange(known[n], true)) return {};
      found_.turns[n] = {b.input, first};
    }
    return std::move(found_);
  }

 private:
  // The loop stays in its turn, and keeps the order of channels, lines and columns.
  constexpr bool stays(const net::box& b, const net::box_loop& l) const {
    const net::place to = l.to;
    if (b.input < 0) return to.y % found_.stride_y == 0 && to.x % found_.stride_x == 0;
    return to == net::place{l.from.c, l.from.y * found_.stride_y, l.from.x * found_.stride_x};
  }
  static constexpr std::int32_t phase(const net::box& b, std::int32_t to, std::int32_t from,
                                      std::int32_t stride) {
    return b.input < 0 ? to % stride : to - from * stride;
  }

  interleaving found_;
};

}  // namespace detail

// The turns of a move, if it consists of some whose channels begin on atoms and Rubik's registers
// hold it.
constexpr interleaving find_interleaving(const hw::spec& hw, std::span<const net::box> boxes,
                                         net::shape out, std::span<const net::shape> in,
                                         hw::precision p) {
  const auto& limits = hw::limits_of(hw.map).rubik;
  const auto within = [](std::int64_t n, std::int64_t most) { return n <= most; };
  const net::shape from = in[0];
  for (const auto& s : in)
    if (s.h != from.h || s.w != from.w) return {};
  interleaving i{.atom = static_cast<std::int32_t>(layer::lanes_of(hw.atom(), p)),
               .stride_y = out.h / from.h,
               .stride_x = out.w / from.w,
               .group = {out.c, from.h, from.w}};
  const std::int64_t turns = std::int64_t{i.stride_y} * i.stride_x;
  const bool fits = within(i.stride_y, limits.stride) && within(i.stride_x, limits.stride) &&
                    within(turns * i.channel_of(1), limits.channels) &&
                    within(out.h, limits.height) && within(out.w, limits.width);
  if (out.h % from.h != 0 || out.w % from.w != 0 || turns < 2 || !fits) return {};
  return detail::turn_finder(std::move(i)).find(boxes);
}

}  // namespace nvdlac::lower
