// SPDX-License-Identifier: Apache-2.0
#pragma once
// Moves of elements as boxes, and how they are found.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// Elements that move together from one cube to another, as loops over both.

// A position in a cube, or a step from one position to another.
struct place {
  std::int32_t c = 0, y = 0, x = 0;
  static constexpr void fields(auto&& field) {
    field("c", &place::c);
    field("y", &place::y);
    field("x", &place::x);
  }

  constexpr bool operator==(const place&) const = default;
  constexpr place operator+(place p) const { return {c + p.c, y + p.y, x + p.x}; }
  constexpr place operator*(std::int32_t n) const { return {c * n, y * n, x * n}; }
  constexpr bool in(shape s) const {
    return c >= 0 && y >= 0 && x >= 0 && c < s.c && y < s.h && x < s.w;
  }
  static constexpr place of(std::size_t element, shape s) {
    const auto n = static_cast<std::int32_t>(element);
    return {n / (s.h * s.w), n / s.w % s.h, n % s.w};
  }
};

// One step of a loop in both cubes.
struct box_loop {
  std::int32_t count = 1;
  place to{}, from{};
  static constexpr void fields(auto&& field) {
    field("count", &box_loop::count);
    field("to", &box_loop::to);
    field("from", &box_loop::from);
  }

  constexpr bool operator==(const box_loop&) const = default;
};

// The element at `from` of one input goes to `to`, and so on along all loops. Without an input the
// box holds a fill value.
struct box {
  static constexpr std::int32_t filled = -1;
  static constexpr std::size_t most_loops = 4;

  std::int32_t input = 0;  // or `filled`
  place to{}, from{};
  std::array<box_loop, most_loops> loops{};
  static constexpr void fields(auto&& field) {
    field("input", &box::input);
    field("to", &box::to);
    field("from", &box::from);
    field("loops", &box::loops);
  }

  constexpr bool operator==(const box&) const = default;
  constexpr std::int64_t size() const {
    return product({loops[0].count, loops[1].count, loops[2].count, loops[3].count});
  }
};

// visit(place in the output, place in the input) for every element of a box.
template <class Visit>
constexpr void for_each_element(const box& b, Visit visit) {
  const auto& l = b.loops;
  for (std::int32_t i = 0; i < l[0].count; ++i)
    for (std::int32_t j = 0; j < l[1].count; ++j)
      for (std::int32_t k = 0; k < l[2].count; ++k)
        for (std::int32_t m = 0; m < l[3].count; ++m)
          visit(b.to + l[0].to * i + l[1].to * j + l[2].to * k + l[3].to * m,
                b.from + l[0].from * i + l[1].from * j + l[2].from * k + l[3].from * m);
}

// The shape rule of moves, real or integer: all boxes lie inside their tensors, and together have
// as many elements as the result.
constexpr fitting fit_boxes(shape target, std::span<const box> boxes, std::span<const shape> in) {
  const fitting out = fit_shape(target);
  if (!out.ok()) return out;
  std::int64_t filled = 0;
  for (std::size_t n = 0; n < boxes.size(); ++n) {
    const box& b = boxes[n];
    const fitting outside{rule::moves_elements_outside_its_tensors, {static_cast<std::int64_t>(n)}};
    if (b.input < box::filled || std::cmp_greater_equal(b.input, in.size() + (b.input < 0)))
      return outside;
    // The outermost corners: every loop at its beginning or at its end.
    for (std::uint32_t corner = 0; corner < 1U << box::most_loops; ++corner) {
      std::array<std::int64_t, 6> at{b.to.c, b.to.y, b.to.x, b.from.c, b.from.y, b.from.x};
      for (std::size_t i = 0; i < box::most_loops; ++i) {
        const box_loop& l = b.loops[i];
        if (l.count < 1) return outside;
        const std::int64_t last = (corner >> i & 1) != 0 ? l.count - 1 : 0;
        const std::array<std::int64_t, 6> step{l.to.c, l.to.y, l.to.x,
                                               l.from.c, l.from.y, l.from.x};
        for (std::size_t k = 0; k < 6; ++k) at[k] += last * step[k];
      }
      const auto inside = [&](std::size_t k, shape s) {
        return at[k] >= 0 && at[k] < s.c && at[k + 1] >= 0 && at[k + 1] < s.h && at[k + 2] >= 0 &&
               at[k + 2] < s.w;
      };
      if (!inside(0, target) ||
          (b.input >= 0 && !inside(3, in[static_cast<std::size_t>(b.input)])))
        return outside;
    }
    filled += std::min(b.size(), max_elements + 1);
    if (filled > max_elements) break;
  }
  if (std::cmp_not_equal(filled, target.size()))
    return {rule::moves_another_number_of_elements_than_its_result_has,
            {filled, static_cast<std::int64_t>(target.size())}};
  return out;
}

// Reports elements of the result that no box or more than one holds.
inline void check_boxes(shape target, std::span<const box> boxes, diagnostics& found,
                        const std::string& layer) {
  std::vector<bool> held(target.size(), false);
  for (const box& b : boxes) {
    bool twice = false;
    for_each_element(b, [&](place to, place) {
      const auto at = target.at(to.c, to.y, to.x);
      twice = twice || held[at];
      held[at] = true;
    });
    if (!twice) continue;
    found.add({.layer = layer, .reason = "more than one of its boxes hold the same element"});
    return;
  }
}

// `to[..] = from[..]` for all boxes.
template <class T>
void move_elements(std::span<const box> boxes, std::span<const tensor<T>* const> in, T fill,
                   tensor<T>& out) {
  for (const box& b : boxes) {
    const tensor<T>* source = b.input < 0 ? nullptr : in[static_cast<std::size_t>(b.input)];
    for_each_element(b, [&](place to, place from) {
      out.at(to.c, to.y, to.x) = source ? source->at(from.c, from.y, from.x) : fill;
    });
  }
}

// The boxes of any map of elements, such as transpositions and slices make.

namespace detail {

// Takes the first element that no box holds yet, and lets a box grow from there: first along loops
// that stay among channels or inside a surface, which hardware copies by address, then along those
// that cross from channels to lines or columns or back.
class box_finder {
 public:
  box_finder(std::span<const std::int32_t> from, shape to, shape in)
      : from_(from), to_(to), in_(in), held_(from.size(), false) {}

  std::vector<box> find() {
    std::vector<box> found;
    for (std::size_t e = 0; e < from_.size(); ++e)
      if (!held_[e]) {
        if (found.size() == most_boxes)
          throw error("it moves elements in more than 65536 pieces, in no regular pattern");
        found.push_back(grow(e));
      }
    return found;
  }

 private:
  static constexpr std::size_t most_boxes = 65536;
  static constexpr std::uint64_t most_tried = std::uint64_t{1} << 28;
  static constexpr std::int32_t most_step = 64;  // between lines or columns
  enum class axis { x, y, c };

  box grow(std::size_t first) {
    anchor_ = first;
    cells_ = {first};
    held_[first] = true;
    const bool filled = from_[first] < 0;
    box b{.input = filled ? box::filled : 0,
          .to = place::of(first, to_),
          .from = filled ? place{} : place::of(static_cast<std::size_t>(from_[first]), in_)};
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

  // The longest loop along the axis that all elements of the box can follow.
  bool extend(box& b, axis a, bool crossing, std::size_t used) {
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
      place step{};
      if (b.input >= 0) {
        const place p = place::of(static_cast<std::size_t>(from_[second]), in_);
        step = {p.c - b.from.c, p.y - b.from.y, p.x - b.from.x};
      }
      const bool kept = a == axis::c ? step.y == 0 && step.x == 0 : step.c == 0;
      if (kept == crossing) continue;
      std::int32_t count = most;
      for (std::size_t i = 0; i < cells_.size() && count > best.count; ++i)
        count = repeats(cells_[i], delta, step,
                        std::min(count, (size - 1 - along(a, cells_[i])) / s + 1));
      if (count <= best.count) continue;
      best = {count, a == axis::x ? place{0, 0, s} : a == axis::y ? place{0, s, 0} : place{s, 0, 0},
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
  std::int32_t along(axis a, std::size_t cell) const {
    const place p = place::of(cell, to_);
    return a == axis::x ? p.x : a == axis::y ? p.y : p.c;
  }
  // How often, up to `most` times, the element and those behind it step alike.
  std::int32_t repeats(std::size_t cell, std::ptrdiff_t delta, place step,
                       std::int32_t most) const {
    const bool filled = from_[cell] < 0;
    const place start =
        filled ? place{} : place::of(static_cast<std::size_t>(from_[cell]), in_);
    for (std::int32_t n = 1; n < most; ++n) {
      const auto e = cell + static_cast<std::size_t>(n * delta);
      if (held_[e]) return n;
      if (filled) {
        if (from_[e] >= 0) return n;
        continue;
      }
      const place p = start + step * n;
      if (!p.in(in_) || std::cmp_not_equal(from_[e], in_.at(p.c, p.y, p.x))) return n;
    }
    return most;
  }

  std::span<const std::int32_t> from_;
  shape to_, in_;
  std::vector<bool> held_;
  std::size_t anchor_ = 0;
  std::uint64_t tried_ = 0;  // loops
  std::vector<std::size_t> cells_{};  // of the box that grows
};

}  // namespace detail

// The boxes of a result of shape `to`, whose element i comes from element from[i] of an input of
// shape `in` (dense c-h-w order both), or is filled where from[i] is negative.
inline std::vector<box> find_boxes(std::span<const std::int32_t> from, shape to, shape in) {
  return detail::box_finder(from, to, in).find();
}

}  // namespace nvdlac::net
