// SPDX-License-Identifier: Apache-2.0
#pragma once
// Windows that slide over a plane: their positions, shapes and the elements they read.
#include <algorithm>
#include <cstdint>
#include <utility>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// A window's numbers along one dimension.
struct sliding {
  std::int64_t kernel, stride, before, after, dilation;

  constexpr std::int64_t extent() const { return (kernel - 1) * dilation + 1; }

  constexpr std::int64_t padded(std::int64_t size) const { return before + size + after; }

  // How often the window, which is not larger, fits on `size` elements and their padding.
  // ceil: once more if elements remain, unless that last window would start behind the elements,
  // in the padding after them (the rule of Caffe, and of ONNX's and PyTorch's ceil_mode).
  constexpr std::int64_t positions(std::int64_t size, bool ceil) const {
    const std::int64_t rest = padded(size) - extent();
    std::int64_t result = rest / stride + 1;
    if (ceil && rest % stride != 0 && result * stride < size + before) ++result;
    return result;
  }

  // These windows with the padding after the elements that the last of `out` positions needs.
  constexpr sliding padded_for(std::int64_t size, std::int64_t out) const {
    sliding s = *this;
    s.after = std::max(after, (out - 1) * stride + extent() - size - before);
    return s;
  }
};

constexpr sliding vertical(const window& w) {
  return {w.kernel_h, w.stride_h, w.pad_top, w.pad_bottom, w.dilation_h};
}
constexpr sliding horizontal(const window& w) {
  return {w.kernel_w, w.stride_w, w.pad_left, w.pad_right, w.dilation_w};
}

// The shape of what a window that slides over `in` gives.
constexpr fitting fit_window(const window& w, shape in, std::int32_t channels, bool ceil = false) {
  for (const auto& s : {vertical(w), horizontal(w)}) {
    if (s.kernel < 1 || s.stride < 1 || s.dilation < 1) return rule::window_with_a_number_below_1;
    if (s.before < 0 || s.after < 0) return rule::window_with_a_negative_padding;
    if (std::max({s.kernel, s.stride, s.dilation, s.before, s.after}) > 65535)
      return rule::window_with_a_number_above_65535;
  }
  for (const auto& [s, size] : {std::pair{vertical(w), in.h}, {horizontal(w), in.w}})
    if (s.extent() > s.padded(size))
      return {rule::window_larger_than_the_padded_input, {s.extent(), s.padded(size)}};
  return fit_shape(channels, vertical(w).positions(in.h, ceil),
                   horizontal(w).positions(in.w, ceil));
}

// The windows with the padding behind the elements that the last positions of `out` need.
constexpr window padded_for(window w, shape in, shape out) {
  w.pad_bottom = static_cast<std::int32_t>(vertical(w).padded_for(in.h, out.h).after);
  w.pad_right = static_cast<std::int32_t>(horizontal(w).padded_for(in.w, out.w).after);
  return w;
}

// Lines (or columns) of an input of `size` that the outputs [first, first + count) read.
struct range {
  std::int32_t first = 0, count = 0;     // inside the input
  std::int32_t pad_before = 0, pad_after = 0;
};

constexpr range input_range(std::int32_t size, std::int32_t extent, std::int32_t stride,
                            std::int32_t pad, std::int32_t first, std::int32_t count) {
  const std::int32_t begin = first * stride - pad;
  const std::int32_t end = (first + count - 1) * stride - pad + extent;
  const std::int32_t from = std::max<std::int32_t>(begin, 0), to = std::min(end, size);
  return {from, to - from, from - begin, end - to};
}

}  // namespace nvdlac::net
