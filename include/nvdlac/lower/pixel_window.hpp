// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <nvdlac/hw/conv_window.hpp>
#include <nvdlac/hw/image_line.hpp>
#include <nvdlac/net/large_window.hpp>

namespace nvdlac::lower {

// The same convolution of pixels with a kernel that CONV computes: larger than its padding, and
// with lines that CSC reads right; the new taps are zeros. One of 32 columns always is.
constexpr net::window pixel_window(const hw::spec& hw, std::int32_t channels, net::window window,
                                   std::int32_t out_width) {
  net::window w = net::widened(window);
  const auto count = [](std::int32_t n) { return static_cast<std::uint64_t>(n); };
  while (w.kernel_w < hw::conv_kernel &&
         !hw::reads_image_lines(hw, count(channels * w.kernel_w), count(out_width)))
    ++w.kernel_w, ++w.pad_right;
  return w;
}

}  // namespace nvdlac::lower
