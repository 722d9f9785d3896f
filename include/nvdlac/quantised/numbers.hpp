// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <nvdlac/arithmetic/float_format.hpp>
#include <nvdlac/base/fixed.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::quantised {

// Marks this namespace's operators, by argument-dependent lookup, as ones whose rules have a header
// of their own: lower/support_integer.hpp.
template <class Op>
void has_rules_of_integers(const Op&);

// The elements of tensors as SDP has them inside: integers of 32 bits, or fp32 of fp16.
using arithmetic::fp16;
using arithmetic::fp17;
using arithmetic::fp32;

template <class T>
inline constexpr bool is_real = std::is_same_v<T, net::half>;

constexpr fp32 widened(net::half x) { return arithmetic::convert<fp32>(fp16{x.bits}); }
// A 16-bit operand.
constexpr fp32 widened(std::int16_t bits) {
  return widened(net::half{static_cast<std::uint16_t>(bits)});
}

// The real value of a number.
constexpr double value_of(std::int16_t x) { return x; }
constexpr double value_of(net::half x) { return double{std::bit_cast<float>(widened(x).bits)}; }

// The number that SDP writes: after ReLU, if there is one, and the converter, which fp16 has not.
template <class T>
constexpr T written(std::int64_t y, bool relu, const converter& out = {}) {
  return static_cast<T>(saturate<8 * sizeof(T)>(out(relu ? std::max<std::int64_t>(y, 0) : y)));
}
constexpr net::half written(fp32 y, bool relu) {
  const auto narrow = arithmetic::convert<fp16>(relu ? arithmetic::relu(y) : y);
  return {static_cast<std::uint16_t>(narrow.bits)};
}

// Quantised numbers are used from -top to top.
constexpr double top_of(hw::precision p) { return p == hw::precision::int8 ? 127 : 32767; }
// x rounded half away from zero and clamped to +-top.
std::int16_t round_to(double x, double top);

// The numbers for no bound: as bits of fp16 they are no bounds either, -0 and a NaN.
inline constexpr std::int16_t no_low = -32768, no_high = 32767;

constexpr std::int64_t bounded(std::int64_t x, std::int16_t low, std::int16_t high) {
  if (low != no_low) x = std::max<std::int64_t>(x, low);
  return high != no_high ? std::min<std::int64_t>(x, high) : x;
}
constexpr fp32 bounded(fp32 x, std::int16_t low, std::int16_t high) {
  if (low != no_low) x = arithmetic::max(x, widened(low));
  return high != no_high ? arithmetic::min(x, widened(high)) : x;
}

// Real values of tensors and the numbers that a program takes and gives for them.

// Throws nvdlac::error for values of an input of this name that are NaN or infinite.
void require_finite(const net::float_tensor& t, const std::string& input);

// The nearest numbers; beyond the largest of them, that. No value is NaN. A step of channel c is
// worth gain[c] * scale, without gains the scale alone.
net::any_tensor numbers_of(const net::float_tensor& t, double scale, hw::precision p,
                           std::span<const double> gain = {});

// Integers count from `zero`.
net::float_tensor real_of(const net::any_tensor& t, double scale, std::int32_t zero = 0,
                          std::span<const double> gain = {});

}  // namespace nvdlac::quantised

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quantised/numbers.ipp>
#endif
