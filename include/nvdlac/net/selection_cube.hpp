// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cubes of elements that were selected from another cube, in which channels stay channels.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <nvdlac/net/box.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// The elements of a list, such as a tensor in row-major order, as a cube whose channels come from
// channels of another one, and whose lines and columns come from lines and columns.
struct selection_cube {
  net::shape shape{};
  std::vector<std::int32_t> from{};   // the source of each of its elements; negative: filled
  std::vector<std::int32_t> place{};  // of each element of the list, in it
};

namespace detail {

// Finds nested steps of a list whose elements are the sums of one step each, so that every step
// goes along one axis of the source.
class step_finder {
 public:
  step_finder(std::span<const std::int32_t> from, std::span<const std::int32_t> sides,
              shape source)
      : left_(from.begin(), from.end()), sides_(sides.begin(), sides.end()), source_(source) {}

  // Nothing where some steps go from channels to lines or columns as well.
  std::optional<selection_cube> find(std::span<const std::int32_t> from);

 private:
  enum class axis { none, channels, lines, columns, places };
  static constexpr std::int64_t unknown_step = std::int64_t{1} << 40;

  // So many elements in a row, and how far each is from one of them.
  struct step {
    std::vector<std::optional<position>> at{};  // nothing: filled
    axis along = axis::none;
    std::size_t side = 0;      // of the list, from the innermost one on
    std::int64_t apart = 0;    // in the source; unknown_step where it is not told
    std::int32_t stride = 0;   // in the cube
  };

  // The innermost step of what is left, which becomes shorter by it.
  std::optional<step> take_step();
  // The step of so many elements, if all that is left repeats it.
  std::optional<step> step_of(std::size_t count) const;
  position place_of(std::int32_t element) const {
    return position::of(static_cast<std::size_t>(element), source_);
  }
  static axis axis_of(const step& s);
  // Gives steps that stay where they are, such as repetitions, the axis of their neighbours.
  void settle_axes();
  // Gives the steps along some axes their strides, and returns the size of that side.
  std::int64_t lay(std::initializer_list<axis> along, std::int64_t stride);

  std::vector<std::int32_t> left_;   // the first element of each step that is taken
  std::vector<std::int32_t> sides_;  // of the list, the outermost first
  shape source_;
  std::size_t anchor_ = 0;      // in what is left: an element that is not filled
  std::vector<step> steps_{};  // the innermost first
};

}  // namespace detail

// The cube of a list whose element i is element from[i] of a cube of shape `source`, or is filled
// where from[i] is negative. `sides` are the dimensions of the list, the outermost first. Nothing
// where channels of the source and its lines or columns cannot be told apart, or the cube has
// larger sides than NVDLA takes.
std::optional<selection_cube> find_selection_cube(std::span<const std::int32_t> from,
                                                  std::span<const std::int32_t> sides,
                                                  shape source);

// How many elements boxes take from channels to lines or columns or back.
constexpr std::uint64_t turned_elements(std::span<const box> boxes) {
  std::uint64_t turned = 0;
  for (const box& b : boxes)
    if (permutes_channels(b)) turned += static_cast<std::uint64_t>(b.size());
  return turned;
}

}  // namespace nvdlac::net

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/net/selection_cube.ipp>
#endif
