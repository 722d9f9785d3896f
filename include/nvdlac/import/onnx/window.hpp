// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>

#include <nvdlac/error.hpp>
#include <nvdlac/import/onnx/canvas.hpp>
#include <nvdlac/import/onnx/node.hpp>
#include <nvdlac/net/shape.hpp>

namespace nvdlac::import::onnx_format {

// The window of a Conv or of a pool that slides over a picture of h x w, from kernel_shape (or
// `kernel`, if the attribute is missing), strides, dilations, pads and auto_pad.
inline net::window window_of(const node& n, dims kernel, net::shape in) {
  const auto pair = [&](const char* name, const dims& otherwise) {
    const dims d = n.integers(name).value_or(otherwise);
    if (d.size() != 2)
      throw error(problem{.reason = text(name, " ", to_text(d), " is not of two dimensions"),
                          .remedy = "windows over height and width are supported"});
    for (const auto v : d)
      if (v < 1 || v > 65535) throw error(text(name, " ", to_text(d), " is not in 1 .. 65535"));
    return d;
  };
  const dims given = kernel;
  kernel = pair("kernel_shape", kernel);
  if (!given.empty() && given != kernel)
    throw error(
        text("kernel_shape ", to_text(kernel), " differs from the weights' ", to_text(given)));
  const dims strides = pair("strides", {1, 1}), dilations = pair("dilations", {1, 1});
  const auto pads = n.integers("pads");
  const auto mode = n.string("auto_pad", "NOTSET");
  const bool zero = !pads || std::all_of(pads->begin(), pads->end(), [](auto p) { return p == 0; });
  dims p = pads.value_or(dims{0, 0, 0, 0});
  if (p.size() != 4) throw error(text("pads ", to_text(p), " are not four numbers"));
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

inline void widen(net::window& w, const padded& x) {
  w.pad_top += x.top;
  w.pad_left += x.left;
  w.pad_bottom += x.bottom;
  w.pad_right += x.right;
}

}  // namespace nvdlac::import::onnx_format
