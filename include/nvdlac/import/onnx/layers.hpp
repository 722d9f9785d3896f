// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/cube_builder.hpp>
#include <nvdlac/import/onnx/value.hpp>
#include <nvdlac/net/deconvolution.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::import::onnx_format {

// A list of one number for each dimension of a picture of one or two; a line is one column wide.
dims pair_of(const dims& d, const char* name, std::size_t dimensions, std::int64_t column = 1);

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
net::window widened(net::window w, const zeros& around);

// Operators that become layers of the network.

// An operator with a window takes pictures of two dimensions, or of one.
void require_picture(const dims& d);
void require_rank_4(const dims& d);

// The shape of a convolution's weights, transposed or not: [.., .., height, width], for pictures
// with that many dimensions.
dims filter_shape(const context& c);

// The whole cube of a fresh node as a picture with so many dimensions, the batch included.
std::vector<value> as_picture(const context& c, assembly::id node, std::size_t rank);

std::vector<value> convolved(const context& c, const std::string& layer);
std::vector<value> on_conv(const context& c);

std::vector<value> on_batch_normalization(const context& c);

std::vector<value> on_lrn(const context& c);

// A tensor seen as [axis, all behind it]; what is before the axis must be one.
net::shape from_axis(const dims& shape, std::size_t axis, const char* what);

// The cube of a tensor of more dimensions than a cube has: those from the axis on are the columns.
net::shape cube_around(const dims& shape, std::size_t axis);

// Rows of features, some of which are places of a cube whose channels are the features: those of
// all inputs become the lines of one cube. Nothing for other inputs, or another axis.
std::optional<computed> concat_of_tokens(const context& c, const dims& shape, std::size_t axis);
// The nodes of a concat along the first axis of more than one element, whose cubes would be other
// ones but are of equal heights and widths: their channels one behind the other are its elements in
// their order, also where tensors were stacked along an axis of their own. Nothing for vectors that
// are seen as maps: each may be made as one.
std::optional<std::vector<assembly::id>> parts_as_they_stand(const context& c, std::size_t axis);
std::vector<value> on_concat(const context& c);

std::vector<value> on_identity(const context& c);
std::vector<value> on_dropout(const context& c);

// Transposed convolutions.

// One dimension: the padding that is cut off on both sides and what is added behind, where the
// model gives the size of the output instead.
struct cut_side {
  std::int64_t before = 0, after = 0, more = 0;
};
cut_side cut_to(std::int64_t whole, std::int64_t out, bool more_before);

// Top, left, bottom, right, as the file gives them.
dims pads_of_transposed(const context& c, const std::string& mode, std::size_t dimensions);

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

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/layers.ipp>
#endif
