// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <bit>
#include <cstdint>

#include <nvdlac/arithmetic/float_format.hpp>
#include <nvdlac/base/fixed.hpp>
#include <nvdlac/base/units.hpp>

namespace nvdlac::arithmetic {

// The lookup tables that SDP's Y unit and CDP have: LE of 65 entries, exponential or linear, and
// LO of 257, linear. Here: the settings, where a value lies in a table, and which table answers.

// The entries as written: 16-bit integers, or the bits of fp16.
struct lut_tables {
  std::array<std::int16_t, 65> le{};
  std::array<std::int16_t, 257> lo{};
  constexpr bool operator==(const lut_tables&) const = default;
};

// How a table goes on beyond one of its ends: a slope of `scale` / 2^shift; shift -16..15. In fp16
// the scale is the bits of one, and there is no shift.
struct lut_slope {
  std::int16_t scale = 0;
  int shift = 0;
  static constexpr void fields(auto&& field) {
    field("scale", &lut_slope::scale);
    field("shift", &lut_slope::shift);
  }
  constexpr bool operator==(const lut_slope&) const = default;
};

// The domain of a table. In fp16 start and end are the bits of fp32.
struct lut_domain {
  std::int64_t start = 0, end = 0;
  int select = 0;  // linear tables: entries lie 2^select apart
  lut_slope underflow{}, overflow{};
  static constexpr void fields(auto&& field) {
    field("start", &lut_domain::start);
    field("end", &lut_domain::end);
    field("select", &lut_domain::select);
    field("underflow", &lut_domain::underflow);
    field("overflow", &lut_domain::overflow);
  }
  constexpr bool operator==(const lut_domain&) const = default;
};

struct lut_settings {
  bool exponential = true;  // LE: its entry i is of start + 2^(i + offset)
  int offset = 0;
  // Whether LO answers where both tables underflow, both overflow, or neither is to be preferred.
  bool underflow_lo = false, overflow_lo = false, hybrid_lo = false;
  lut_domain le{}, lo{};
  static constexpr void fields(auto&& field) {
    field("exponential", &lut_settings::exponential);
    field("offset", &lut_settings::offset);
    field("underflow_lo", &lut_settings::underflow_lo);
    field("overflow_lo", &lut_settings::overflow_lo);
    field("hybrid_lo", &lut_settings::hybrid_lo);
    field("le", &lut_settings::le);
    field("lo", &lut_settings::lo);
  }
  constexpr bool operator==(const lut_settings&) const = default;
};

enum class lut_region : std::uint8_t { underflow, hit, overflow };

// Where a value lies in a table: between entries `index` and index + 1, `fraction` / 2^F behind
// the first. Index and fraction are those of hits only.
struct lut_place {
  lut_region region = lut_region::underflow;
  std::uint32_t index = 0;
  std::uint64_t fraction = 0;
  constexpr bool operator==(const lut_place&) const = default;
};

// How often what happened in one layer.
struct lut_counts {
  std::uint64_t underflow = 0, overflow = 0, hybrid = 0, le_hit = 0, lo_hit = 0;
  constexpr bool operator==(const lut_counts&) const = default;
};

namespace lut {

inline constexpr std::int64_t le_last = 64, lo_last = 256;

constexpr lut_place hit(std::int64_t index, std::uint64_t fraction) {
  return {lut_region::hit, static_cast<std::uint32_t>(index), fraction};
}

// The low `bits` bits of x as a fraction of F bits, truncated.
template <int F>
constexpr std::uint64_t low_fraction(std::uint64_t x, int bits) {
  if (bits <= 0) return 0;
  const auto low = bits >= 64 ? x : x & ((std::uint64_t{1} << bits) - 1);
  if (bits <= F) return low << (F - bits);
  return bits - F >= 64 ? 0 : low >> (bits - F);
}

// d: distance from the start, less than 2^40.
template <int F>
constexpr lut_place linear(std::int64_t d, int select, std::int64_t last) {
  if (d <= 0) return {};
  if (select <= -9) return {lut_region::overflow};
  const auto index = select < 0 ? d << -select : select > 62 ? 0 : d >> select;
  if (index >= last) return {lut_region::overflow};
  return hit(index, low_fraction<F>(static_cast<std::uint64_t>(d), select));
}

template <int F>
constexpr lut_place exponential(std::int64_t d, int offset) {
  if (d <= 0) return {};
  const int log = floating::top_bit(static_cast<std::uint64_t>(d));
  if (log < offset) return {};
  if (log - offset >= le_last) return {lut_region::overflow};
  return hit(log - offset, low_fraction<F>(static_cast<std::uint64_t>(d), log));
}

constexpr bool is_positive(fp32 d) { return d.sign() == 0 && !d.is_zero() && !d.is_nan(); }

template <int F>
constexpr lut_place linear(fp32 d, int select, std::int64_t last) {
  if (!is_positive(d)) return {};
  const int power = d.exponent() - fp32::bias - select;  // of the leading one, in entries
  if (power >= 9) return {lut_region::overflow};
  const std::uint64_t m = d.fraction() | fp32::hidden;
  const auto index = power < 0 ? 0 : static_cast<std::int64_t>(m >> (23 - power));
  if (index >= last) return {lut_region::overflow};
  return hit(index, low_fraction<F>(m, 23 - power));
}

template <int F>
constexpr lut_place exponential(fp32 d, int offset) {
  if (!is_positive(d)) return {};
  const int log = d.exponent() - fp32::bias;
  if (log < offset) return {};
  if (log - offset >= le_last) return {lut_region::overflow};
  return hit(log - offset, low_fraction<F>(d.fraction(), 23));
}

// x / 2^shift in `Bits` bits: rounded half away from zero, exact for negative shifts. |x| < 2^62.
template <int Bits>
constexpr std::int64_t shift(std::int64_t x, int by) {
  if (by >= 0) return saturate<Bits>(round_shift(x, by));
  return saturate<Bits>(saturate<Bits + 1>(x) * (std::int64_t{1} << -by));
}

// Whether LO answers for a value at these places of the tables.
constexpr bool selects_lo(const lut_settings& s, lut_region le, lut_region lo) {
  if (le == lo && le == lut_region::underflow) return s.underflow_lo;
  if (le == lo && le == lut_region::overflow) return s.overflow_lo;
  const bool le_hit = le == lut_region::hit, lo_hit = lo == lut_region::hit;
  return le_hit == lo_hit ? s.hybrid_lo : lo_hit;
}

// The table that answers: where in it, its domain and its entries.
struct answer {
  bool is_lo;
  const lut_place& place;
  const lut_domain& domain;
  const std::int16_t* entries;

  // The entries around a hit, and those at the ends.
  constexpr std::int16_t below() const { return entries[place.index]; }
  constexpr std::int16_t above() const { return entries[place.index + 1]; }
  constexpr std::int16_t first() const { return entries[0]; }
  constexpr std::int16_t last() const { return entries[is_lo ? lo_last : le_last]; }
};

constexpr answer answer_of(const lut_settings& s, const lut_tables& t, const lut_place& le,
                           const lut_place& lo) {
  if (selects_lo(s, le.region, lo.region)) return {true, lo, s.lo, t.lo.data()};
  return {false, le, s.le, t.le.data()};
}

// SDP's counters: what the table that answers did, and every hit of either.
constexpr void count_sdp(lut_counts& c, lut_region le, lut_region lo, lut_region answer) {
  c.underflow += answer == lut_region::underflow;
  c.overflow += answer == lut_region::overflow;
  c.hybrid += answer == lut_region::hit;
  c.le_hit += le == lut_region::hit;
  c.lo_hit += lo == lut_region::hit;
}

// CDP's counters: each value counts once.
constexpr void count_cdp(lut_counts& c, lut_region le, lut_region lo) {
  const bool le_hit = le == lut_region::hit, lo_hit = lo == lut_region::hit;
  if (le == lo && !le_hit) ++(le == lut_region::underflow ? c.underflow : c.overflow);
  else if (le_hit == lo_hit) ++c.hybrid;
  else ++(le_hit ? c.le_hit : c.lo_hit);
}

constexpr fp16 half(std::int16_t bits) { return {static_cast<std::uint16_t>(bits)}; }
constexpr fp32 single(std::int64_t bits) { return {static_cast<std::uint32_t>(bits)}; }

// 2^power; SDP and CDP add it to the start of an exponential LE where it underflows.
constexpr fp32 power_of_two(int power) {
  if (power < -126) return {std::uint32_t{1} << (power + 149)};  // no less than 2^-128
  return fp32::of(0, power + fp32::bias, 0);
}

}  // namespace lut

// The table lookup of SDP's Y unit: 32-bit values, fractions of 35 bits.
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
