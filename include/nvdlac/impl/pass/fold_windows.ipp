// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/pass/fold_windows.hpp>

namespace nvdlac::pass {

namespace detail {

// a / b, rounded down.
constexpr std::int32_t floor_of(std::int32_t a, std::int32_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

}  // namespace detail

NVDLAC_IMPL bool folded_window::pays(const net::convolution& c, net::shape in) {
  constexpr std::int32_t least_taps = 49, most_channels = 8 / lines;
  const auto& w = c.window;
  const bool steps = w.stride_h != 1 || w.stride_w != 1 || w.dilation_h != 1 || w.dilation_w != 1;
  const bool keeps = w.pad_top + w.pad_bottom == w.kernel_h - 1 &&
                     w.pad_left + w.pad_right == w.kernel_w - 1;
  return !steps && keeps && c.groups == 1 && w.kernel_h * w.kernel_w >= least_taps &&
         in.c <= most_channels && c.kernels <= most_channels && in.h % lines == 0;
}

NVDLAC_IMPL folded_window folded_window::of(const net::convolution& c, net::shape in) {
  const auto size = [](std::int32_t n) { return static_cast<std::size_t>(n); };
  folded_window f;
  const std::int32_t channels = in.c * lines;
  f.fold = {.kernels = channels, .window = {.kernel_h = lines, .stride_h = lines}};
  f.fold.weights.assign(size(channels * in.c * lines), 0);
  for (std::int32_t k = 0; k < channels; ++k)
    f.fold.weights[size((k * in.c + k / lines) * lines + k % lines)] = 1;

  // Line p of a step of four lines sees line q of the one `step` further by tap
  // step * lines + q - p + pad_top.
  const auto& w = c.window;
  const std::int32_t first = detail::floor_of(-w.pad_top, lines);
  const std::int32_t last = detail::floor_of(w.kernel_h - 1 - w.pad_top + lines - 1, lines);
  f.window = {.kernels = c.kernels * lines,
              .window = {.kernel_h = last - first + 1, .kernel_w = w.kernel_w, .pad_top = -first,
                         .pad_left = w.pad_left, .pad_bottom = last, .pad_right = w.pad_right},
              .relu = c.relu};
  for (std::int32_t k = 0; k < f.window.kernels; ++k) {
    for (std::int32_t m = 0; m < channels; ++m)
      for (std::int32_t step = first; step <= last; ++step)
        for (std::int32_t x = 0; x < w.kernel_w; ++x) {
          const std::int32_t tap = step * lines + m % lines - k % lines + w.pad_top;
          const bool is_there = tap >= 0 && tap < w.kernel_h;
          const auto plane = k / lines * in.c + m / lines;
          f.window.weights.push_back(
              is_there ? c.weights[size((plane * w.kernel_h + tap) * w.kernel_w + x)] : 0);
        }
    if (!c.bias.empty()) f.window.bias.push_back(c.bias[size(k / lines)]);
  }
  f.unfold.target = {c.kernels, in.h, in.w};
  std::vector<net::box> boxes;
  for (std::int32_t p = 0; p < lines; ++p)
    boxes.push_back({.to = {0, p, 0},
                     .from = {p, 0, 0},
                     .loops = {{{c.kernels, {1, 0, 0}, {lines, 0, 0}},
                                {in.h / lines, {0, lines, 0}, {0, 1, 0}},
                                {in.w, {0, 0, 1}, {0, 0, 1}}}}});
  f.unfold.boxes = boxes;
  return f;
}

}  // namespace nvdlac::pass
