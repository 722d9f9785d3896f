// SPDX-License-Identifier: Apache-2.0
#pragma once
// Windows beyond what NVDLA's engines slide over their input, as smaller ones. The passes make the
// networks that these plans describe, and the predicate of what runs where judges their pieces.
#include <algorithm>
#include <cstdint>

#include <nvdlac/hw/conv_window.hpp>
#include <nvdlac/net/shape.hpp>
#include <nvdlac/net/sliding.hpp>

namespace nvdlac::net {

// The steps [a * b * n] as steps of a, of which every b-th is kept: a is the largest that an engine
// takes.
constexpr std::int64_t engine_stride(std::int64_t stride) {
  for (std::int64_t a = hw::conv_stride; a > 1; --a)
    if (stride % a == 0) return a;
  return 1;
}

// One dimension of a convolution whose stride or kernel is too large.
struct convolution_axis {
  sliding window{};    // what the convolution slides over `size` elements
  std::int64_t size = 0;
  std::int64_t out = 0;   // positions of the whole
  bool gathered = false;  // the windows stand beside each other in a copy of the input
  std::int64_t keep = 1;  // every so many positions is kept
  std::int64_t parts = 1;  // of the kernel

  static constexpr convolution_axis of(sliding s, std::int64_t size) {
    convolution_axis a{.window = s, .size = size, .out = s.positions(size, false)};
    if (s.stride > hw::conv_stride) {
      a.gathered = s.extent() <= hw::conv_stride;
      if (a.gathered) {
        a.size = a.out * s.extent();
        a.window = {s.kernel, s.extent(), 0, 0, s.dilation};
      } else {
        a.window.stride = engine_stride(s.stride);
        a.keep = s.stride / a.window.stride;
      }
    }
    a.parts = (s.kernel + hw::conv_kernel - 1) / hw::conv_kernel;
    return a;
  }

  constexpr bool whole() const { return !gathered && keep == 1 && parts == 1; }
  constexpr std::int64_t positions() const { return window.positions(size, false); }
  // The taps [first, end) of part n, which differ in number by at most one.
  constexpr std::int64_t first_tap(std::int64_t n) const { return window.kernel * n / parts; }
  // Elements that part n reads, and its padding.
  constexpr range read_by(std::int64_t n) const {
    const auto first = first_tap(n), taps = first_tap(n + 1) - first;
    return input_range(static_cast<std::int32_t>(size),
                       static_cast<std::int32_t>((taps - 1) * window.dilation + 1),
                       static_cast<std::int32_t>(window.stride),
                       static_cast<std::int32_t>(window.before - first * window.dilation), 0,
                       static_cast<std::int32_t>(positions()));
  }
};

struct convolution_axes {
  convolution_axis h, w;

  static constexpr convolution_axes of(const window& w, shape in) {
    return {convolution_axis::of(vertical(w), in.h), convolution_axis::of(horizontal(w), in.w)};
  }
  constexpr bool whole() const { return h.whole() && w.whole(); }
  // The window of part (i, j) on its piece of the input, and that piece.
  constexpr window part(std::int64_t i, std::int64_t j) const {
    const range rows = h.read_by(i), columns = w.read_by(j);
    const auto narrow = [](std::int64_t n) { return static_cast<std::int32_t>(n); };
    return {.kernel_h = narrow(h.first_tap(i + 1) - h.first_tap(i)),
            .kernel_w = narrow(w.first_tap(j + 1) - w.first_tap(j)),
            .stride_h = narrow(h.window.stride), .stride_w = narrow(w.window.stride),
            .pad_top = rows.pad_before, .pad_left = columns.pad_before,
            .pad_bottom = rows.pad_after, .pad_right = columns.pad_after,
            .dilation_h = narrow(h.window.dilation), .dilation_w = narrow(w.window.dilation)};
  }
  constexpr shape piece(std::int32_t channels, std::int64_t i, std::int64_t j) const {
    return {channels, h.read_by(i).count, w.read_by(j).count};
  }
};

}  // namespace nvdlac::net
