// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/least_lanes.hpp>
#include <nvdlac/pass/compose_convolutions.hpp>

namespace nvdlac::pass {

namespace detail {

NVDLAC_IMPL bool is_point(const net::convolution& c) { return c.window == net::window{}; }

}  // namespace detail

NVDLAC_IMPL bool can_be_composed(const net::convolution& first, const net::convolution& second) {
  const bool has_bias = std::ranges::any_of(first.bias, [](float b) { return b != 0; });
  const auto& w = second.window;
  const bool pads = w.pad_top != 0 || w.pad_left != 0 || w.pad_bottom != 0 || w.pad_right != 0;
  return !first.relu && first.groups == 1 && second.groups == 1 &&
         (detail::is_point(second) || (detail::is_point(first) && !(pads && has_bias)));
}

NVDLAC_IMPL convolution_work convolution_work::of(const net::convolution& c, net::shape in) {
  const net::shape out = c.infer(std::array{in});
  const std::int32_t channels = (in.c + hw::least_lanes - 1) / hw::least_lanes * hw::least_lanes;
  const auto& w = c.window;
  return {net::product({out.h, out.w, c.kernels, channels, w.kernel_h, w.kernel_w}),
          net::product({c.kernels, channels, w.kernel_h, w.kernel_w})};
}

NVDLAC_IMPL net::convolution composed(const net::convolution& first,
                                      const net::convolution& second, net::shape in) {
  using detail::is_point;
  net::convolution both{.kernels = second.kernels,
                        .window = is_point(second) ? first.window : second.window,
                        .relu = second.relu};
  // weights[k][c][tap] is the sum over m of second[k][m][tap of second] times first[m][c][tap of
  // first], one of which has a single tap.
  const auto size = [](std::int32_t n) { return static_cast<std::size_t>(n); };
  const std::size_t kernels = size(both.kernels), middle = size(first.kernels);
  const std::size_t channels = size(in.c);
  const std::size_t taps = size(both.window.kernel_h) * size(both.window.kernel_w);
  const std::size_t of_first = is_point(second) ? taps : 1;
  const std::size_t of_second = is_point(second) ? 1 : taps;
  both.weights.reserve(kernels * channels * taps);
  for (std::size_t k = 0; k < kernels; ++k)
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t t = 0; t < taps; ++t) {
        double sum = 0;
        for (std::size_t m = 0; m < middle; ++m)
          sum += double{second.weights[(k * middle + m) * of_second + t % of_second]} *
                 double{first.weights[(m * channels + c) * of_first + t % of_first]};
        both.weights.push_back(static_cast<float>(sum));
      }
  if (first.bias.empty()) {
    both.bias = second.bias;
    return both;
  }
  for (std::size_t k = 0; k < kernels; ++k) {
    double sum = second.bias.empty() ? 0.0 : double{second.bias[k]};
    for (std::size_t m = 0; m < middle; ++m)
      for (std::size_t t = 0; t < of_second; ++t)
        sum += double{second.weights[(k * middle + m) * of_second + t]} * double{first.bias[m]};
    both.bias.push_back(static_cast<float>(sum));
  }
  return both;
}

}  // namespace nvdlac::pass
