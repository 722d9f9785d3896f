// SPDX-License-Identifier: Apache-2.0
#pragma once
// A pooling of a whole height x width as poolings one after the other.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nvdlac/hw/any_map.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::pass {

// CONV takes the mean of a whole input of up to so many lines and columns at once: its weights fit
// the CBUF of every published configuration.
inline constexpr std::int32_t whole_mean = 16;

// The kernels, at most PDP's each and ascending, of the fewest poolings one after the other that
// reduce n elements to one; among these, those that pad the least.
constexpr std::vector<std::int32_t> pool_levels(std::int64_t n) {
  constexpr std::int64_t most = hw::any_map.pdp.kernel;
  if (n <= most) return {static_cast<std::int32_t>(n)};
  std::size_t count = 1;
  for (std::int64_t reach = most; reach < n; reach *= most) ++count;
  std::vector<std::int64_t> kernels(count, 1), best;
  std::int64_t best_product = -1;
  // All ascending sequences of `count` kernels, counted through like the digits of a number.
  while (true) {
    std::int64_t reach = 1;
    for (const std::int64_t k : kernels) reach *= k;
    if (reach >= n && (best_product < 0 || reach < best_product)) {
      best = kernels;
      best_product = reach;
    }
    std::size_t i = count;
    while (i > 0 && kernels[i - 1] == most) --i;
    if (i == 0) break;
    std::fill(kernels.begin() + static_cast<std::ptrdiff_t>(i) - 1, kernels.end(),
              kernels[i - 1] + 1);
  }
  std::vector<std::int32_t> result;
  for (const std::int64_t k : best) result.push_back(static_cast<std::int32_t>(k));
  return result;
}

// The poolings, and how many elements the windows hold together, zeros included.
struct whole_pooling {
  std::vector<net::pool> levels{};
  std::int64_t reach = 1;
};

// Zeros at the bottom and right fill the windows up; they do not change a maximum, and a mean is
// put right by the factor reach / elements. Small windows come first, so that later levels average
// the rounding of the first.
constexpr whole_pooling pool_in_levels(net::pool_kind kind, net::shape in) {
  auto heights = pool_levels(in.h), widths = pool_levels(in.w);
  const std::size_t count = std::max(heights.size(), widths.size());
  heights.insert(heights.begin(), count - heights.size(), 1);
  widths.insert(widths.begin(), count - widths.size(), 1);
  whole_pooling result;
  net::shape at = in;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t h = heights[i], w = widths[i];
    const net::shape to{in.c, (at.h + h - 1) / h, (at.w + w - 1) / w};
    result.levels.push_back({.kind = kind,
                             .window = {.kernel_h = h, .kernel_w = w, .stride_h = h, .stride_w = w,
                                        .pad_bottom = to.h * h - at.h,
                                        .pad_right = to.w * w - at.w},
                             .count_include_pad = true});
    result.reach *= std::int64_t{h} * w;
    at = to;
  }
  return result;
}

}  // namespace nvdlac::pass
