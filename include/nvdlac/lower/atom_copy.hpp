// SPDX-License-Identifier: Apache-2.0
#pragma once
// Copies of whole atoms from places of one cube to places of another, by SDP, before any layer is
// made of them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nvdlac/hw/limits.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/lower/move_plan.hpp>

namespace nvdlac::lower {

// `count` atoms (or groups of them), each so many bytes behind the one before it.
struct atom_loop {
  std::int64_t count = 1, from = 0, to = 0;
};

// The atoms of so many channels that the loops reach from `from` to `to`. Widths, lines and
// surfaces of a pass of SDP can stand at any distance, columns only side by side.
struct atom_copy {
  layer::location from{}, to{};
  std::int32_t channels = 1;
  hw::precision precision = hw::precision::int8;
  atom_loop surfaces{};              // of the channels
  std::vector<atom_loop> loops{};    // over lines and columns
};

namespace detail {

// The loops that are the columns, lines and surfaces of a pass; none: -1. All others are repeated.
struct pass_shape {
  std::ptrdiff_t columns = -1, lines = -1, surfaces = -1;
};

class atom_copier {
 public:
  constexpr atom_copier(const hw::spec& hw, const atom_copy& c)
      : hw_(hw), limits_(hw::limits_of(hw.map).sdp) {
    for (const auto& l : c.loops) add(l);
    lanes_ = static_cast<std::int32_t>(layer::lanes_of(hw_.atom(), c.precision));
    last_lanes_ = c.channels % lanes_ != 0 ? c.channels % lanes_ : lanes_;
    if (c.surfaces.count > 1) {
      surfaces_ = static_cast<std::ptrdiff_t>(loops_.size());
      loops_.push_back(c.surfaces);
    }
  }

  // How many passes it takes.
  constexpr std::uint64_t layers() const { return static_cast<std::uint64_t>(passes(choose())); }

  // Calls f(in, out, alone) with the cubes of each pass in turn, and whether it is the only one.
  template <class F>
  constexpr void for_each_pass(const atom_copy& c, const F& f) const {
    const pass_shape best = choose();
    std::vector<std::int64_t> at(loops_.size(), 0);
    std::vector<std::int64_t> step(loops_.size(), 1);
    const auto limit = [&](std::ptrdiff_t i, std::int64_t most) {
      if (i != none) step[static_cast<std::size_t>(i)] = most;
    };
    limit(best.columns, limits_.width);
    limit(best.lines, limits_.height);
    limit(best.surfaces, most_surfaces());
    for (bool more = true; more;) {
      pass(c, best, at, step, f);
      more = false;
      for (std::size_t i = 0; i < loops_.size() && !more; ++i) {
        at[i] += step[i];
        more = at[i] < loops_[i].count;
        if (!more) at[i] = 0;
      }
    }
  }

 private:
  static constexpr std::ptrdiff_t none = -1;

  // Loops of which one continues the other are one.
  constexpr void add(const atom_loop& l) {
    if (l.count == 1) return;
    for (auto& k : loops_) {
      if (l.from == k.count * k.from && l.to == k.count * k.to) {
        k.count *= l.count;
        return;
      }
      if (k.from == l.count * l.from && k.to == l.count * l.to) {
        k = {k.count * l.count, l.from, l.to};
        return;
      }
    }
    loops_.push_back(l);
  }
  constexpr std::int64_t most_surfaces() const {
    return static_cast<std::int64_t>(limits_.channels) / lanes_;
  }
  constexpr const atom_loop& loop(std::ptrdiff_t i) const {
    return loops_[static_cast<std::size_t>(i)];
  }

  // Whether SDP can walk this way: no line and no surface of either cube reaches into the next.
  constexpr bool sound(const pass_shape& p) const {
    const auto end = [&](std::int64_t atom_loop::*stride, std::int64_t inner, std::ptrdiff_t i,
                         std::int64_t most) -> std::int64_t {
      if (i == none) return inner;
      const auto& l = loop(i);
      if (l.*stride < inner) return -1;
      return (std::min(l.count, most) - 1) * (l.*stride) + inner;
    };
    for (const auto stride : {&atom_loop::from, &atom_loop::to}) {
      std::int64_t reach = atom_;
      if (p.columns != none) {
        if (loop(p.columns).*stride != atom_) return false;
        reach = std::min<std::int64_t>(loop(p.columns).count, limits_.width) * atom_;
      }
      reach = end(stride, reach, p.lines, limits_.height);
      if (reach < 0 || end(stride, reach, p.surfaces, most_surfaces()) < 0) return false;
    }
    // Pixels of 1x1 cubes lie side by side: surfaces at any distance need a line or a column more.
    return p.surfaces == none || p.lines != none || p.columns != none;
  }
  constexpr std::int64_t passes(const pass_shape& p) const {
    std::int64_t n = 1;
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      const auto k = static_cast<std::ptrdiff_t>(i);
      const std::int64_t most = k == p.columns  ? limits_.width
                                : k == p.lines    ? limits_.height
                                : k == p.surfaces ? most_surfaces()
                                                  : 1;
      n *= (loops_[i].count + most - 1) / most;
    }
    return n;
  }
  constexpr pass_shape choose() const {
    const auto n = static_cast<std::ptrdiff_t>(loops_.size());
    pass_shape best{};
    std::int64_t fewest = passes(best);
    for (std::ptrdiff_t w = n; w-- > none;)
      for (std::ptrdiff_t h = none; h < n; ++h)
        for (std::ptrdiff_t s = none; s < n; ++s) {
          const bool apart = (w == none || (w != h && w != s)) && (h == none || h != s);
          const pass_shape p{w, h, s};
          if (!apart || passes(p) >= fewest || !sound(p)) continue;
          best = p;
          fewest = passes(p);
        }
    return best;
  }

  template <class F>
  constexpr void pass(const atom_copy& c, const pass_shape& p, const std::vector<std::int64_t>& at,
                      const std::vector<std::int64_t>& step, const F& f) const {
    layer::surface in{.at = c.from}, out{.at = c.to};
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      in.at.offset += static_cast<std::uint64_t>(at[i] * loops_[i].from);
      out.at.offset += static_cast<std::uint64_t>(at[i] * loops_[i].to);
    }
    const auto count = [&](std::ptrdiff_t i) -> std::int32_t {
      if (i == none) return 1;
      const auto k = static_cast<std::size_t>(i);
      return static_cast<std::int32_t>(std::min(step[k], loops_[k].count - at[k]));
    };
    const auto surfaces = count(p.surfaces);
    const bool last =
        surfaces_ == none ||
        at[static_cast<std::size_t>(surfaces_)] + count(surfaces_) == loop(surfaces_).count;
    // Whole atoms, but for the last one of the channels.
    const bool whole = !last || (p.surfaces != surfaces_ && p.surfaces != none) ||
                       (surfaces_ != none && surfaces_ != p.surfaces && count(surfaces_) > 1);
    const net::shape shape{(surfaces - 1) * lanes_ + (whole ? lanes_ : last_lanes_), count(p.lines),
                           count(p.columns)};
    for (auto* cube : {&in, &out}) {
      const auto stride = cube == &in ? &atom_loop::from : &atom_loop::to;
      cube->shape = shape;
      cube->precision = c.precision;
      cube->line_stride = static_cast<std::uint32_t>(
          p.lines != none ? loop(p.lines).*stride : std::int64_t{shape.w} * atom_);
      cube->surface_stride = static_cast<std::uint32_t>(
          p.surfaces != none ? loop(p.surfaces).*stride
                             : std::int64_t{shape.h} * cube->line_stride);
      cube->size = layer::extent(*cube, hw_.atom());
    }
    f(in, out, passes(p) == 1);
  }

  const hw::spec& hw_;
  const decltype(hw::engine_limits::sdp)& limits_;
  std::vector<atom_loop> loops_{};
  std::ptrdiff_t surfaces_ = none;  // the loop over the channels' surfaces
  std::int32_t atom_ = static_cast<std::int32_t>(hw_.memory_atom);
  std::int32_t lanes_ = 1, last_lanes_ = 1;  // of an atom, of the last one
};

}  // namespace detail

// The passes that it takes.
constexpr std::uint64_t layers_to_copy(const hw::spec& hw, const atom_copy& c) {
  return detail::atom_copier(hw, c).layers();
}

// A piece as a copy of atoms; a filled one reads so many atoms of constants, whose place is open.
struct piece_copy {
  atom_copy copy{};
  std::int64_t constants = 0;
};

// `from` is the input, or the cube in which its channels are gathered; `result` the result, or the
// cube in which its runs stand apart.
constexpr piece_copy copy_of(const hw::spec& hw, const move_plan& plan, const move_piece& piece,
                             const layer::surface& from, const layer::surface& result) {
  const hw::precision p = result.precision;
  const auto atom = static_cast<std::int64_t>(hw.memory_atom);
  const auto lanes = static_cast<std::int32_t>(layer::lanes_of(hw.atom(), p));
  const auto& b = plan.boxes[piece.box];
  const auto& run = plan.results[piece.result];
  const auto& origin = plan.origins[piece.origin];
  const auto channels = static_cast<std::int32_t>(run.source.size());
  const auto surfaces = (channels + lanes - 1) / lanes;
  const std::int32_t first = plan.results_in_place ? run.source[0] : run.first;
  const auto step = [&](const layer::surface& cube, net::position at) {
    return at.y * std::int64_t{cube.line_stride} + at.x * atom;
  };
  piece_copy all{.copy = {.channels = channels, .precision = p}};
  atom_copy& c = all.copy;
  c.to = layer::part(result, hw.atom(), first, b.to.y, b.to.x, {1, 1, 1}).at;
  for (const auto& l : b.loops)
    if (!detail::moves_channels(l) && (b.input >= 0 || l.count > 1))
      c.loops.push_back({l.count, b.input < 0 ? 0 : step(from, l.from), step(result, l.to)});
  if (b.input >= 0) {
    c.from = layer::part(from, hw.atom(),
                         origin.in_place(lanes) ? origin.source[0] : origin.first, b.from.y,
                         b.from.x, {1, 1, 1}).at;
    c.surfaces = {surfaces, from.surface_stride, result.surface_stride};
    return all;
  }
  // The fill value comes from a line of constants, as often as needed.
  constexpr std::int64_t most = 4096;  // atoms of constants
  all.constants = 1;
  c.surfaces = {surfaces, 0, result.surface_stride};
  const auto give = [&](atom_loop& l) {  // loops that the constants are long enough for
    if (l.count == 1 || all.constants * l.count > most) return;
    l.from = all.constants * atom;
    all.constants *= l.count;
  };
  for (auto& l : c.loops) give(l);
  give(c.surfaces);
  return all;
}

}  // namespace nvdlac::lower
