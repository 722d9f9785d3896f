// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <ostream>

namespace nvdlac::net {

// A cube of one picture: channels x height x width, all at least 1. Batches are not part of a
// network: NVDLA processes one picture after the other.
struct shape {
  std::int32_t c = 1, h = 1, w = 1;

  constexpr bool operator==(const shape&) const = default;
  constexpr std::size_t size() const {
    return static_cast<std::size_t>(c) * static_cast<std::size_t>(h) * static_cast<std::size_t>(w);
  }
  // Position of an element in dense c-h-w order.
  constexpr std::size_t at(std::int32_t ci, std::int32_t y, std::int32_t x) const {
    return (static_cast<std::size_t>(ci) * static_cast<std::size_t>(h) +
            static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(w) +
           static_cast<std::size_t>(x);
  }
};

inline std::ostream& operator<<(std::ostream& out, shape s) {
  return out << s.c << 'x' << s.h << 'x' << s.w;
}

// A window that slides over height and width: of a convolution or of a pooling.
struct window {
  std::int32_t kernel_h = 1, kernel_w = 1;
  std::int32_t stride_h = 1, stride_w = 1;
  std::int32_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
  std::int32_t dilation_h = 1, dilation_w = 1;

  constexpr bool operator==(const window&) const = default;
  // Input lines (columns) that one output line (column) spans.
  constexpr std::int32_t extent_h() const { return (kernel_h - 1) * dilation_h + 1; }
  constexpr std::int32_t extent_w() const { return (kernel_w - 1) * dilation_w + 1; }
};

}  // namespace nvdlac::net
