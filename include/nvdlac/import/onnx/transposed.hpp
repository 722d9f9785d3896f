// SPDX-License-Identifier: Apache-2.0
#pragma once
// Transposed convolutions.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/import/onnx/layers.hpp>
#include <nvdlac/net/deconvolution.hpp>

namespace nvdlac::import::onnx_format {

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
