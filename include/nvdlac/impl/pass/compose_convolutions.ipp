// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/pass/compose_convolutions.hpp>

namespace nvdlac::pass {

NVDLAC_IMPL std::optional<net::convolution> composed(const net::convolution& first,
                                                     const net::convolution& second,
                                                     net::shape in) {
  const auto is_point = [](const net::convolution& c) { return c.window == net::window{}; };
  const bool has_bias = std::ranges::any_of(first.bias, [](float b) { return b != 0; });
  const auto& w = second.window;
  const bool pads = w.pad_top != 0 || w.pad_left != 0 || w.pad_bottom != 0 || w.pad_right != 0;
  if (first.relu || first.groups != 1 || second.groups != 1 ||
      !(is_point(second) || (is_point(first) && !(pads && has_bias))))
    return std::nullopt;
  const net::shape between = first.infer(std::array{in});
  const net::shape out = second.infer(std::array{between});
  net::convolution both{.kernels = second.kernels,
                        .window = is_point(second) ? first.window : second.window,
                        .relu = second.relu};
  const auto products = [](const net::convolution& c, net::shape of, net::shape to) {
    return net::product({to.h, to.w, c.kernels, of.c, c.window.kernel_h, c.window.kernel_w});
  };
  const auto weights = [](const net::convolution& c, net::shape of) {
    return net::product({c.kernels, of.c, c.window.kernel_h, c.window.kernel_w});
  };
  constexpr std::int64_t most = 1 << 27;  // products of weights that are computed here
  if (weights(both, in) > most / first.kernels ||
      products(both, in, out) > products(first, in, between) + products(second, between, out) ||
      weights(both, in) > weights(first, in) + weights(second, between))
    return std::nullopt;
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
