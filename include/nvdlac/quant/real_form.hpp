// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers in fp16: the numbers as they are, rounded to the nearest, of two to the even one.
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
#include <nvdlac/error.hpp>
#include <nvdlac/net/integer/operators.hpp>
#include <nvdlac/quant/convolution.hpp>

namespace nvdlac::quant {

// Bits of fp16. What rounds to more than the largest number, 65504, is an `error`.
inline std::int16_t half_bits(double x, std::string_view what) {
  if (!(std::fabs(x) < 65520))
    throw error(problem{.reason = text("a ", what, " of ", x, " is beyond the range of fp16"),
                        .remedy = "compile for int8 or int16"});
  const arithmetic::fp32 wide{std::bit_cast<std::uint32_t>(static_cast<float>(x))};
  const arithmetic::fp16 tiny{};
  const auto narrow = std::fabs(x) < 0x1p-25 ? tiny : arithmetic::convert<arithmetic::fp16>(wide);
  return static_cast<std::int16_t>(narrow.bits);
}

template <class Values>
std::vector<std::int16_t> half_bits_of(const Values& values, std::string_view what) {
  std::vector<std::int16_t> bits;
  for (const auto x : values) bits.push_back(half_bits(static_cast<double>(x), what));
  return bits;
}

inline net::integer::convolution real_convolution(const real_filters& f) {
  const auto kernels = static_cast<std::size_t>(f.kernels);
  auto bias = half_bits_of(f.bias, "bias");
  bias.resize(kernels, 0);
  return {.kernels = f.kernels, .window = f.window, .groups = f.groups,
          .wide_weights = half_bits_of(f.weights, "weight"), .bias = std::move(bias),
          .multiplier = std::vector<std::int16_t>(kernels, hw::one(hw::precision::fp16)),
          .relu = f.relu};
}

// y[c] = factor[c] * x + bias[c], each of C or one number.
inline net::integer::scale real_scale(std::span<const double> factor, std::span<const double> bias,
                                      bool relu) {
  const bool biased = std::any_of(bias.begin(), bias.end(), [](double b) { return b != 0; });
  net::integer::scale result{.multiplier = half_bits_of(factor, "factor"), .relu = relu};
  if (biased) result.addend = half_bits_of(bias, "bias");
  return result;
}

}  // namespace nvdlac::quant
