// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that move elements, take parts, or join tensors.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/import/tflite/convolution.hpp>

namespace nvdlac::import::tflite_format {

inline std::int64_t single(const dims& d, const char* what) {
  if (d.size() != 1) throw error(text("its ", what, " is no single number"));
  return d[0];
}
inline std::int64_t picture_axis(const conversion& c, std::size_t input, std::int64_t axis) {
  const auto rank = c.in(input).shape.size();
  axis = onnx_format::checked_axis(axis, rank);
  return rank == 4 ? axis_with_channels_second(axis) : axis;
}

inline void on_concat(const conversion& c) {
  c.require_inputs(1, 4096);
  const auto a = c.activation(1);
  if (a == 0 && c.all_constant()) {
    std::vector<array> parts;
    for (std::size_t i = 0; i < c.inputs(); ++i) parts.push_back(c.constant(i, "values"));
    return c.give_constant(onnx_format::fold_concat(parts, c.integer(0)));
  }
  names inputs;
  for (std::size_t i = 0; i < c.inputs(); ++i) inputs.push_back(c.picture(i));
  c.give(c.activated(
      c.node("Concat", c.before(a), inputs, {{"axis", picture_axis(c, 0, c.integer(0))}}), a));
}

// The new shape from the second input, the options or the output.
inline void on_reshape(const conversion& c) {
  c.require_inputs(1, 2);
  const auto reshaped = [&](const dims& to) {
    for (const auto d : to)
      if (d == 0 || d < -1) throw error(text("its shape has the dimension ", d));
    return onnx_format::reshape(c.in(0).shape, to, true);
  };
  const dims told = c.numbers(0).value_or(dims{});
  const dims shape = reshaped(c.given(1) ? c.integers(1, "dimensions")
                              : told.empty() ? c.out().shape : told);
  if (!told.empty() && reshaped(told) != shape)
    throw error(text("it reshapes to ", onnx_format::to_text(shape), ", but its options say ",
                     onnx_format::to_text(told)));
  if (shape.size() != c.out().shape.size())
    throw error(text("it reshapes to ", onnx_format::to_text(shape), ", but its output is ",
                     onnx_format::to_text(c.out().shape)));
  if (c.is_constant(0)) {
    array a = c.constant(0, "values");
    a.shape = shape;
    return c.give_constant(std::move(a));
  }
  c.give_plain(c.reshaped(c.plain(0), shape));
}
inline void give_reshaped(const conversion& c, const dims& shape) {
  if (shape.size() != c.out().shape.size())
    throw error(text("its output ", onnx_format::to_text(c.out().shape), " is not ",
                     onnx_format::to_text(shape)));
  if (c.is_constant(0)) {
    array a = c.constant(0, "values");
    a.shape = shape;
    return c.give_constant(std::move(a));
  }
  c.give_plain(c.reshaped(c.plain(0), shape));
}
inline void on_squeeze(const conversion& c) {
  c.require_inputs(1, 1);
  const auto axes = c.numbers(0);
  const bool all = !axes || axes->empty();
  give_reshaped(c, onnx_format::squeeze(c.in(0).shape, all ? std::nullopt : axes));
}
inline void on_expand_dims(const conversion& c) {
  c.require_inputs(2, 2);
  give_reshaped(c, onnx_format::unsqueeze(c.in(0).shape, c.integers(1, "axes")));
}

inline void on_transpose(const conversion& c) {
  c.require_inputs(2, 2);
  const dims order = c.integers(1, "axes");
  if (c.is_constant(0)) {
    const array a = c.constant(0, "values");
    return c.give_constant(onnx_format::apply(a, onnx_format::transpose(a.shape, order)));
  }
  c.give_plain(c.node("Transpose", c.name(), {c.plain(0)}, {{"perm", order}}));
}

// Pairs of pads, before and after, for each dimension, as ONNX orders them.
inline std::string pads_of(const conversion& c) {
  const dims given = c.integers(1, "pads");
  const auto rank = c.in(0).shape.size();
  if (given.size() != 2 * rank) throw error(text("it has ", given.size(), " pads"));
  dims pads(2 * rank);
  for (std::size_t i = 0; i < rank; ++i) {
    const auto to = static_cast<std::size_t>(
        rank == 4 ? axis_with_channels_second(static_cast<std::int64_t>(i))
                  : static_cast<std::int64_t>(i));
    pads[to] = given[2 * i];
    pads[to + rank] = given[2 * i + 1];
  }
  return c.all().write_integers(pads, c.name());
}
inline void on_pad(const conversion& c) {
  c.require_inputs(2, 3);
  names inputs{c.picture(0), pads_of(c)};
  if (c.given(2)) {
    array v = c.reals(2, "values of the padding");
    if (v.size() != 1) throw error("its padding has several values");
    v.shape = {};
    inputs.push_back(c.all().write(v, c.name()));
  }
  c.give(c.node("Pad", c.name(), inputs, {{"mode", std::string("constant")}}));
}
// Around an axis of n elements, the outermost ones first.
inline dims mirrored(std::int64_t n, std::int64_t before, std::int64_t after) {
  if (before < 0 || after < 0 || before > n || after > n)
    throw error(text("it mirrors ", before, " and ", after, " of ", n, " elements"));
  onnx_format::require_movable({before + n + after});
  dims from;
  for (auto i = -before; i < n + after; ++i)
    from.push_back(i < 0 ? -1 - i : i < n ? i : 2 * n - 1 - i);
  return from;
}
inline void on_mirror_pad(const conversion& c) {
  c.require_inputs(2, 2);
  if (c.flag(0)) {  // SYMMETRIC: the border itself is repeated
    const dims &pads = c.integers(1, "pads"), &shape = c.in(0).shape;
    if (pads.size() != 2 * shape.size()) throw error(text("it has ", pads.size(), " pads"));
    auto x = c.plain(0);
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (pads[2 * i] != 0 || pads[2 * i + 1] != 0)
        x = c.node("Gather", c.name(),
                   {x, c.all().write_integers(mirrored(shape[i], pads[2 * i], pads[2 * i + 1]),
                                              c.name())},
                   {{"axis", static_cast<std::int64_t>(i)}});
    return c.give_plain(x);
  }
  c.give(c.node("Pad", c.name(), {c.picture(0), pads_of(c)}, {{"mode", std::string("reflect")}}));
}

// A slice of the first dimensions, of which those in `shrunk` vanish.
inline void give_slice(const conversion& c, const dims& begin, const dims& end, const dims& step,
                       const dims& shrunk) {
  auto steps = onnx_format::all_steps(c.in(0).shape);
  dims axes;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    const auto axis = static_cast<std::int64_t>(i);
    onnx_format::slice(steps, axis, begin[i], end[i], step[i]);
    axes.push_back(picture_axis(c, 0, axis));
  }
  const auto m = onnx_format::from_steps(steps);
  const dims shape = onnx_format::squeeze(m.shape, shrunk);
  c.require_rank(shape.size());
  if (c.is_constant(0)) {
    array a = onnx_format::apply(c.constant(0, "values"), m);
    a.shape = shape;
    return c.give_constant(std::move(a));
  }
  auto& all = c.all();
  auto y = c.node("Slice", c.name(),
                  {c.picture(0), all.write_integers(begin, c.name()),
                   all.write_integers(end, c.name()), all.write_integers(axes, c.name()),
                   all.write_integers(step, c.name())});
  if (shrunk.empty()) return c.give(std::move(y));
  if (c.in(0).shape.size() == 4)
    y = c.node("Transpose", c.name(), {y}, {{"perm", dims{0, 2, 3, 1}}});
  c.give_plain(c.reshaped(y, shape));
}
inline void on_strided_slice(const conversion& c) {
  c.require_inputs(4, 4);
  dims begin = c.integers(1, "begins"), end = c.integers(2, "ends"), step = c.integers(3, "steps");
  const auto& shape = c.in(0).shape;
  if (begin.size() != end.size() || begin.size() != step.size() || begin.size() > shape.size())
    throw error("its begins, ends and steps are not of one length");
  if (c.integer(2) != 0 || c.integer(3) != 0) throw error("it has an ellipsis or a new axis");
  if (c.flag(5)) throw error("its ends are offsets");
  dims shrunk;
  constexpr std::int64_t far = std::numeric_limits<std::int32_t>::max();
  for (std::size_t i = 0; i < begin.size(); ++i) {
    const auto masked = [&](int number) { return (c.integer(number) >> i & 1) != 0; };
    if (masked(4)) {  // one element, whose dimension vanishes
      if (begin[i] < 0) begin[i] += shape[i];
      end[i] = begin[i] + 1;
      step[i] = 1;
      shrunk.push_back(static_cast<std::int64_t>(i));
      continue;
    }
    if (masked(0)) begin[i] = step[i] < 0 ? far : 0;
    if (masked(1)) end[i] = step[i] < 0 ? -far : far;
  }
  give_slice(c, begin, end, step, shrunk);
}
inline void on_slice(const conversion& c) {
  c.require_inputs(3, 3);
  const dims begin = c.integers(1, "begins"), size = c.integers(2, "sizes");
  const auto& shape = c.in(0).shape;
  if (begin.size() != shape.size() || size.size() != shape.size())
    throw error("its begins and sizes are not one for each dimension");
  dims end(size.size());
  for (std::size_t i = 0; i < size.size(); ++i) {
    end[i] = size[i] == -1 ? shape[i] : begin[i] + size[i];
    if (begin[i] < 0 || end[i] < begin[i] || end[i] > shape[i])
      throw error(text("it takes elements ", begin[i], " to ", end[i], " of ", shape[i]));
  }
  give_slice(c, begin, end, dims(size.size(), 1), {});
}

inline void split(const conversion& c, std::size_t input, std::int64_t axis, const dims& sizes) {
  if (!onnx_format::operators().contains("Split")) throw error(conversion::not_supported());
  names parts;
  for (std::size_t i = 0; i < sizes.size(); ++i) parts.push_back(c.all().fresh(c.out(i).name));
  c.all().to().node("Split", c.name(),
                    {c.picture(input), c.all().write_integers(sizes, c.name())}, parts,
                    {{"axis", picture_axis(c, input, axis)}});
  for (std::size_t i = 0; i < parts.size(); ++i) c.give(parts[i], i);
}
inline void on_split(const conversion& c) {
  c.require_inputs(2, 2);
  const auto parts = static_cast<std::int64_t>(c.outputs());
  const auto& shape = c.in(1).shape;
  const auto axis = onnx_format::checked_axis(single(c.integers(0, "axis"), "axis"), shape.size());
  const auto size = shape[static_cast<std::size_t>(axis)];
  if (c.integer(0) != parts || size % parts != 0)
    throw error(text("it splits ", size, " into ", c.integer(0), " parts, but has ", parts,
                     " outputs"));
  split(c, 1, axis, dims(c.outputs(), size / parts));
}
inline void on_split_v(const conversion& c) {
  c.require_inputs(3, 3);
  dims sizes = c.integers(1, "sizes");
  c.require_count(0, c.outputs(), "parts");
  const auto& shape = c.in(0).shape;
  const auto axis = onnx_format::checked_axis(single(c.integers(2, "axis"), "axis"), shape.size());
  if (sizes.size() != c.outputs()) throw error("its sizes are not one for each output");
  std::int64_t rest = shape[static_cast<std::size_t>(axis)];
  for (const auto s : sizes) rest -= std::max<std::int64_t>(s, 0);
  for (auto& s : sizes) s = s == -1 ? rest : s;
  split(c, 0, axis, sizes);
}

inline void resize(const conversion& c, bool linear, int align_corners, int half_pixel) {
  c.require_inputs(2, 2);
  require_picture(c, 0);
  const dims size = c.integers(1, "sizes");
  if (size.size() != 2) throw error(text("its size is ", onnx_format::to_text(size)));
  const bool corners = c.flag(align_corners), half = c.flag(half_pixel);
  if (corners && half) throw error("it aligns both corners and centres");
  const auto& in = c.in(0).shape;
  std::vector<attribute> how = {
      {"mode", std::string(linear ? "linear" : "nearest")},
      {"coordinate_transformation_mode",
       std::string(corners ? "align_corners" : half ? "half_pixel" : "asymmetric")}};
  // Half a pixel before it is rounded down, or an aligned corner, is rounded to the nearest.
  if (!linear)
    how.push_back({"nearest_mode", std::string(corners || half ? "round_prefer_ceil" : "floor")});
  c.give(c.node("Resize", c.name(),
                {c.picture(0), "", "",
                 c.all().write_integers({in[0], in[3], size[0], size[1]}, c.name())},
                how));
}
inline void on_resize_bilinear(const conversion& c) {
  if (c.integer(0) != 0 || c.integer(1) != 0) throw error("its options give the size, too");
  resize(c, true, 2, 3);
}
inline void on_resize_nearest(const conversion& c) { resize(c, false, 0, 1); }

inline void by_blocks(const conversion& c, const char* type) {
  c.require_inputs(1, 1);
  require_picture(c, 0);
  c.give(c.node(type, c.name(), {c.picture(0)}, {{"blocksize", c.integer(0)}}));
}
inline void on_depth_to_space(const conversion& c) { by_blocks(c, "DepthToSpace"); }
inline void on_space_to_depth(const conversion& c) { by_blocks(c, "SpaceToDepth"); }

}  // namespace nvdlac::import::tflite_format
