// SPDX-License-Identifier: Apache-2.0
#pragma once
// The numbers of the hardware: fixed point, and counts of one kind of thing.
#include <nvdlac/base/version.hpp>

#include <compare>
#include <cstdint>

namespace nvdlac {

// NVDLA's fixed-point arithmetic, defined once for the integer reference, the quantiser and the
// simulator: every integer shift rounds half away from zero, then saturates.

// x clamped to a signed number of `Bits` bits.
template <int Bits>
constexpr std::int64_t saturate(std::int64_t x) {
  constexpr std::int64_t top = (std::int64_t{1} << (Bits - 1)) - 1;
  return x > top ? top : x < -top - 1 ? -top - 1 : x;
}

// x / 2^shift rounded half away from zero; |x| < 2^62, 0 <= shift.
constexpr std::int64_t round_shift(std::int64_t x, int shift) {
  if (shift <= 0) return x;
  if (shift > 62) return 0;
  const std::int64_t half = std::int64_t{1} << (shift - 1);
  return x >= 0 ? (x + half) >> shift : -((-x + half) >> shift);
}

// (x - offset) * scale / 2^shift: CDMA's input and SDP's output converter, saturated to 17 bits.
struct converter {
  std::int32_t offset = 0;
  std::int16_t scale = 1;
  std::uint8_t shift = 0;
  static constexpr void fields(auto&& field) {
    field("offset", &converter::offset);
    field("scale", &converter::scale);
    field("shift", &converter::shift);
  }

  constexpr bool operator==(const converter&) const = default;
  constexpr std::int32_t operator()(std::int64_t x) const {
    return static_cast<std::int32_t>(saturate<17>(round_shift((x - offset) * scale, shift)));
  }
};

// A count of one kind of thing. Counts of different things do not mix; `.n` is the only way out.
template <class Thing>
struct count {
  std::uint64_t n = 0;

  constexpr auto operator<=>(const count&) const = default;
  friend constexpr count operator+(count a, count b) { return {a.n + b.n}; }
  friend constexpr count operator-(count a, count b) { return {a.n - b.n}; }
  friend constexpr count operator*(count a, std::uint64_t times) { return {a.n * times}; }
  friend constexpr count round_up(count a, count to) { return {(a.n + to.n - 1) / to.n * to.n}; }
};

using bytes = count<struct byte_tag>;
using atoms = count<struct atom_tag>;
using entries = count<struct entry_tag>;  // CBUF entries
using banks = count<struct bank_tag>;     // CBUF banks

// ceil(a / b) for counts of plain integers.
constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }
constexpr std::uint64_t align_up(std::uint64_t a, std::uint64_t to) { return ceil_div(a, to) * to; }

}  // namespace nvdlac
