// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <nvdlac/base/version.hpp>

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

}  // namespace nvdlac
