// SPDX-License-Identifier: Apache-2.0
#pragma once
// The table lookup of SDP's Y unit: 32-bit values, fractions of 35 bits.
#include <nvdlac/arithmetic/lut.hpp>

namespace nvdlac::arithmetic {

namespace lut {

template <class Value>
constexpr lut_place sdp_le(const lut_settings& s, Value d) {
  return s.exponential ? exponential<35>(d, s.offset) : linear<35>(d, s.le.select, le_last);
}

// The line beyond an end of a table: through its last `entry` at `end`.
constexpr std::int32_t sdp_beyond(std::int64_t x, std::int64_t end, const lut_slope& slope,
                                  std::int64_t entry) {
  return static_cast<std::int32_t>(
      saturate<32>(entry + shift<32>((x - end) * slope.scale, slope.shift)));
}
constexpr fp32 sdp_beyond(fp32 x, fp32 end, const lut_slope& slope, std::int16_t entry) {
  const auto distance = convert<fp17>(sub(x, end));
  const auto rise = mul(distance, convert<fp17>(half(slope.scale)));
  return convert<fp32>(add(convert<fp17>(half(entry)), rise));
}

}  // namespace lut

// LUT(x) for int8 and int16.
constexpr std::int32_t sdp_lut(const lut_settings& s, const lut_tables& t, std::int32_t x,
                               lut_counts& counts) {
  const auto le = lut::sdp_le(s, x - s.le.start);
  const auto lo = lut::linear<35>(x - s.lo.start, s.lo.select, lut::lo_last);
  const auto at = lut::answer_of(s, t, le, lo);
  lut::count_sdp(counts, le.region, lo.region, at.place.region);
  switch (at.place.region) {
    case lut_region::underflow: {
      const bool biased = !at.is_lo && s.exponential && s.offset > 0 && s.offset < 32;
      const auto bias = biased ? std::int64_t{1} << s.offset : 0;
      return lut::sdp_beyond(x, at.domain.start + bias, at.domain.underflow, at.first());
    }
    case lut_region::overflow:
      return lut::sdp_beyond(x, at.domain.end, at.domain.overflow, at.last());
    default: break;
  }
  constexpr std::int64_t one = std::int64_t{1} << 35;
  const auto f = static_cast<std::int64_t>(at.place.fraction);
  return static_cast<std::int32_t>(saturate<32>(round_shift(
      at.below() * (one - f) + at.above() * f, 35)));
}

// LUT(x) for fp16: in fp32 up to the place in the table, then in fp17.
constexpr fp32 sdp_lut(const lut_settings& s, const lut_tables& t, fp32 x, lut_counts& counts) {
  const auto le = lut::sdp_le(s, sub(x, lut::single(s.le.start)));
  const auto lo =
      lut::linear<35>(sub(x, lut::single(s.lo.start)), s.lo.select, lut::lo_last);
  const auto at = lut::answer_of(s, t, le, lo);
  lut::count_sdp(counts, le.region, lo.region, at.place.region);
  switch (at.place.region) {
    case lut_region::underflow: {
      const auto bias = !at.is_lo && s.exponential ? lut::power_of_two(s.offset) : fp32{};
      return lut::sdp_beyond(x, add(lut::single(at.domain.start), bias), at.domain.underflow,
                             at.first());
    }
    case lut_region::overflow:
      // The bias, 0 here, is added too: it flushes what an addition flushes.
      return lut::sdp_beyond(x, add(lut::single(at.domain.end), fp32{}), at.domain.overflow,
                             at.last());
    default: break;
  }
  constexpr std::uint64_t one = std::uint64_t{1} << 35;
  const auto weight = at.place.fraction == 0 ? fp17::of(0, fp17::bias, 0)
                                             : from_fraction<fp17, 35>(one - at.place.fraction);
  const auto first = mul(weight, convert<fp17>(lut::half(at.below())));
  const auto second = mul(from_fraction<fp17, 35>(at.place.fraction),
                          convert<fp17>(lut::half(at.above())));
  return convert<fp32>(add(first, second));
}

}  // namespace nvdlac::arithmetic
