// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <vector>

#include <nvdlac/arithmetic/fp16_mac.hpp>
#include <nvdlac/sim/rule.hpp>

// The arithmetic of fp16_mac.hpp for 16 kernels at a time: one pass of one pixel, added to the
// accumulators. NaNs are numbers here; who uses this looks for them beforehand.
//
// The accumulators are doubles: CACC's 40-bit mantissa is a significand of 39 bits that is rounded
// half away from zero, and its exponent never leaves the range of a double.

namespace nvdlac::sim {

inline constexpr std::size_t fp16_lane_count = 16;

// One data element of a pass that is not zero.
struct fp16_datum {
  std::uint16_t significand = 0;
  std::int16_t sign = 0;       // 0 or -1
  std::uint16_t index = 0;     // of the weights
  std::uint16_t exponent = 0;  // 4 * that of fp16_operand

  static constexpr fp16_datum of(const fp16_operand& x, std::size_t index) {
    return {static_cast<std::uint16_t>(x.significand),
            static_cast<std::int16_t>(x.negative ? -1 : 0), static_cast<std::uint16_t>(index),
            static_cast<std::uint16_t>(4 * x.exponent)};
  }
};

// The weights of 16 kernels that meet one data element.
struct alignas(16) fp16_weights {
  std::int16_t codes[fp16_lane_count]{};     // the Booth codes: twice the significand, inverted
                                             // if negative
  std::uint8_t exponents[fp16_lane_count]{};  // least_exponent + 4 * that of fp16_operand, or 0

  constexpr void set(std::size_t lane, std::uint16_t bits);
};

// Distinguishes zero weights: with any data they stay 32 below the exponent of others.
inline constexpr std::uint8_t least_exponent = 64;

constexpr void fp16_weights::set(std::size_t lane, std::uint16_t bits) {
  const fp16_operand w(bits);
  const auto doubled = static_cast<std::int16_t>(w.significand << 1);
  codes[lane] = static_cast<std::int16_t>(w.negative ? ~doubled : doubled);
  exponents[lane] = static_cast<std::uint8_t>(
      w.significand == 0 ? 0 : least_exponent + 4 * w.exponent);
}

// |products| < 2^28: so many fit 32 bits.
inline constexpr std::size_t fp16_narrow_sum = 7;

// One way to compute it.
struct fp16_way {
  using pairs = std::span<const fp16_datum>;  // each with the weights of its index

  // accumulators[lane] += the sum of the products.
  void (*accumulate)(pairs data, const fp16_weights* weights, double* accumulators);
  // The largest exponent of each lane, plus least_exponent.
  void (*top_exponents)(pairs data, const fp16_weights* weights, std::uint8_t* tops);
  // The sums of at most fp16_narrow_sum products at the places of `tops`.
  void (*sum)(pairs data, const fp16_weights* weights, const std::uint8_t* tops,
              std::int32_t* sums);
};

// One addition of CACC. `sum` is what the double addition gives; where it lost something the other
// way, it must not count as half.
inline double fp16_accumulated(double accumulator, double addend) {
  const double sum = accumulator + addend, part = sum - accumulator;
  const double lost = (accumulator - (sum - part)) + (addend - part);
  auto bits = std::bit_cast<std::uint64_t>(sum);
  if (lost != 0) bits -= (std::bit_cast<std::uint64_t>(lost) ^ bits) >> 63;
  return std::bit_cast<double>((bits + 0x2000) & ~std::uint64_t{0x3fff});
}

// mantissa * 2^(exponent - 50)
inline double fp16_pass_value(std::int64_t mantissa, int exponent) {
  const auto scale = static_cast<std::uint64_t>(exponent - 50 + 1023) << 52;
  return static_cast<double>(mantissa) * std::bit_cast<double>(scale);
}

// The accumulator's result for SDP: the bits of fp32, rounded half away from zero.
inline std::uint32_t fp16_result(double accumulator) {
  const auto bits = std::bit_cast<std::uint64_t>(accumulator);
  if (bits == 0) return 0;
  const auto magnitude = (bits & ~(std::uint64_t{1} << 63)) + (std::uint64_t{1} << 28);
  return static_cast<std::uint32_t>(bits >> 63 << 31) |
         static_cast<std::uint32_t>((magnitude >> 29) - (std::uint64_t{1023 - 127} << 23));
}

// The ways of this processor, the fastest first. All give the same bits.
const std::vector<fp16_way>& fp16_ways();

}  // namespace nvdlac::sim

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/sim/kernels/fp16_lanes.ipp>
#endif
