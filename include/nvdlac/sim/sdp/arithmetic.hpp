// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

#include <nvdlac/arithmetic/lut.hpp>
#include <nvdlac/base/fixed.hpp>

namespace nvdlac::sim {

// The integer arithmetic of SDP's sub-units, one element at a time.
enum class alu_algorithm : std::uint8_t { max, min, sum, equal };  // codes of BS_ALU_ALGO

// The operand of X1 and X2 after its left shift of 0..63.
constexpr std::int64_t sdp_x_operand(std::int32_t operand, int shift) {
  if (shift >= 32) return saturate<32>(operand * (std::int64_t{1} << 31));
  return saturate<32>(std::int64_t{operand} << shift);
}

// 33 bits for 32-bit inputs; the result of a comparison is 0 if equal.
constexpr std::int64_t sdp_alu(alu_algorithm a, std::int64_t x, std::int64_t operand) {
  switch (a) {
    case alu_algorithm::max: return std::max(x, operand);
    case alu_algorithm::min: return std::min(x, operand);
    case alu_algorithm::equal: return x != operand;
    default: return x + operand;
  }
}

// round_shift without a branch on the sign: |x| <= 2^62, 0 <= shift.
constexpr std::int64_t sdp_shift(std::int64_t x, int shift) {
  if (shift == 0) return x;
  if (shift > 62) return shift == 63 && x >> 62 == 1 ? 1 : 0;
  return (x + (std::int64_t{1} << (shift - 1)) - (x < 0)) >> shift;
}

// The multiplier of X1, X2 and Y with its shift. A bypassed multiplier of X1 and X2 has the
// operand 1 and still shifts. With PReLU, x >= 0 goes around both.
constexpr std::int32_t sdp_mul(std::int64_t x, std::int64_t operand, int shift, bool prelu) {
  const auto y = prelu && x >= 0 ? x : sdp_shift(x * operand, shift);
  return static_cast<std::int32_t>(saturate<32>(y));
}

constexpr std::int32_t relu(std::int32_t x) { return x > 0 ? x : 0; }

// The converter of Y's memory operands: (x - offset) * scale / 2^shift in 32 bits.
constexpr std::int32_t sdp_y_operand(const converter& c, std::int64_t x) {
  return static_cast<std::int32_t>(saturate<32>(sdp_shift((x - c.offset) * c.scale, c.shift)));
}

// The output converter: 17 bits, then those of the output.
constexpr std::int32_t sdp_convert(const converter& c, std::int64_t x) {
  return static_cast<std::int32_t>(saturate<17>(sdp_shift((x - c.offset) * c.scale, c.shift)));
}
constexpr std::int8_t sdp_output(const converter& c, std::int64_t x) {
  return static_cast<std::int8_t>(saturate<8>(sdp_convert(c, x)));
}
constexpr std::int16_t sdp_output_16(const converter& c, std::int64_t x) {
  return static_cast<std::int16_t>(saturate<16>(sdp_convert(c, x)));
}

// Whether the hardware counts the conversion of x as saturated: beyond 17 bits, negative numbers
// before they are rounded.
constexpr bool sdp_saturates(const converter& c, std::int64_t x) {
  const auto product = (x - c.offset) * c.scale;
  if (product < 0) return c.shift < 49 && product >> c.shift < -65536;
  return sdp_shift(product, c.shift) > 65535;
}

// The numbers that do not saturate: an interval around the offset.
struct sdp_interval {
  std::int32_t first = INT32_MIN, last = INT32_MAX;
  constexpr bool operator==(const sdp_interval&) const = default;
};

constexpr sdp_interval sdp_unsaturated(const converter& c) {
  const auto edge = [&](std::int64_t beyond) {
    std::int64_t in = c.offset;
    if (const auto end = beyond > in ? beyond - 1 : beyond + 1; !sdp_saturates(c, end)) return end;
    while (in - beyond > 1 || beyond - in > 1) {
      const auto middle = in + (beyond - in) / 2;
      (sdp_saturates(c, middle) ? beyond : in) = middle;
    }
    return in;
  };
  return {static_cast<std::int32_t>(edge(std::int64_t{INT32_MIN} - 1)),
          static_cast<std::int32_t>(edge(std::int64_t{INT32_MAX} + 1))};
}

}  // namespace nvdlac::sim
