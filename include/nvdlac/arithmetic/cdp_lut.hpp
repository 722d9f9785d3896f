// SPDX-License-Identifier: Apache-2.0
#pragma once
// The table lookup of CDP: 38-bit values, fractions of 16 bits.
#include <nvdlac/arithmetic/lut.hpp>

namespace nvdlac::arithmetic {

namespace lut {

// An INDEX_SELECT as CDP reads it: 6 bits for int8, 7 for int16, 8 for fp16.
constexpr int cdp_select(int select, int bits) {
  const int sign = 1 << (bits - 1);
  return ((select & (2 * sign - 1)) ^ sign) - sign;
}

template <class Value>
constexpr lut_place cdp_le(const lut_settings& s, Value d) {
  return s.exponential ? exponential<16>(d, s.offset) : linear<16>(d, s.le.select, le_last);
}

constexpr std::int16_t cdp_beyond(std::int64_t distance, const lut_slope& slope,
                                  std::int64_t entry) {
  return static_cast<std::int16_t>(
      saturate<16>(entry + shift<18>(distance * slope.scale, slope.shift)));
}
constexpr fp17 cdp_beyond(fp32 distance, const lut_slope& slope, std::int16_t entry) {
  return add(mul(convert<fp17>(distance), convert<fp17>(half(slope.scale))),
             convert<fp17>(half(entry)));
}

}  // namespace lut

// LUT(x) for int8 and int16.
constexpr std::int16_t cdp_lut(const lut_settings& s, const lut_tables& t, std::int64_t x,
                               lut_counts& counts) {
  const auto le = lut::cdp_le(s, x - s.le.start);
  const auto lo = lut::linear<16>(x - s.lo.start, s.lo.select, lut::lo_last);
  const auto at = lut::answer_of(s, t, le, lo);
  lut::count_cdp(counts, le.region, lo.region);
  switch (at.place.region) {
    case lut_region::underflow: {
      // The sum of start and 2^offset has 39 bits.
      const bool biased = !at.is_lo && s.exponential && s.offset >= 0 && s.offset < 39;
      const auto bias = biased ? std::int64_t{1} << s.offset : 0;
      return lut::cdp_beyond(x - at.domain.start - bias, at.domain.underflow, at.first());
    }
    case lut_region::overflow:
      return lut::cdp_beyond(x - at.domain.end, at.domain.overflow, at.last());
    default: break;
  }
  const std::int64_t first = at.below(), second = at.above();
  const auto f = static_cast<std::int64_t>(at.place.fraction);
  return static_cast<std::int16_t>(
      saturate<16>(first + round_shift((second - first) * f, 16)));
}

// LUT(x) for fp16: in fp32 up to the place in the table, then in fp17.
constexpr fp17 cdp_lut(const lut_settings& s, const lut_tables& t, fp32 x, lut_counts& counts) {
  const auto le_distance = sub(x, lut::single(s.le.start));
  const auto lo_distance = sub(x, lut::single(s.lo.start));
  const auto le = lut::cdp_le(s, le_distance);
  const auto lo = lut::linear<16>(lo_distance, s.lo.select, lut::lo_last);
  const auto at = lut::answer_of(s, t, le, lo);
  lut::count_cdp(counts, le.region, lo.region);
  switch (at.place.region) {
    case lut_region::underflow: {
      if (at.is_lo || !s.exponential)
        return lut::cdp_beyond(at.is_lo ? lo_distance : le_distance, at.domain.underflow,
                               at.first());
      const auto bias = s.offset <= -127 ? fp32{} : lut::power_of_two(s.offset);
      return lut::cdp_beyond(sub(x, add(lut::single(at.domain.start), bias)), at.domain.underflow,
                             at.first());
    }
    case lut_region::overflow:
      return lut::cdp_beyond(sub(x, lut::single(at.domain.end)), at.domain.overflow,
                             at.last());
    default: break;
  }
  const auto first = lut::half(at.below()), second = lut::half(at.above());
  const auto rise = convert<fp17>(sub(convert<fp32>(second), convert<fp32>(first)));
  return add(mul(rise, from_fraction<fp17, 16>(at.place.fraction)), convert<fp17>(first));
}

}  // namespace nvdlac::arithmetic
