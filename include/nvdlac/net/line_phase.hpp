// SPDX-License-Identifier: Apache-2.0
#pragma once
// Convolutions whose kernels have lines apart, by lines of the result that read the same lines.
#include <algorithm>
#include <cstdint>

#include <nvdlac/net/sliding.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// Every n-th line of the output, from `to` on, and those of the input that it reads, from `from`
// on: a convolution with this padding, whose taps are n times as close.
struct line_phase {
  std::int32_t from = 0, to = 0;
  std::int32_t lines_read = 1, lines = 1;
  std::int32_t above = 0, below = 0;

  // The phase that gives the lines from `to` on, of `in` lines and `out` of the result, for taps
  // that are a multiple of n = `step` lines apart.
  static constexpr line_phase of(std::int32_t in, std::int32_t out, const window& w,
                                 std::int32_t step, std::int32_t to) {
    const std::int32_t top = to - w.pad_top;  // the line of the first tap
    line_phase p{.from = (top % step + step) % step, .to = to};
    p.above = (p.from - top) / step;
    p.lines = (out - 1 - to) / step + 1;
    const std::int32_t extent = (w.kernel_h - 1) * (w.dilation_h / step) + 1;
    const std::int32_t wanted = p.lines - 1 + extent - p.above;
    p.lines_read = std::min(p.from < in ? (in - 1 - p.from) / step + 1 : 0, wanted);
    p.below = wanted - p.lines_read;
    return p;
  }
};

}  // namespace nvdlac::net
