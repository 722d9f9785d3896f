// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/arithmetic/float_format.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/quant/convolution.hpp>
#include <nvdlac/quant/real_form.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL std::int16_t half_bits(double x, std::string_view what) {
  if (!(std::fabs(x) < 65520))
    throw error(problem{.reason = text("a ", what, " of ", x, " is beyond the range of fp16"),
                        .remedy = "compile for int8 or int16"});
  const arithmetic::fp32 wide{std::bit_cast<std::uint32_t>(static_cast<float>(x))};
  const arithmetic::fp16 tiny{};
  const auto narrow = std::fabs(x) < 0x1p-25 ? tiny : arithmetic::convert<arithmetic::fp16>(wide);
  return static_cast<std::int16_t>(narrow.bits);
}

NVDLAC_IMPL double of_half_bits(std::int16_t bits) {
  return quantised::value_of(net::half{static_cast<std::uint16_t>(bits)});
}

namespace detail {

NVDLAC_IMPL double real_multiplier(std::span<const double> weights, double bias) {
  double largest = 0;
  for (const double w : weights) largest = std::max(largest, std::fabs(w));
  const double n = largest > 0 ? multiple_of_step(weights, largest, 255) : 0;
  if (n == 0) return 1;
  const auto loss = [&](double multiplier) {
    const auto lost = [&](double x) {
      const double d = x - multiplier * of_half_bits(half_bits(x / multiplier, "weight"));
      return d * d;
    };
    double sum = lost(bias);
    for (const double w : weights) sum += lost(w);
    return sum;
  };
  double best = 1, least = loss(1);
  for (int parts = 1; n * parts <= 2048 && least > 0; ++parts) {
    int exponent = 0;
    const double part = 2 * std::frexp(largest / (n * parts), &exponent);  // 1 <= part < 2
    const double multiplier = of_half_bits(half_bits(part, "multiplier"));
    if (const double l = loss(multiplier); l < least) {
      best = multiplier;
      least = l;
    }
  }
  return best;
}

}  // namespace detail

NVDLAC_IMPL quantised::convolution real_convolution(const real_filters& f) {
  const auto kernels = static_cast<std::size_t>(f.kernels);
  quantised::convolution result{.kernels = f.kernels, .window = f.window, .groups = f.groups,
                                   .relu = f.relu, .winograd = f.winograd};
  std::vector<std::int16_t> weights, biases, multipliers;
  weights.reserve(f.weights.size());
  std::vector<double> kernel;
  for (std::size_t k = 0; k < kernels; ++k) {
    detail::gather(f, k, 1, kernel);
    const double bias = f.bias.empty() ? 0 : double{f.bias[k]};
    const double multiplier = detail::real_multiplier(kernel, bias);
    for (const double w : kernel) weights.push_back(half_bits(w / multiplier, "weight"));
    biases.push_back(half_bits(bias / multiplier, "bias"));
    multipliers.push_back(half_bits(multiplier, "multiplier"));
  }
  result.wide_weights = std::move(weights);
  result.bias = std::move(biases);
  result.multiplier = std::move(multipliers);
  return result;
}

NVDLAC_IMPL quantised::scale real_scale(std::span<const double> factor,
                                        std::span<const double> bias, bool relu) {
  const bool biased = std::any_of(bias.begin(), bias.end(), [](double b) { return b != 0; });
  quantised::scale result{.multiplier = half_bits_of(factor, "factor"), .relu = relu};
  if (biased) result.addend = half_bits_of(bias, "bias");
  return result;
}

}  // namespace nvdlac::quant
