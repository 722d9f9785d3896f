// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/box.hpp>
#include <nvdlac/net/find_boxes.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

namespace detail {

NVDLAC_IMPL std::vector<box> box_finder::find() {
  std::vector<box> found;
  for (std::size_t e = 0; e < from_.size(); ++e)
    if (!held_[e]) {
      if (found.size() == most_boxes)
        throw error("it moves elements in more than 65536 pieces, in no regular pattern");
      found.push_back(grow(e));
    }
  return found;
}

NVDLAC_IMPL box box_finder::grow(std::size_t first) {
  anchor_ = first;
  cells_ = {first};
  held_[first] = true;
  const bool filled = from_[first] < 0;
  box b{.input = filled ? box::filled : 0,
        .to = position::of(first, to_),
        .from = filled ? position{} : position::of(static_cast<std::size_t>(from_[first]), in_)};
  std::size_t used = 0;
  for (const bool crossing : {false, true})
    for (bool grown = true; grown;) {
      grown = false;
      for (const axis a : {axis::x, axis::y, axis::c})
        if (used < box::most_loops && extend(b, a, crossing, used)) {
          ++used;
          grown = true;
        }
    }
  return b;
}

NVDLAC_IMPL bool box_finder::extend(box& b, axis a, bool crossing, std::size_t used) {
  const std::int32_t at = a == axis::x ? b.to.x : a == axis::y ? b.to.y : b.to.c;
  const std::int32_t size = a == axis::x ? to_.w : a == axis::y ? to_.h : to_.c;
  const std::int32_t steps = a == axis::c ? size : std::min(size, most_step + 1);
  const auto unit = static_cast<std::ptrdiff_t>(a == axis::x ? 1 : a == axis::y ? to_.w
                                                                               : to_.w * to_.h);
  box_loop best{};
  std::ptrdiff_t best_delta = 0;
  for (std::int32_t s = 1; s < steps && at + s < size; ++s) {
    if (++tried_ > most_tried) throw error("it moves elements in no regular pattern");
    const std::int32_t most = (size - 1 - at) / s + 1;
    if (most <= best.count) break;
    const auto delta = s * unit;
    const auto second = anchor_ + static_cast<std::size_t>(delta);
    if (held_[second] || (from_[second] < 0) != (b.input < 0)) continue;
    position step{};
    if (b.input >= 0) {
      const position p = position::of(static_cast<std::size_t>(from_[second]), in_);
      step = {p.c - b.from.c, p.y - b.from.y, p.x - b.from.x};
    }
    const bool kept = a == axis::c ? step.y == 0 && step.x == 0 : step.c == 0;
    if (kept == crossing) continue;
    std::int32_t count = most;
    for (std::size_t i = 0; i < cells_.size() && count > best.count; ++i)
      count = repeats(cells_[i], delta, step,
                      std::min(count, (size - 1 - along(a, cells_[i])) / s + 1));
    if (count <= best.count) continue;
    best = {count,
            a == axis::x   ? position{0, 0, s}
            : a == axis::y ? position{0, s, 0}
                           : position{s, 0, 0},
            step};
    best_delta = delta;
  }
  if (best.count < 2) return false;
  b.loops[used] = best;
  const std::size_t before = cells_.size();
  for (std::int32_t n = 1; n < best.count; ++n)
    for (std::size_t i = 0; i < before; ++i) {
      cells_.push_back(cells_[i] + static_cast<std::size_t>(n * best_delta));
      held_[cells_.back()] = true;
    }
  return true;
}

NVDLAC_IMPL std::int32_t box_finder::along(axis a, std::size_t cell) const {
  const position p = position::of(cell, to_);
  return a == axis::x ? p.x : a == axis::y ? p.y : p.c;
}

NVDLAC_IMPL std::int32_t box_finder::repeats(std::size_t cell, std::ptrdiff_t delta, position step,
                                             std::int32_t most) const {
  const bool filled = from_[cell] < 0;
  const position start =
      filled ? position{} : position::of(static_cast<std::size_t>(from_[cell]), in_);
  for (std::int32_t n = 1; n < most; ++n) {
    const auto e = cell + static_cast<std::size_t>(n * delta);
    if (held_[e]) return n;
    if (filled) {
      if (from_[e] >= 0) return n;
      continue;
    }
    const position p = start + step * n;
    if (!p.in(in_) || std::cmp_not_equal(from_[e], in_.at(p.c, p.y, p.x))) return n;
  }
  return most;
}

}  // namespace detail

NVDLAC_IMPL std::vector<box> find_boxes(std::span<const std::int32_t> from, shape to, shape in) {
  return detail::box_finder(from, to, in).find();
}

}  // namespace nvdlac::net
