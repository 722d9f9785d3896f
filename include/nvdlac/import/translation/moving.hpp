// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that move elements, take parts, or join tensors.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <nvdlac/import/translation/conversion.hpp>

namespace nvdlac::import::translation {

std::int64_t single(const dims& d, const char* what);

// The first `n` inputs behind each other.
array fold_concat(const conversion& c, std::size_t first, std::size_t n, std::int64_t axis);
computed concat(const conversion& c, std::size_t first, std::size_t n, std::int64_t axis,
                const std::string& layer);

// Input i under another shape, of elements in the file's order.
void give_reshaped(const conversion& c, const dims& shape, std::size_t i = 0);

void give_transposed(const conversion& c, const dims& order);

// Pairs of pads, before and after, for each dimension.
dims checked_pads(const conversion& c, const dims& given);
dims padded_shape(const conversion& c, const dims& pads);
computed pad(const conversion& c, const dims& given, const char* mode,
             const std::optional<array>& filling = std::nullopt);
// Around an axis of n elements, the outermost ones first.
dims mirrored(std::int64_t n, std::int64_t before, std::int64_t after,
              const onnx_format::element_ceiling& most);
// The border itself is repeated, or (`symmetric` false) what lies behind it.
computed mirror_pad(const conversion& c, const dims& given, bool symmetric);

// A slice of the first dimensions, seen under the shape that `seen` makes of its own, if that is
// another.
template <class Seen>
void give_slice(const conversion& c, const dims& begin, const dims& end, const dims& step,
                Seen seen) {
  const auto order = c.common_order();
  auto steps = onnx_format::all_steps(c.shape(0), c.ceiling());
  dims axes;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    const auto axis = static_cast<std::int64_t>(i);
    onnx_format::slice(steps, axis, begin[i], end[i], step[i]);
    axes.push_back(c.axis_in(order, c.shape(0).size(), axis));
  }
  const auto m = onnx_format::from_steps(steps, c.ceiling());
  const dims shape = seen(m.shape);
  c.require_rank(shape.size());
  if (c.is_constant(0)) {
    array a = onnx_format::apply(c.constant(0, "values"), m);
    a.shape = shape;
    return c.give_constant(std::move(a));
  }
  auto& all = c.all();
  auto y = c.node("Slice", c.name(),
                  {c.in_order(0, order), all.write_integers(begin, c.name()),
                   all.write_integers(end, c.name()), all.write_integers(axes, c.name()),
                   all.write_integers(step, c.name())});
  if (shape == m.shape) return c.give({std::move(y), shape, order});
  if (c.shape(0).size() == 4 && order == order::channels_second)
    y = c.node("Transpose", c.name(), {y}, {{"perm", to_channels_last()}});
  c.give_plain(c.reshaped(y, shape), shape);
}
void give_slice(const conversion& c, const dims& begin, const dims& end, const dims& step);

// Bit i of a mask is for entry i of begins, ends and steps.
struct slice_masks {
  std::int64_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrunk = 0;
};
inline bool has_bit(std::int64_t mask, std::size_t i) { return i < 63 && (mask >> i & 1) != 0; }

// The masks' ellipsis becomes the dimensions that it stands for, and the places of new axes, which
// are no dimensions of the input, are taken out; they are given as places of the result.
dims spread(dims& begin, dims& end, dims& step, slice_masks& masks, std::size_t rank);
void give_strided_slice(const conversion& c, dims begin, dims end, dims step, slice_masks masks);
void give_part(const conversion& c, const dims& begin, const dims& size);

// Input i in parts of such sizes along an axis.
void give_split(const conversion& c, std::size_t i, std::int64_t axis, const dims& sizes);
// Sizes of which one may be -1: what the others leave.
void give_split(const conversion& c, std::int64_t axis, dims sizes);

// Where a resize looks: corners or centres of pixels meet, or their first edges.
computed resize(const conversion& c, bool linear, const dims& size, bool corners, bool half);

// Blocks of a picture become channels, or channels blocks.
computed by_blocks(const conversion& c, bool to_space, std::int64_t block);

}  // namespace nvdlac::import::translation

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/translation/moving.ipp>
#endif
