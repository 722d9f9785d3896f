// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/least_lanes.hpp>
#include <nvdlac/net/box.hpp>
#include <nvdlac/pass/fold_windows.hpp>

namespace nvdlac::pass {

namespace detail {

// a / b, rounded down.
constexpr std::int32_t floor_of(std::int32_t a, std::int32_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

}  // namespace detail

NVDLAC_IMPL net::convolution folding::fold(std::int32_t channels) {
  net::convolution select{.kernels = channels * lines,
                          .window = {.kernel_h = lines, .stride_h = lines}};
  const auto size = [](std::int32_t n) { return static_cast<std::size_t>(n); };
  select.weights.assign(size(select.kernels * channels * lines), 0);
  for (std::int32_t k = 0; k < select.kernels; ++k)
    select.weights[size((k * channels + k / lines) * lines + k % lines)] = 1;
  return select;
}

NVDLAC_IMPL net::move folding::unfold(net::shape to) {
  std::vector<net::box> boxes;
  for (std::int32_t line = 0; line < lines; ++line)
    boxes.push_back({.to = {0, line, 0},
                     .from = {line, 0, 0},
                     .loops = {{{to.c, {1, 0, 0}, {lines, 0, 0}},
                                {to.h / lines, {0, lines, 0}, {0, 1, 0}},
                                {to.w, {0, 0, 1}, {0, 0, 1}}}}});
  return {.target = to, .boxes = boxes};
}

NVDLAC_IMPL bool folding::is_unfolding(const net::move& m, net::shape in) {
  if (m.target.h % lines != 0 || of(m.target) != in) return false;
  bool is_back = true;
  for (const net::box& b : m.boxes) {
    if (b.input == net::box::filled) return false;
    net::for_each_element(b, [&](net::position to, net::position from) {
      is_back = is_back && from == net::position{to.c * lines + to.y % lines, to.y / lines, to.x};
    });
  }
  return is_back;
}

NVDLAC_IMPL net::convolution folding::select(std::int32_t channels, std::int32_t line) {
  net::convolution c{.kernels = channels};
  const std::int32_t folded = channels * lines;
  c.weights.assign(static_cast<std::size_t>(channels * folded), 0);
  for (std::int32_t k = 0; k < channels; ++k)
    c.weights[static_cast<std::size_t>(k * folded + k * lines + line)] = 1;
  return c;
}

NVDLAC_IMPL bool folded_window::pays(const net::convolution& c, net::shape in) {
  constexpr std::int32_t least_taps = 49, most_channels = hw::least_lanes / folding::lines;
  const auto& w = c.window;
  const bool steps = w.stride_h != 1 || w.stride_w != 1 || w.dilation_h != 1 || w.dilation_w != 1;
  const bool keeps = w.pad_top + w.pad_bottom == w.kernel_h - 1 &&
                     w.pad_left + w.pad_right == w.kernel_w - 1;
  return !steps && keeps && c.groups == 1 && w.kernel_h * w.kernel_w >= least_taps &&
         in.c <= most_channels && c.kernels <= most_channels && in.h % folding::lines == 0;
}

NVDLAC_IMPL net::convolution folded_window::of(const net::convolution& c, net::shape in) {
  const auto size = [](std::int32_t n) { return static_cast<std::size_t>(n); };
  constexpr std::int32_t lines = folding::lines;
  const std::int32_t channels = folding::of(in).c;
  // Line p of a step of four lines sees line q of the one `step` further by tap
  // step * lines + q - p + pad_top.
  const auto& w = c.window;
  const std::int32_t first = detail::floor_of(-w.pad_top, lines);
  const std::int32_t last = detail::floor_of(w.kernel_h - 1 - w.pad_top + lines - 1, lines);
  net::convolution folded{
      .kernels = c.kernels * lines,
      .window = {.kernel_h = last - first + 1, .kernel_w = w.kernel_w, .pad_top = -first,
                 .pad_left = w.pad_left, .pad_bottom = last, .pad_right = w.pad_right},
      .relu = c.relu};
  for (std::int32_t k = 0; k < folded.kernels; ++k) {
    for (std::int32_t m = 0; m < channels; ++m)
      for (std::int32_t step = first; step <= last; ++step)
        for (std::int32_t x = 0; x < w.kernel_w; ++x) {
          const std::int32_t tap = step * lines + m % lines - k % lines + w.pad_top;
          const bool is_there = tap >= 0 && tap < w.kernel_h;
          const auto plane = k / lines * in.c + m / lines;
          folded.weights.push_back(
              is_there ? c.weights[size((plane * w.kernel_h + tap) * w.kernel_w + x)] : 0);
        }
    if (!c.bias.empty()) folded.bias.push_back(c.bias[size(k / lines)]);
  }
  return folded;
}

}  // namespace nvdlac::pass
