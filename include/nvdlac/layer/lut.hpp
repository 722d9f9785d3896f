// SPDX-License-Identifier: Apache-2.0
#pragma once
// The lookup tables that SDP's Y unit and CDP have: LE of 65 entries, exponential or linear, and
// LO of 257, linear.
#include <array>
#include <cstdint>

namespace nvdlac::layer {

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
  constexpr bool operator==(const lut_slope&) const = default;
};

// The domain of a table. In fp16 start and end are the bits of fp32.
struct lut_domain {
  std::int64_t start = 0, end = 0;
  int select = 0;  // linear tables: entries lie 2^select apart
  lut_slope underflow{}, overflow{};
  constexpr bool operator==(const lut_domain&) const = default;
};

struct lut_settings {
  bool exponential = true;  // LE: its entry i is of start + 2^(i + offset)
  int offset = 0;
  // Whether LO answers where both tables underflow, both overflow, or neither is to be preferred.
  bool underflow_lo = false, overflow_lo = false, hybrid_lo = false;
  lut_domain le{}, lo{};
  constexpr bool operator==(const lut_settings&) const = default;
};

// What software writes before layers that look up.
struct lut {
  lut_settings settings{};
  lut_tables tables{};
  constexpr bool operator==(const lut&) const = default;
};

}  // namespace nvdlac::layer
