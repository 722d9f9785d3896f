// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/import/onnx/reduction.hpp>
#include <nvdlac/import/tflite/layout.hpp>

namespace nvdlac::import::tflite_format {

// Operators that make one number of all elements along some axes.
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

// Operators that choose or repeat elements, and those that tell of shapes. All tensors are in the
// file's order: what changes the number of dimensions has no other.
// Output i is a movement of input 0, which a node of ONNX does, too.
inline void give_moved(const conversion& c, const onnx_format::movement& m, const char* type,
                       const array& how, const std::vector<attribute>& attributes = {},
                       std::size_t i = 0) {
  c.require_rank(m.shape.size(), i);
  if (c.is_constant(0))
    return c.give_constant(onnx_format::apply(c.constant(0, "values"), m), i);
  const auto& name = c.out(i).name;
  c.give_plain(c.node(type, name, {c.plain(0), c.all().write(how, name)}, attributes), i);
}
inline array list_of(const dims& d) {
  return array::of_integers({static_cast<std::int64_t>(d.size())}, d);
}

inline void on_gather(const conversion& c) {
  c.require_inputs(2, 2);
  if (c.integer(1) != 0)
    throw error(problem{.reason = text("it gathers apart for ", c.integer(1), " dimensions"),
                        .remedy = "batch_dims 0 is supported"});
  const dims& shape = c.in(0).shape;
  const auto axis = onnx_format::checked_axis(c.integer(0), shape.size());
  const array which = c.constant(1, "indices", false);
  give_moved(c, onnx_format::gather(shape, axis, which), "Gather", which, {{"axis", axis}});
}
inline void on_unpack(const conversion& c) {
  c.require_inputs(1, 1);
  const dims& shape = c.in(0).shape;
  const auto axis = onnx_format::checked_axis(c.integer(1), shape.size());
  const auto parts = static_cast<std::size_t>(shape[static_cast<std::size_t>(axis)]);
  c.require_count(0, c.outputs(), "parts");
  c.require_outputs(parts);
  for (std::size_t i = 0; i < parts; ++i) {
    const array which = array::of_integers({}, {static_cast<std::int64_t>(i)});
    give_moved(c, onnx_format::gather(shape, axis, which), "Gather", which, {{"axis", axis}}, i);
  }
}
inline void on_pack(const conversion& c) {
  c.require_inputs(1, 1024);
  c.require_count(0, c.inputs(), "values");
  const auto axis = onnx_format::checked_axis(c.integer(1), c.in(0).shape.size() + 1);
  c.require_rank(c.in(0).shape.size() + 1);
  const auto longer = [&](std::size_t i) {
    return onnx_format::unsqueeze(c.in(i).shape, {axis});
  };
  if (c.all_constant()) {
    std::vector<array> parts;
    for (std::size_t i = 0; i < c.inputs(); ++i) {
      parts.push_back(c.constant(i, "values"));
      parts.back().shape = longer(i);
    }
    return c.give_constant(onnx_format::fold_concat(parts, axis));
  }
  names parts;
  for (std::size_t i = 0; i < c.inputs(); ++i)
    parts.push_back(c.reshaped(c.plain(i), longer(i)));
  c.give_plain(c.node("Concat", c.name(), parts, {{"axis", axis}}));
}

inline void on_tile(const conversion& c) {
  c.require_inputs(2, 2);
  const dims repeats = c.integers(1, "repeats");
  give_moved(c, onnx_format::tile(c.in(0).shape, repeats), "Tile", list_of(repeats));
}
inline void on_broadcast_to(const conversion& c) {
  c.require_inputs(2, 2);
  const dims shape = c.integers(1, "dimensions");
  if (onnx_format::broadcast(c.in(0).shape, shape) != shape)
    throw error(text("it does not broadcast to ", onnx_format::to_text(shape)));
  give_moved(c, onnx_format::expand(c.in(0).shape, shape), "Expand", list_of(shape));
}
inline void on_reverse(const conversion& c) {
  c.require_inputs(2, 2);
  const dims& shape = c.in(0).shape;
  constexpr std::int64_t far = std::numeric_limits<std::int32_t>::max();
  dims begin(shape.size(), 0), end(shape.size(), far), step(shape.size(), 1);
  for (const auto given : c.integers(1, "axes")) {
    const auto i = static_cast<std::size_t>(onnx_format::checked_axis(given, shape.size()));
    begin[i] = far, end[i] = -far, step[i] = -1;
  }
  give_slice(c, begin, end, step, {});
}

// Shapes are known; networks compute the dimensions of a reshape from them.
inline void on_shape(const conversion& c) {
  c.require_inputs(1, 1);
  c.require_type(0, c.out());
  c.give_constant(list_of(c.in(0).shape));
}
inline void on_rank(const conversion& c) {
  c.require_inputs(1, 1);
  c.give_constant(array::of_integers({}, {static_cast<std::int64_t>(c.in(0).shape.size())}));
}
inline void on_fill(const conversion& c) {
  c.require_inputs(2, 2);
  const dims shape = c.integers(0, "dimensions");
  const array v = c.constant(1, "value");
  if (v.size() != 1) throw error("its value is no single number");
  c.give_constant(onnx_format::apply(v, onnx_format::expand({}, shape)));
}

}  // namespace nvdlac::import::tflite_format
