// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <ostream>

#include <nvdlac/base/cpp20.hpp>

namespace nvdlac::net {

// A cube of one picture: channels x height x width, all at least 1. Batches are not part of a
// network: NVDLA processes one picture after the other.
struct shape {
  std::int32_t c = 1, h = 1, w = 1;
  static constexpr void fields(auto&& field) {
    field("c", &shape::c);
    field("h", &shape::h);
    field("w", &shape::w);
  }

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
  static constexpr void fields(auto&& field) {
    field("kernel_h", &window::kernel_h);
    field("kernel_w", &window::kernel_w);
    field("stride_h", &window::stride_h);
    field("stride_w", &window::stride_w);
    field("pad_top", &window::pad_top);
    field("pad_left", &window::pad_left);
    field("pad_bottom", &window::pad_bottom);
    field("pad_right", &window::pad_right);
    field("dilation_h", &window::dilation_h);
    field("dilation_w", &window::dilation_w);
  }

  constexpr bool operator==(const window&) const = default;
  // Input lines (columns) that one output line (column) spans.
  constexpr std::int32_t extent_h() const { return (kernel_h - 1) * dilation_h + 1; }
  constexpr std::int32_t extent_w() const { return (kernel_w - 1) * dilation_w + 1; }
};

}  // namespace nvdlac::net
