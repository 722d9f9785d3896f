// SPDX-License-Identifier: Apache-2.0
#pragma once
// Positive real factors as NVDLA's converters hold them: a 16-bit multiplier and a right shift.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quant {

using quantised::round_to, quantised::top_of;

// Products in SDP stay below 2^49 and its shifts below 64; a shift above 50 yields zero anyway.
inline constexpr int highest_shift = 50;

// The shift, 0 .. highest_shift, that brings `largest` into [2^14, 2^15) without reaching 2^15 when
// it is rounded up. A number of 2^15 or more keeps shift 0 and does not fit.
inline int shift_for(double largest) {
  int exponent = 0;
  std::frexp(largest, &exponent);
  int shift = 15 - exponent;
  if (std::ceil(std::ldexp(largest, shift)) > 32767) --shift;
  return std::clamp(shift, 0, highest_shift);
}

// x rounded half away from zero and clamped to +-32767.
inline std::int16_t round16(double x) {
  return static_cast<std::int16_t>(std::clamp(std::round(x), -32767.0, 32767.0));
}
// std::round is a function call on many processors, and all weights come here: cutting off what is
// behind the point gives the same after the largest number below a half is added.
inline std::int8_t round8(double x) {
  const double clamped = std::clamp(x, -127.0, 127.0);
  return static_cast<std::int8_t>(clamped + std::copysign(0x1.fffffffffffffp-2, clamped));
}

// The largest magnitude.
inline double largest_of(std::span<const float> values) {
  double top = 0;
  for (const float v : values) top = std::max(top, std::fabs(double{v}));
  return top;
}

// The converter nearest to a positive `ratio`. From 32767 on every integer but 0 saturates an int8
// either way.
inline converter nearest_converter(double ratio) {
  const int shift = shift_for(std::min(ratio, 32767.0));
  return {.offset = 0, .scale = round16(std::ldexp(std::min(ratio, 32767.0), shift)),
          .shift = static_cast<std::uint8_t>(shift)};
}
inline double ratio_of(const converter& c) {
  return std::ldexp(static_cast<double>(c.scale), -c.shift);
}

// The least ratio with which a converter can count from another integer than 0: its offset has 32
// bits.
inline constexpr double least_ratio = 0x1p-23;

// Makes the converter give the integer `zero` for `sum`.
inline void count_from(std::int32_t zero, double sum, converter& c) {
  c.offset = static_cast<std::int32_t>(std::llround(sum - zero / ratio_of(c)));
}

}  // namespace nvdlac::quant
