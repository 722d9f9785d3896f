// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// Elements that move together from one cube to another, as loops over both.

// A position in a cube, or a step from one position to another.
struct position {
  std::int32_t c = 0, y = 0, x = 0;
  static constexpr void fields(auto&& field) {
    field("c", &position::c);
    field("y", &position::y);
    field("x", &position::x);
  }

  constexpr bool operator==(const position&) const = default;
  constexpr position operator+(position p) const { return {c + p.c, y + p.y, x + p.x}; }
  constexpr position operator*(std::int32_t n) const { return {c * n, y * n, x * n}; }
  constexpr bool in(shape s) const {
    return c >= 0 && y >= 0 && x >= 0 && c < s.c && y < s.h && x < s.w;
  }
  static constexpr position of(std::size_t element, shape s) {
    const auto n = static_cast<std::int32_t>(element);
    return {n / (s.h * s.w), n / s.w % s.h, n % s.w};
  }
};

// One step of a loop in both cubes.
struct box_loop {
  std::int32_t count = 1;
  position to{}, from{};
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
  position to{}, from{};
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

// Whether channels of one cube become lines or columns of the other one.
constexpr bool permutes_channels(const box& b) {
  bool permutes = false;
  for (const auto& l : b.loops)
    permutes = permutes ||
               (l.count > 1 && l.from != position{} && (l.to.c != 0) != (l.from.c != 0));
  return permutes && b.input != box::filled;
}

// The first of the neighbouring channels of a cube that these boxes, which have as many elements
// as the result, take as they are, with all their lines and columns; nothing, if they do anything
// else.
constexpr std::optional<std::int32_t> first_channel_taken(shape target, std::span<const box> boxes,
                                                          std::span<const shape> in) {
  if (boxes.size() != 1 || in.size() != 1 || target.h != in[0].h || target.w != in[0].w)
    return std::nullopt;
  const box& b = boxes[0];
  bool steps_alike = true;
  for (const auto& l : b.loops) steps_alike = steps_alike && (l.count == 1 || l.to == l.from);
  if (b.input != 0 || b.to != position{} || b.from != position{b.from.c, 0, 0} || !steps_alike)
    return std::nullopt;
  return b.from.c;
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
void check_boxes(shape target, std::span<const box> boxes, diagnostics& found,
                 const std::string& layer);

// `to[..] = from[..]` for all boxes.
template <class T>
void move_elements(std::span<const box> boxes, std::span<const tensor<T>* const> in, T fill,
                   tensor<T>& out) {
  for (const box& b : boxes) {
    const tensor<T>* source = b.input < 0 ? nullptr : in[static_cast<std::size_t>(b.input)];
    for_each_element(b, [&](position to, position from) {
      out.at(to.c, to.y, to.x) = source ? source->at(from.c, from.y, from.x) : fill;
    });
  }
}

}  // namespace nvdlac::net

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/net/box.ipp>
#endif
