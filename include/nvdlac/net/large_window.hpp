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

// Rings of zero taps that a kernel needs above and below (left and right) to reach over a padding
// that is as large as itself: CONV pads by less than its kernel.
constexpr std::int32_t zero_rings(const sliding& s) {
  const auto missing = std::max(s.before, s.after) - s.extent() + 1;
  return missing <= 0 ? 0 : static_cast<std::int32_t>((missing + s.dilation - 1) / s.dilation);
}

// The same convolution with a kernel that is larger than its padding; the new taps are zeros.
constexpr window widened(window w) {
  const auto h = zero_rings(vertical(w)), v = zero_rings(horizontal(w));
  w.kernel_h += 2 * h;
  w.kernel_w += 2 * v;
  w.pad_top += h * w.dilation_h;
  w.pad_bottom += h * w.dilation_h;
  w.pad_left += v * w.dilation_w;
  w.pad_right += v * w.dilation_w;
  return w;
}

// How the input of a convolution is copied, along one dimension, so that an engine can read it.
enum class window_copy : std::uint8_t {
  none,
  taps,    // those of each window beside each other
  padded,  // with the padding
};

// One dimension of a convolution whose kernel, stride, dilation or padding is too large.
struct convolution_axis {
  sliding window{};    // what the convolution slides over `size` elements
  std::int64_t size = 0;
  std::int64_t out = 0;   // positions of the whole
  window_copy copy = window_copy::none;
  std::int64_t keep = 1;  // every so many positions is kept
  std::int64_t parts = 1;  // of the kernel

  static constexpr convolution_axis of(sliding s, std::int64_t size) {
    convolution_axis a{.window = s, .size = size, .out = s.positions(size, false)};
    const bool far = s.stride > hw::conv_stride || s.dilation > hw::conv_dilation;
    a.parts = (s.kernel + hw::conv_kernel - 1) / hw::conv_kernel;
    if (far && s.kernel <= hw::conv_stride) {
      a.copy = window_copy::taps;
      a.size = a.out * s.kernel;
      a.window = {s.kernel, s.kernel, 0, 0, 1};
      return a;
    }
    if (s.stride > hw::conv_stride) {
      a.window.stride = engine_stride(s.stride);
      a.keep = s.stride / a.window.stride;
    }
    if (!can_pad(s, a.parts)) {
      a.copy = window_copy::padded;
      a.size = s.padded(size);
      a.window.before = a.window.after = 0;
      a.size = (a.positions() - 1) * a.window.stride + a.window.extent();  // what is read
    }
    return a;
  }

  // Whether the engine pads for the window, or for each part of its kernel.
  static constexpr bool can_pad(sliding s, std::int64_t parts) {
    s.kernel /= parts;  // of the smallest
    const auto rings = zero_rings(s);
    return (parts == 1 ? s.kernel + 2 * rings <= hw::conv_kernel : rings == 0) &&
           s.before + rings * s.dilation <= hw::conv_pad_before &&
           s.after + rings * s.dilation <= hw::conv_pad_after;
  }

  // The element of the input that element i of the copy is, for the window s of the whole.
  constexpr std::int64_t source(sliding s, std::int64_t i) const {
    switch (copy) {
      case window_copy::none: return i;
      case window_copy::taps: return i / s.kernel * s.stride - s.before + i % s.kernel * s.dilation;
      case window_copy::padded: return i - s.before;
    }
    return i;
  }

  constexpr bool whole() const { return copy == window_copy::none && keep == 1 && parts == 1; }
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
  constexpr bool copied() const {
    return h.copy != window_copy::none || w.copy != window_copy::none;
  }
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
