// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/box.hpp>
#include <nvdlac/pass/large_window.hpp>
#include <nvdlac/pass/split_windows.hpp>

namespace nvdlac::pass {

NVDLAC_IMPL net::move split_windows::cut(net::shape to, std::int32_t row, std::int32_t column) {
  net::box b{.from = {0, row, column}};
  std::size_t used = 0;
  const auto loop = [&](std::int32_t count, net::position step) {
    if (count > 1) b.loops[used++] = {count, step, step};
  };
  loop(to.w, {0, 0, 1});
  loop(to.h, {0, 1, 0});
  loop(to.c, {1, 0, 0});
  return {.target = to, .boxes = std::vector{b}};
}

NVDLAC_IMPL std::vector<float> split_windows::weights_of(const net::convolution& whole,
                                                         pass::tap_range rows,
                                                         pass::tap_range columns) {
  std::vector<float> weights;
  const auto height = static_cast<std::size_t>(whole.window.kernel_h),
             width = static_cast<std::size_t>(whole.window.kernel_w);
  for (std::size_t plane = 0; plane < whole.weights.size(); plane += height * width)
    for (auto y = rows.first; y < rows.end; ++y)
      for (auto x = columns.first; x < columns.end; ++x)
        weights.push_back(whole.weights[plane + static_cast<std::size_t>(y) * width +
                                        static_cast<std::size_t>(x)]);
  return weights;
}

NVDLAC_IMPL net::convolution split_windows::part(const net::convolution& whole,
                                                 const pass::convolution_axes& axes, std::int64_t i,
                                                 std::int64_t j) {
  return {.kernels = whole.kernels, .window = axes.part(i, j), .groups = whole.groups,
          .weights = weights_of(whole, {axes.h.first_tap(i), axes.h.first_tap(i + 1)},
                                {axes.w.first_tap(j), axes.w.first_tap(j + 1)})};
}

NVDLAC_IMPL void split_windows::leave_idle_taps_out(net::convolution& c, net::shape in) {
  const net::window busy = pass::with_busy_taps(c.window, in);
  if (busy == c.window) return;
  c.weights = weights_of(c, pass::tap_range::busy(net::vertical(c.window), in.h),
                         pass::tap_range::busy(net::horizontal(c.window), in.w));
  c.window = busy;
}

}  // namespace nvdlac::pass
