// SPDX-License-Identifier: Apache-2.0
#pragma once
// A transposed convolution as ordinary ones: the outputs that lie a stride apart see the same taps
// of the kernel, at each step one element of the input further.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include <nvdlac/net/box.hpp>
#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/deconvolution.hpp>
#include <nvdlac/net/sliding.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// One dimension of a phase, whose outputs are first, first + stride, ... `taps` of the kernel, the
// last one first, are those of a convolution; its results from `skip` on are the outputs.
struct phase_side {
  std::int32_t first = 0, count = 1;
  std::int32_t taps = 0, last_tap = 0, tap_step = 1;  // taps 0: nothing adds to these outputs
  std::int32_t dilation = 1, before = 0, after = 0, skip = 0;
};

constexpr std::vector<phase_side> phase_sides(const sliding& s, std::int32_t in,
                                              std::int32_t out) {
  const auto narrow = [](std::int64_t n) { return static_cast<std::int32_t>(n); };
  const std::int64_t common = std::gcd(s.stride, s.dilation);
  std::vector<phase_side> sides;
  for (std::int64_t first = 0; first < std::min<std::int64_t>(s.stride, out); ++first) {
    phase_side p{.first = narrow(first), .count = narrow((out - first + s.stride - 1) / s.stride),
                 .tap_step = narrow(s.stride / common), .dilation = narrow(s.dilation / common)};
    // Tap r adds input q + (first + before - r * dilation) / stride to output number q.
    std::int64_t nearest = 0, farthest = 0;
    for (std::int64_t r = 0; r < s.kernel; ++r) {
      const std::int64_t distance = first + s.before - r * s.dilation;
      if (distance % s.stride != 0) continue;
      if (p.taps++ == 0) farthest = distance / s.stride;
      nearest = distance / s.stride;
      p.last_tap = narrow(r);
    }
    p.before = narrow(std::max<std::int64_t>(-nearest, 0));
    p.skip = narrow(std::max<std::int64_t>(nearest, 0));
    p.after = narrow(std::max<std::int64_t>(p.count - 1 + farthest - (in - 1), 0));
    sides.push_back(p);
  }
  return sides;
}

// One of the convolutions and the outputs that it gives.
struct deconvolution_phase {
  phase_side rows{}, columns{};

  // Nothing but the bias is in these outputs.
  constexpr bool empty() const { return rows.taps == 0 || columns.taps == 0; }
  constexpr net::window window(shape in) const {
    if (empty())  // one tap of weight 0
      return {.pad_bottom = std::max<std::int32_t>(rows.count - in.h, 0),
              .pad_right = std::max<std::int32_t>(columns.count - in.w, 0)};
    return {.kernel_h = rows.taps, .kernel_w = columns.taps, .pad_top = rows.before,
            .pad_left = columns.before, .pad_bottom = rows.after, .pad_right = columns.after,
            .dilation_h = rows.dilation, .dilation_w = columns.dilation};
  }
  constexpr box results(const deconvolution& d, std::int32_t input) const {
    const bool skips = input >= 0 && !empty();
    return {.input = input, .to = {0, rows.first, columns.first},
            .from = {0, skips ? rows.skip : 0, skips ? columns.skip : 0},
            .loops = {{{d.kernels, {1, 0, 0}, {1, 0, 0}},
                       {rows.count, {0, d.window.stride_h, 0}, {0, 1, 0}},
                       {columns.count, {0, 0, d.window.stride_w}, {0, 0, 1}}}}};
  }
};

constexpr std::vector<deconvolution_phase> phases_of(const deconvolution& d, shape in) {
  const shape out = d.infer(std::array{in});
  std::vector<deconvolution_phase> phases;
  for (const auto& rows : phase_sides(vertical(d.window), in.h, out.h))
    for (const auto& columns : phase_sides(horizontal(d.window), in.w, out.w))
      phases.push_back({rows, columns});
  return phases;
}

// The convolution of a phase, with its part of the weights.
convolution convolution_of(const deconvolution& d, const deconvolution_phase& p, shape in);

}  // namespace nvdlac::net

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/net/deconvolution_phases.ipp>
#endif
