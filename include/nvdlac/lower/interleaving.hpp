// SPDX-License-Identifier: Apache-2.0
#pragma once
// Moves whose parts alternate in lines and columns, as the phases of a transposed convolution do:
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
struct phase {
  std::int32_t input = net::box::filled;
  std::int32_t first = 0;

  constexpr bool operator==(const phase&) const = default;
};

struct interleaving {
  std::int32_t atom = 1;      // channels
  std::int32_t stride_y = 1, stride_x = 1;
  net::shape group{};         // of each phase
  // Number y * stride_x + x begins at (y, x); none: the move is another.
  std::vector<phase> phases{};

  constexpr explicit operator bool() const { return !phases.empty(); }
  // In the cube that holds the phases as groups: where each begins, and the size of all of it.
  constexpr std::int32_t channel_of(std::size_t phase) const {
    return static_cast<std::int32_t>(phase) * ((group.c + atom - 1) / atom * atom);
  }
  constexpr net::shape stacked() const { return {channel_of(phases.size()), group.h, group.w}; }
  // One input already is such a cube, from its first channel on.
  constexpr bool is_stacked() const {
    for (std::size_t n = 0; n < phases.size(); ++n)
      if (phases[n].input < 0 || phases[n].input != phases[0].input ||
          phases[n].first != channel_of(n))
        return false;
    return group.c % atom == 0;
  }
  // Fewer layers than without Rubik, when so many phases have to be copied to their groups first:
  // a pass of SDP writes columns side by side, or those of one surface.
  constexpr bool saves_layers(std::size_t copies) const {
    const auto surfaces = static_cast<std::size_t>(channel_of(1) / atom);
    return copies + 1 < phases.size() * (stride_x == 1 ? 1 : surfaces);
  }
  // A phase as a move of its own, to its group.
  constexpr std::vector<net::box> boxes(const phase& t) const {
    return {{.input = t.input,
             .from = {t.first, 0, 0},
             .loops = {{{group.c, {1, 0, 0}, {1, 0, 0}},
                        {group.h, {0, 1, 0}, {0, 1, 0}},
                        {group.w, {0, 0, 1}, {0, 0, 1}}}}}};
  }
};

namespace detail {

// Sorts the boxes of a move into phases.
class phase_finder {
 public:
  constexpr explicit phase_finder(interleaving empty) : found_(std::move(empty)) {}

  constexpr interleaving find(std::span<const net::box> boxes) {
    const auto leaves = [&](const net::box& b, const net::box_loop& l) { return !stays(b, l); };
    const auto phases = std::int64_t{found_.stride_y} * found_.stride_x;
    if (cut_count(boxes, leaves) != phases) return {};
    found_.phases.resize(static_cast<std::size_t>(phases), phase{});
    std::vector<char> known(found_.phases.size(), false);
    for (const auto& b : cut_along(boxes, leaves)) {
      const auto y = phase_of(b, b.to.y, b.from.y, found_.stride_y);
      const auto x = phase_of(b, b.to.x, b.from.x, found_.stride_x);
      const auto first = b.input < 0 ? 0 : b.from.c - b.to.c;
      if (std::cmp_not_equal(b.size(), found_.group.size()) || first % found_.atom != 0 || y < 0 ||
          x < 0 || y >= found_.stride_y || x >= found_.stride_x)
        return {};
      const auto n = static_cast<std::size_t>(y * found_.stride_x + x);
      if (std::exchange(known[n], true)) return {};
      found_.phases[n] = {b.input, first};
    }
    return std::move(found_);
  }

 private:
  // The loop stays in its turn, and keeps the order of channels, lines and columns.
  constexpr bool stays(const net::box& b, const net::box_loop& l) const {
    const net::position to = l.to;
    if (b.input < 0) return to.y % found_.stride_y == 0 && to.x % found_.stride_x == 0;
    return to == net::position{l.from.c, l.from.y * found_.stride_y, l.from.x * found_.stride_x};
  }
  static constexpr std::int32_t phase_of(const net::box& b, std::int32_t to, std::int32_t from,
                                      std::int32_t stride) {
    return b.input < 0 ? to % stride : to - from * stride;
  }

  interleaving found_;
};

}  // namespace detail

// The phases of a move, if it consists of some whose channels begin on atoms and Rubik's registers
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
  const std::int64_t phases = std::int64_t{i.stride_y} * i.stride_x;
  const bool fits = within(i.stride_y, limits.stride) && within(i.stride_x, limits.stride) &&
                    within(phases * i.channel_of(1), limits.channels) &&
                    within(out.h, limits.height) && within(out.w, limits.width);
  if (out.h % from.h != 0 || out.w % from.w != 0 || phases < 2 || !fits) return {};
  return detail::phase_finder(std::move(i)).find(boxes);
}

}  // namespace nvdlac::lower
