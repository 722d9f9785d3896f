// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers in fp16: the numbers as they are, rounded to the nearest, of two to the even one.
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <nvdlac/quant/convolution.hpp>

namespace nvdlac::quant {

// Bits of fp16. What rounds to more than the largest number, 65504, is an `error`.
std::int16_t half_bits(double x, std::string_view what);

template <class Values>
std::vector<std::int16_t> half_bits_of(const Values& values, std::string_view what) {
  std::vector<std::int16_t> bits;
  for (const auto x : values) bits.push_back(half_bits(static_cast<double>(x), what));
  return bits;
}

// The number that bits of fp16 are.
double of_half_bits(std::int16_t bits);

namespace detail {

// The multiplier of SDP for a kernel's sums; weights and bias are divided by it. 1, but for weights
// that are multiples of one step: they become integers, which fp16 has exactly, and the multiplier
// is the step or a part of it, the one with which fp16 loses the least.
double real_multiplier(std::span<const double> weights, double bias);

}  // namespace detail

quantised::convolution real_convolution(const real_filters& f);

// y[c] = factor[c] * x + bias[c], each of C or one number.
quantised::scale real_scale(std::span<const double> factor, std::span<const double> bias,
                            bool relu);

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/real_form.ipp>
#endif
