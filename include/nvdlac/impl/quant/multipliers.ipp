// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/quant/multipliers.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL int shift_for(double largest) {
  int exponent = 0;
  std::frexp(largest, &exponent);
  int shift = 15 - exponent;
  if (std::ceil(std::ldexp(largest, shift)) > 32767) --shift;
  return std::clamp(shift, 0, highest_shift);
}

NVDLAC_IMPL std::int16_t round16(double x) {
  return static_cast<std::int16_t>(std::clamp(std::round(x), -32767.0, 32767.0));
}

NVDLAC_IMPL std::int8_t round8(double x) {
  const double clamped = std::clamp(x, -127.0, 127.0);
  return static_cast<std::int8_t>(clamped + std::copysign(0x1.fffffffffffffp-2, clamped));
}

NVDLAC_IMPL double largest_of(std::span<const float> values) {
  double top = 0;
  for (const float v : values) top = std::max(top, std::fabs(double{v}));
  return top;
}

NVDLAC_IMPL converter nearest_converter(double ratio) {
  const int shift = shift_for(std::min(ratio, 32767.0));
  return {.offset = 0, .scale = round16(std::ldexp(std::min(ratio, 32767.0), shift)),
          .shift = static_cast<std::uint8_t>(shift)};
}

NVDLAC_IMPL double ratio_of(const converter& c) {
  return std::ldexp(static_cast<double>(c.scale), -c.shift);
}

NVDLAC_IMPL void count_from(std::int32_t zero, double sum, converter& c) {
  c.offset = static_cast<std::int32_t>(std::llround(sum - zero / ratio_of(c)));
}

NVDLAC_IMPL std::vector<double> gains_of(const std::vector<double>& reach, double top) {
  constexpr double room = 1.25;
  std::vector<double> gain;
  for (const double r : reach)
    gain.push_back(std::exp2(std::clamp(std::ceil(std::log2(room * r / top)), -30.0, 0.0)));
  return gain;
}

}  // namespace nvdlac::quant
