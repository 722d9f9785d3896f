// SPDX-License-Identifier: Apache-2.0
#pragma once
// Parts of cubes that engines read and write by strides: channels from an atom on, neighbouring
// columns, every so many lines. The tensor that a move puts there or takes from there needs no
// copy: it stands in the other cube.
#include <cstdint>
#include <optional>

#include <nvdlac/layer/surface.hpp>
#include <nvdlac/net/box.hpp>

namespace nvdlac::lower {

struct strided_part {
  net::position first{};
  std::int32_t step = 1;  // lines of the cube from one line of the part to the next
  net::shape shape{};

  constexpr layer::surface of(const layer::surface& cube, bytes atom) const {
    return layer::every_line(cube, atom, step, first.c, first.y, first.x, shape);
  }
};

namespace detail {

// The part of a cube of shape `whole` in which all of a tensor of this shape stands by a box, of
// which `in_cube` and `in_tensor` give the places in both: those of the box and of its loops.
template <class InCube, class InTensor>
constexpr std::optional<strided_part> strided_part_of(const net::box& b, net::shape tensor,
                                                      net::shape whole, std::int32_t lanes,
                                                      const InCube& in_cube,
                                                      const InTensor& in_tensor) {
  strided_part part{.first = in_cube(b), .step = 0, .shape = tensor};
  if (b.input < 0 || b.size() != static_cast<std::int64_t>(tensor.size()) ||
      in_tensor(b) != net::position{} || part.first.c % lanes != 0)
    return std::nullopt;
  for (const auto& l : b.loops) {
    if (l.count == 1) continue;
    const net::position step = in_tensor(l), there = in_cube(l);
    if (step.y != 0 && part.step == 0) {
      part.step = there.y / step.y;
      if (part.step < 1) return std::nullopt;  // lines in reverse, or one repeated
    }
    if (there != net::position{step.c, step.y * part.step, step.x}) return std::nullopt;
  }
  if (part.step == 0) part.step = 1;
  // A vector may be read as a list of its channels, which stands in one piece.
  const bool is_list = tensor.h == 1 && tensor.w == 1 && tensor.c > lanes;
  if (is_list && (whole.h > 1 || whole.w > 1)) return std::nullopt;
  return part;
}

}  // namespace detail

// Where the input of a box stands in the result of its move, if it stands there as a whole.
constexpr std::optional<strided_part> part_filled(const net::box& b, net::shape input,
                                                  net::shape result, std::int32_t lanes) {
  const auto part = detail::strided_part_of(
      b, input, result, lanes, [](const auto& at) { return at.to; },
      [](const auto& at) { return at.from; });
  // Lanes behind its channels may be written as well.
  if (part && input.c % lanes != 0 && part->first.c + input.c != result.c) return std::nullopt;
  return part;
}

// Where the result of a move of one box stands in the input.
constexpr std::optional<strided_part> part_taken(const net::box& b, net::shape input,
                                                 net::shape result, std::int32_t lanes) {
  return detail::strided_part_of(
      b, result, input, lanes, [](const auto& at) { return at.from; },
      [](const auto& at) { return at.to; });
}

}  // namespace nvdlac::lower
