// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/onnx/canvas.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/fold.hpp>
#include <nvdlac/import/onnx/moving.hpp>
#include <nvdlac/net/deconvolution.hpp>
#include <nvdlac/net/move.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::import::onnx_format {

// A list of one number for each dimension of a picture of one or two; a line is one column wide.
inline dims pair_of(const dims& d, const char* name, std::size_t dimensions,
                    std::int64_t column = 1) {
  if (d.size() != dimensions)
    throw error(problem{.reason = text(name, " ", to_text(d), " is not of ", dimensions,
                                       dimensions == 1 ? " dimension" : " dimensions"),
                        .remedy = "windows over height and width or over a length are supported"});
  return dimensions == 1 ? dims{d[0], column} : d;
}

// The window of a Conv or of a pool that slides over a picture of h x w (of one dimension, w is 1),
// from kernel_shape (or `kernel`, if the attribute is missing), strides, dilations, pads and
// auto_pad.
inline net::window window_of(const node& n, const dims& kernel_of_weights, net::shape in,
                             std::size_t dimensions) {
  const auto pair = [&](const char* name) {
    const dims d =
        pair_of(n.integers(name).value_or(dims(dimensions, 1)), name, dimensions);
    for (const auto v : d)
      if (v < 1 || v > 65535) throw error(text(name, " ", to_text(d), " is not in 1 .. 65535"));
    return d;
  };
  const bool weights = !kernel_of_weights.empty();
  if (!weights && !n.has("kernel_shape")) throw error("its kernel_shape is missing");
  const dims kernel = n.has("kernel_shape") ? pair("kernel_shape") : kernel_of_weights;
  if (weights && kernel != kernel_of_weights)
    throw error(text("kernel_shape ", to_text(kernel), " differs from the weights' ",
                     to_text(kernel_of_weights)));
  const dims strides = pair("strides"), dilations = pair("dilations");
  const auto pads = n.integers("pads");
  const auto mode = n.string("auto_pad", "NOTSET");
  const bool zero = !pads || std::all_of(pads->begin(), pads->end(), [](auto p) { return p == 0; });
  dims p = pads.value_or(dims(2 * dimensions, 0));
  if (p.size() != 2 * dimensions)
    throw error(text("pads ", to_text(p), " are not ", 2 * dimensions, " numbers"));
  if (dimensions == 1) p = {p[0], 0, p[1], 0};
  if (mode != "NOTSET" && !zero) throw error("it gives both auto_pad and pads");
  if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
    const std::int64_t size[] = {in.h, in.w};
    for (std::size_t i = 0; i < 2; ++i) {
      const std::int64_t out = (size[i] + strides[i] - 1) / strides[i];
      const std::int64_t extent = (kernel[i] - 1) * dilations[i] + 1;
      const std::int64_t total =
          std::max<std::int64_t>((out - 1) * strides[i] + extent - size[i], 0);
      p[i] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
      p[i + 2] = total - p[i];
    }
  } else if (mode != "NOTSET" && mode != "VALID") {
    throw error(problem{.reason = "auto_pad '" + mode + "' is not understood",
                        .remedy = "NOTSET, VALID, SAME_UPPER and SAME_LOWER are"});
  }
  for (const auto v : p)
    if (v < 0) throw error(problem{.reason = text("pads ", to_text(p), " are negative"),
                                   .remedy = "padding is at least 0"});
  const auto i32 = [](std::int64_t v) { return as_int32(v, "a number of its window"); };
  return {.kernel_h = i32(kernel[0]), .kernel_w = i32(kernel[1]), .stride_h = i32(strides[0]),
          .stride_w = i32(strides[1]), .pad_top = i32(p[0]), .pad_left = i32(p[1]),
          .pad_bottom = i32(p[2]), .pad_right = i32(p[3]), .dilation_h = i32(dilations[0]),
          .dilation_w = i32(dilations[1])};
}

// The window whose padding takes in the zeros around its input.
inline net::window widened(net::window w, const zeros& around) {
  w.pad_top += around.top;
  w.pad_left += around.left;
  w.pad_bottom += around.bottom;
  w.pad_right += around.right;
  return w;
}

// Operators that become layers of the network.

// An operator with a window takes pictures of two dimensions, or of one.
inline void require_picture(const dims& d) {
  if ((d.size() != 4 && d.size() != 3) || d[0] != 1)
    throw error(problem{.reason = text("its input has the shape ", to_text(d)),
                        .remedy = "pictures [1, channels, height, width] or [1, channels, length] "
                                  "are supported"});
}
inline void require_rank_4(const dims& d) {
  if (d.size() != 4)
    throw error(problem{.reason = text("its input has the shape ", to_text(d)),
                        .remedy = "pictures [1, channels, height, width] are supported"});
}

// The shape of a convolution's weights, transposed or not: [.., .., height, width], for pictures
// with that many dimensions.
inline dims filter_shape(const context& c) {
  dims w = c.constant(1, "weights").shape;
  const std::size_t wanted = c.tensor(0).shape.size();
  if (w.size() != wanted)
    throw error(text("its weights have the shape ", to_text(w), ", not ", wanted, " dimensions"));
  w.resize(4, 1);
  return w;
}

// The whole cube of a fresh node as a picture with so many dimensions, the batch included.
inline std::vector<value> as_picture(const context& c, assembly::id node, std::size_t rank) {
  const net::shape s = c.net.net().shape(node);
  dims d{1, s.c, s.h, s.w};
  d.resize(rank);
  return {computed{node, std::move(d)}};
}

inline std::vector<value> convolved(const context& c, const std::string& layer) {
  const computed& x = c.tensor(0);
  require_picture(x.shape);
  const net::shape seen = cube_of(x.shape);
  const dims w = filter_shape(c);
  net::convolution op{.kernels = as_int32(w[0], "its number of kernels"),
                      .window = window_of(c.n, {w[2], w[3]}, seen, x.shape.size() - 2),
                      .groups = as_int32(c.n.integer("group", 1), "group")};
  (void)op.infer(std::span(&seen, 1));
  if (w[1] != seen.c / op.groups)
    throw error(text("its weights ", to_text(c.constant(1, "weights").shape), " do not fit ",
                     seen.c, " channels in ", op.groups, " groups"));
  op.weights = c.reals(1, "weights");
  if (c.given(2)) op.bias = c.reals(2, "bias values");
  const padded source = c.net.as_padded(x, seen);
  op.window = widened(op.window, source.zeros);
  return as_picture(c, c.net.add(layer, std::move(op), {source.node}), x.shape.size());
}
inline std::vector<value> on_conv(const context& c) {
  c.require_inputs(2, 3);
  return convolved(c, c.n.name());
}

inline std::vector<value> on_batch_normalization(const context& c) {
  c.require_inputs(5, 5);
  const float epsilon = c.n.number("epsilon", 1e-5F);
  (void)c.n.number("momentum", 0.9F);  // matters in training only, as is_test did until opset 6
  if (c.n.opset() < 7) (void)c.n.flag("is_test", false);
  if (c.n.opset() < 9 && !c.n.flag("spatial", true)) throw error("spatial: 0 is not supported");
  if (c.n.flag("training_mode", false)) throw error("training_mode is not supported");
  for (std::size_t i = 1; i < c.n.outputs().size(); ++i)
    if (!c.n.outputs()[i].empty()) throw error("its outputs for training are not supported");
  const computed& x = c.tensor(0);
  if (x.shape.size() < 2 || x.shape[0] != 1)
    throw error(text("its input has the shape ", to_text(x.shape)));
  net::batch_norm op{.mean = c.reals(3, "means"),
                     .variance = c.reals(4, "variances"),
                     .gamma = c.reals(1, "scales"),
                     .beta = c.reals(2, "biases"),
                     .epsilon = epsilon};
  const auto n = c.net.add(c.n.name(), std::move(op), {c.net.as_cube(x)});
  return {computed{n, x.shape}};
}

inline std::vector<value> on_lrn(const context& c) {
  c.require_inputs(1, 1);
  const computed& x = c.tensor(0);
  require_rank_4(x.shape);
  if (!c.n.has("size")) throw error("its size is missing");
  const net::lrn op{.local_size = as_int32(c.n.integer("size", 0), "size"),
                    .alpha = c.n.number("alpha", 1e-4F),
                    .beta = c.n.number("beta", 0.75F),
                    .k = c.n.number("bias", 1)};
  return {computed{c.net.add(c.n.name(), op, {c.net.as_cube(x)}), x.shape}};
}

// A tensor seen as [axis, all behind it]; what is before the axis must be one.
inline net::shape from_axis(const dims& shape, std::size_t axis, const char* what) {
  for (std::size_t i = 0; i < axis; ++i)
    if (shape[i] != 1)
      throw error(problem{.reason = text("it ", what, " along axis ", axis, " of ", to_text(shape)),
                          .remedy = "only channels, axis 1, are supported"});
  if (axis == 1 && shape.size() == 4) return cube_of(shape);
  return net::checked_shape(
      shape[axis], count(dims(shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, shape.end())),
      1);
}

// Of more dimensions than a cube has: those from the axis on are the columns.
inline net::shape cube_around(const dims& shape, std::size_t axis) {
  if (shape[0] != 1 || axis < 2)
    throw error(text("it concatenates along axis ", axis, " of ", to_text(shape)));
  const auto at = shape.begin() + static_cast<std::ptrdiff_t>(axis);
  return net::checked_shape(shape[1], count(dims(shape.begin() + 2, at)),
                            count(dims(at, shape.end())));
}

inline std::vector<value> on_concat(const context& c) {
  c.require_all_inputs(1, 4096);
  const dims& first = shape_of(c.in[0]);
  const auto given = c.n.integer("axis", 1);
  const auto axis = static_cast<std::size_t>(checked_axis(given, first.size()));
  if (c.all_constant()) {
    std::vector<array> parts;
    for (std::size_t i = 0; i < c.inputs(); ++i) parts.push_back(c.constant(i, "values"));
    return c.one(fold_concat(parts, given));
  }
  // Along the channels of a cube if the axis is the first with more than one element; else along
  // the lines or columns.
  const auto at_axis = first.begin() + static_cast<std::ptrdiff_t>(axis);
  const bool channels = std::all_of(first.begin(), at_axis, [](auto n) { return n == 1; });
  std::vector<assembly::id> parts;
  std::vector<net::shape> cubes;
  dims shape = first;
  shape[axis] = 0;
  for (std::size_t i = 0; i < c.inputs(); ++i) {
    const dims& s = shape_of(c.in[i]);
    dims other = s;
    if (s.size() == first.size()) other[axis] = first[axis];
    if (other != first)
      throw error(text("its inputs ", to_text(first), " and ", to_text(s), " do not fit"));
    shape[axis] += s[axis];
    cubes.push_back(channels       ? from_axis(s, axis, "concatenates")
                    : s.size() > 4 ? cube_around(s, axis)
                                   : cube_of(s));
    if (c.is_constant(i))
      parts.push_back(c.net.add(text(c.n.name(), "/constant", i),
                                net::constant{{cubes.back(), c.reals(i, "values")}}, {}));
    else
      parts.push_back(c.net.as_cube(c.tensor(i), cubes.back()));
  }
  if (channels) return {computed{c.net.add(c.n.name(), net::concat{}, parts), shape}};
  // [c, h, w] or [c, h], or [1, c, ..], whose last axis may be left out.
  const bool whole_cube = first.size() <= 3 && first[0] != 1;
  const bool columns = first.size() > 4 || axis == (whole_cube ? 2 : 3);
  return {computed{c.net.add(c.n.name(), net::stack(cubes, columns), parts), shape}};
}

inline std::vector<value> on_identity(const context& c) {
  c.require_inputs(1, 1);
  if (c.is_constant(0)) return {c.in[0]};
  const computed& x = c.tensor(0);
  return {computed{c.net.add(c.n.name(), net::identity{}, {x.node}), x.shape, x.from, x.moved_by}};
}
inline std::vector<value> on_dropout(const context& c) {
  c.require_inputs(1, 3);
  (void)c.n.number("ratio", 0.5F);
  (void)c.n.integer("seed", 0);
  if (c.n.opset() < 7) (void)c.n.flag("is_test", false);
  if (c.given(2) && (c.constant(2, "training modes").size() != 1 ||
                     c.constant(2, "training modes").number(0) != 0))
    throw error("its training mode is set, which is not supported");
  const computed& x = c.tensor(0);
  return {computed{c.net.add(c.n.name(), net::identity{}, {x.node}), x.shape, x.from, x.moved_by}};
}

// Transposed convolutions.

// One dimension: the padding that is cut off on both sides and what is added behind, where the
// model gives the size of the output instead.
struct cut_side {
  std::int64_t before = 0, after = 0, more = 0;
};
inline cut_side cut_to(std::int64_t whole, std::int64_t out, bool more_before) {
  if (out < 1) throw error(text("its output_shape has the dimension ", out));
  if (whole < out) return {0, 0, out - whole};
  const std::int64_t cut = whole - out;
  const std::int64_t before = more_before ? cut - cut / 2 : cut / 2;
  return {before, cut - before, 0};
}

// Top, left, bottom, right, as the file gives them.
inline dims pads_of_transposed(const context& c, const std::string& mode, std::size_t dimensions) {
  dims pads = c.n.integers("pads").value_or(dims(2 * dimensions, 0));
  if (pads.size() != 2 * dimensions)
    throw error(text("pads ", to_text(pads), " are not ", 2 * dimensions, " numbers"));
  if (dimensions == 1) pads = {pads[0], 0, pads[1], 0};
  if (mode != "NOTSET" && std::any_of(pads.begin(), pads.end(), [](auto p) { return p != 0; }))
    throw error("it gives both auto_pad and pads");
  if (std::any_of(pads.begin(), pads.end(), [](auto p) { return p < 0 || p > 65535; }))
    throw error(text("pads ", to_text(pads), " are not in 0 .. 65535"));
  return pads;
}

inline std::vector<value> on_conv_transpose(const context& c) {
  c.require_inputs(2, 3);
  const computed& x = c.tensor(0);
  require_picture(x.shape);
  const std::size_t dimensions = x.shape.size() - 2;
  const net::shape in = cube_of(x.shape);
  const dims w = filter_shape(c);
  const auto groups = c.n.integer("group", 1);
  if (w[0] != in.c || groups < 1)
    throw error(text("its weights ", to_text(w), " do not fit ", in.c, " channels in ", groups,
                     " groups"));
  // auto_pad has another meaning here than for other windows.
  const auto pair = [&](const char* name, std::int64_t otherwise) {
    dims d = c.n.integers(name).value_or(dims(dimensions, otherwise));
    if (d.size() > dimensions && std::string_view(name) == "output_shape")
      d.erase(d.begin(), d.end() - static_cast<std::ptrdiff_t>(dimensions));
    for (const auto v : d)
      if (v < 0 || v > 65535) throw error(text(name, ' ', to_text(d), " is not in 0 .. 65535"));
    return pair_of(d, name, dimensions, otherwise);
  };
  if (c.n.has("kernel_shape") && pair("kernel_shape", 1) != dims{w[2], w[3]})
    throw error(text("kernel_shape differs from the weights' ", to_text(w)));
  const dims strides = pair("strides", 1), dilations = pair("dilations", 1);
  dims more = pair("output_padding", 0);
  const auto mode = c.n.string("auto_pad", "NOTSET");
  if (mode != "NOTSET" && mode != "VALID" && mode != "SAME_UPPER" && mode != "SAME_LOWER")
    throw error(problem{.reason = "auto_pad '" + mode + "' is not understood",
                        .remedy = "NOTSET, VALID, SAME_UPPER and SAME_LOWER are"});
  dims pads = pads_of_transposed(c, mode, dimensions);
  const bool shaped = c.n.has("output_shape"), same = mode.starts_with("SAME");
  if (shaped || same) {
    const dims sizes{in.h, in.w};
    const dims out = shaped ? pair("output_shape", 1) : dims{in.h * strides[0], in.w * strides[1]};
    for (std::size_t i = 0; i < 2; ++i) {
      const std::int64_t whole =
          (sizes[i] - 1) * strides[i] + (w[i + 2] - 1) * dilations[i] + 1 + more[i];
      const auto side = cut_to(whole, out[i], mode != "SAME_UPPER");
      pads[i] = side.before;
      pads[i + 2] = side.after;
      more[i] += side.more;
    }
  }
  const auto i32 = [](std::int64_t v) { return as_int32(v, "a number of its window"); };
  net::deconvolution op{
      .kernels = as_int32(net::product({w[1], groups}), "its number of kernels"),
      .window = {.kernel_h = i32(w[2]), .kernel_w = i32(w[3]), .stride_h = i32(strides[0]),
                 .stride_w = i32(strides[1]), .pad_top = i32(pads[0]), .pad_left = i32(pads[1]),
                 .pad_bottom = i32(pads[2]), .pad_right = i32(pads[3]),
                 .dilation_h = i32(dilations[0]), .dilation_w = i32(dilations[1])},
      .more_h = i32(more[0]),
      .more_w = i32(more[1]),
      .groups = i32(groups)};
  (void)op.infer(std::span(&in, 1));
  op.weights = net::by_kernel(c.reals(1, "weights"), op, in);
  if (c.given(2)) op.bias = c.reals(2, "bias values");
  return as_picture(c, c.net.add(c.n.name(), std::move(op), {c.net.as_cube(x, in)}),
                    x.shape.size());
}

}  // namespace nvdlac::import::onnx_format
