// SPDX-License-Identifier: Apache-2.0
#pragma once
// Winograd's integer arithmetic, F(2x2, 3x3): tiles of 4x4 of the input, two apart, make 2x2
// outputs. Matrices of 4x4 lie row by row.
#include <array>
#include <cstdint>

#include <nvdlac/base/fixed.hpp>

namespace nvdlac::sim {

using tile = std::array<std::int64_t, 16>;

// The rows (or, transposed, the columns) of B^T d: of one line of four.
constexpr std::array<std::int64_t, 4> winograd_line(std::int64_t a, std::int64_t b, std::int64_t c,
                                                    std::int64_t d) {
  return {a - c, b + c, c - b, b - d};
}

// The input's tile as CSC multiplies it: B^T d B, rounded and saturated to Bits (PRA_TRUNCATE).
template <int Bits>
constexpr tile winograd_input(const tile& d, int truncate) {
  tile t{}, v{};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto column = winograd_line(d[i], d[4 + i], d[8 + i], d[12 + i]);
    for (std::size_t j = 0; j < 4; ++j) t[j * 4 + i] = column[j];
  }
  for (std::size_t j = 0; j < 4; ++j) {
    const auto row = winograd_line(t[j * 4], t[j * 4 + 1], t[j * 4 + 2], t[j * 4 + 3]);
    for (std::size_t i = 0; i < 4; ++i)
      v[j * 4 + i] = saturate<Bits>(round_shift(row[i], truncate));
  }
  return v;
}

// A^T m A: the four outputs, line by line.
constexpr std::array<std::int64_t, 4> winograd_output(const tile& m) {
  std::array<std::int64_t, 8> t{};
  for (std::size_t i = 0; i < 4; ++i) {
    t[i] = m[i] + m[4 + i] + m[8 + i];
    t[4 + i] = m[4 + i] - m[8 + i] - m[12 + i];
  }
  return {t[0] + t[1] + t[2], t[1] - t[2] - t[3], t[4] + t[5] + t[6], t[5] - t[6] - t[7]};
}

}  // namespace nvdlac::sim
