// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/onnx/canvas.hpp>
#include <nvdlac/import/onnx/node.hpp>
#include <nvdlac/net/shape.hpp>

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

}  // namespace nvdlac::import::onnx_format
