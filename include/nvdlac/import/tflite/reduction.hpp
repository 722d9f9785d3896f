// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that make one number of all elements along some axes.
#include <cstdint>
#include <string_view>
#include <utility>

#include <nvdlac/import/onnx/reduction.hpp>
#include <nvdlac/import/tflite/layout.hpp>

namespace nvdlac::import::tflite_format {

// Every tensor in the file's order: what remains of a reduced one has it, too.
inline void reduce(const conversion& c, const char* type) {
  c.require_inputs(2, 2);
  const bool keep = c.flag(0);
  const dims axes = c.integers(1, "axes");
  const onnx_format::reduced_axes sides(c.in(0).shape, axes, keep);
  c.require_rank(sides.result.size());
  if (c.is_constant(0))
    return c.give_constant(onnx_format::reduced(c.constant(0, "values"),
                                                onnx_format::reducers().at(type), sides));
  const attribute dimensions{"keepdims", std::int64_t{keep}};
  const names inputs{c.plain(0)};
  if (std::string_view(type) != "ReduceSum")
    return c.give_plain(c.node(type, c.name(), inputs, {{"axes", axes}, dimensions}));
  c.give_plain(c.node(type, c.name(), {inputs[0], c.all().write_integers(axes, c.name())},
                      {dimensions}));
}
inline void on_mean(const conversion& c) { reduce(c, "ReduceMean"); }
inline void on_sum(const conversion& c) { reduce(c, "ReduceSum"); }
inline void on_reduce_max(const conversion& c) { reduce(c, "ReduceMax"); }
inline void on_reduce_min(const conversion& c) { reduce(c, "ReduceMin"); }
inline void on_reduce_prod(const conversion& c) { reduce(c, "ReduceProd"); }

// The place of the largest element along an axis, or of the largest opposite.
inline void arg_max(const conversion& c, bool of_opposites) {
  c.require_inputs(2, 2);
  c.require_type(0, c.out());
  dims shape = c.in(0).shape;
  const auto axis = onnx_format::checked_axis(single(c.integers(1, "axis"), "axis"), shape.size());
  auto x = c.picture(0);
  if (of_opposites) x = c.node("Neg", c.name() + "/opposite", {x});
  x = c.node("ArgMax", c.name(), {x}, {{"axis", picture_axis(c, 0, axis)}});
  if (shape.size() == 4) x = c.node("Transpose", c.name(), {x}, {{"perm", dims{0, 2, 3, 1}}});
  shape.erase(shape.begin() + axis);
  c.require_rank(shape.size());
  c.give_plain(c.reshaped(x, shape));
}
inline void on_arg_max(const conversion& c) { arg_max(c, false); }
inline void on_arg_min(const conversion& c) { arg_max(c, true); }

}  // namespace nvdlac::import::tflite_format
