// SPDX-License-Identifier: Apache-2.0
#pragma once
// The boxes of any map of elements, such as transpositions and slices make.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/net/box.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

namespace detail {

// Takes the first element that no box holds yet, and lets a box grow from there: first along loops
// that stay among channels or inside a surface, which hardware copies by address, then along those
// that cross from channels to lines or columns or back.
class box_finder {
 public:
  box_finder(std::span<const std::int32_t> from, shape to, shape in)
      : from_(from), to_(to), in_(in), held_(from.size(), false) {}

  std::vector<box> find();

 private:
  static constexpr std::size_t most_boxes = 65536;
  static constexpr std::uint64_t most_tried = std::uint64_t{1} << 28;
  static constexpr std::int32_t most_step = 64;  // between lines or columns
  enum class axis { x, y, c };

  box grow(std::size_t first);

  // The longest loop along the axis that all elements of the box can follow.
  bool extend(box& b, axis a, bool crossing, std::size_t used);
  std::int32_t along(axis a, std::size_t cell) const;
  // How often, up to `most` times, the element and those behind it step alike.
  std::int32_t repeats(std::size_t cell, std::ptrdiff_t delta, position step,
                       std::int32_t most) const;

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
std::vector<box> find_boxes(std::span<const std::int32_t> from, shape to, shape in);

}  // namespace nvdlac::net

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/net/find_boxes.ipp>
#endif
