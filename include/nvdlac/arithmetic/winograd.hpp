// SPDX-License-Identifier: Apache-2.0
#pragma once
// Winograd's convolution of 3x3 kernels: what CSC makes of the data, and CMAC of its products.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <nvdlac/arithmetic/float_format.hpp>
#include <nvdlac/arithmetic/fp16_mac.hpp>
#include <nvdlac/base/fixed.hpp>

namespace nvdlac::arithmetic {

// Winograd's integer arithmetic, F(2x2, 3x3): tiles of 4x4 of the input, two apart, make 2x2
// outputs. Matrices of 4x4 lie row by row.
using tile = std::array<std::int64_t, 16>;

// The rows (or, transposed, the columns) of B^T d: of one line of four.
constexpr std::array<std::int64_t, 4> winograd_line(std::int64_t a, std::int64_t b, std::int64_t c,
                                                    std::int64_t d) {
  return {a - c, b + c, c - b, b - d};
}

// The most of PRA_TRUNCATE: CSC cuts two bits where the register says three
// (NV_NVDLA_CSC_dl.v, pra_truncate_w), although the C-model cuts three.
inline constexpr int most_input_truncate = 2;

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

// Winograd's arithmetic in fp16, F(2x2, 3x3): CSC transforms the data in fp17 (nvdla/hw, branch
// nvdlav1: cmod/hls/csc_libs/csc_cvt.cpp); CMAC transforms the integers of a pass's products.
// Matrices of 4x4 lie row by row.
namespace fp16_winograd {

using line = std::array<fp17, 4>;

constexpr line transform(const line& d) {
  return {sub(d[0], d[2]), add(d[1], d[2]), sub(d[2], d[1]), sub(d[1], d[3])};
}

}  // namespace fp16_winograd

// The input's tile as CSC multiplies it: B^T d B.
constexpr std::array<std::uint16_t, 16> fp16_winograd_input(
    const std::array<std::uint16_t, 16>& d) {
  using namespace fp16_winograd;
  line rows[4];
  for (std::size_t i = 0; i < 4; ++i) {
    line column{};
    for (std::size_t j = 0; j < 4; ++j) column[j] = convert<fp17>(fp16{d[j * 4 + i]});
    const auto transformed = transform(column);
    for (std::size_t j = 0; j < 4; ++j) rows[j][i] = transformed[j];
  }
  std::array<std::uint16_t, 16> v{};
  for (std::size_t j = 0; j < 4; ++j) {
    const auto row = transform(rows[j]);
    for (std::size_t i = 0; i < 4; ++i)
      v[j * 4 + i] = static_cast<std::uint16_t>(convert<fp16>(row[i]).bits);
  }
  return v;
}

// The pass over 4 channels of a tile, [position][channel], gives four outputs, line by line.
constexpr std::array<fp16_pass, 4> fp16_winograd_pass(std::span<const std::uint16_t, 64> data,
                                                      std::span<const std::uint16_t, 64> weights) {
  std::array<fp16_pass, 4> passes{};
  auto nan = first_nan(weights);
  if (nan == 0) nan = first_nan(data);
  for (auto& p : passes) p.nan = nan;
  if (nan != 0) return passes;
  const fp16_products products(data, weights);
  tile sums{};
  for (std::size_t i = 0; i < 64; ++i) sums[i / 4] += products.values[i];
  const auto mantissas = winograd_output(sums);
  for (std::size_t i = 0; i < 4; ++i)
    passes[i] = {.exponent = products.exponent, .mantissa = mantissas[i]};
  return passes;
}

}  // namespace nvdlac::arithmetic
