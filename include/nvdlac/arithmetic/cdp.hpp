// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nvdlac/arithmetic/lut.hpp>

namespace nvdlac::arithmetic {

// The table lookup of CDP: 38-bit values, fractions of 16 bits.
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

// The arithmetic of CDP around its lookup table, one element at a time.

// (x - offset) * scale / 2^shift of CDP's input and output converters.
struct cdp_converter {
  std::int64_t offset = 0, scale = 1;
  int shift = 0;
  constexpr bool operator==(const cdp_converter&) const = default;
};

// The input converter: 9 bits for int8, 17 for int16.
template <int Bits>
constexpr std::int32_t cdp_input(const cdp_converter& c, std::int64_t x) {
  return static_cast<std::int32_t>(
      saturate<Bits + 1>(round_shift((x - c.offset) * c.scale, c.shift)));
}

struct cdp_result {
  std::int16_t value = 0;
  bool saturated = false;  // as D_OUT_SATURATION counts it
  constexpr bool operator==(const cdp_result&) const = default;
};

// The output converter. A value is counted as saturated if it lies more than 1 outside.
template <int Bits>
constexpr cdp_result cdp_output(const cdp_converter& c, std::int64_t r) {
  constexpr std::int64_t top = std::int64_t{1} << (Bits - 1);
  const auto product = (r - c.offset) * c.scale;
  const auto whole = product >> c.shift;
  // round_shift without a branch on the sign.
  const auto half = c.shift == 0 ? 0 : (std::int64_t{1} << (c.shift - 1)) - (product < 0);
  return {static_cast<std::int16_t>(saturate<Bits>((product + half) >> c.shift)),
          whole > top || whole < -top - 1};
}

// The sum of fp32 squares around `centre`, `reach` to both sides, in the order of the hardware.
constexpr fp32 cdp_sum(const fp32* centre, int reach) {
  auto sum = add(add(centre[-1], centre[1]), centre[0]);
  for (int i = 2; i <= reach; ++i) sum = add(sum, add(centre[-i], centre[i]));
  return sum;
}

// The product of an fp16 element and its table value. Without it NaNs pass the table by.
constexpr fp16 cdp_product(fp17 x, fp17 table, bool bypass) {
  if (bypass) return convert<fp16>(x.is_nan() ? x : table);
  return convert<fp16>(mul(x, table));
}

}  // namespace nvdlac::arithmetic
