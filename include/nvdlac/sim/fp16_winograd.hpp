// SPDX-License-Identifier: Apache-2.0
#pragma once
// Winograd's arithmetic in fp16, F(2x2, 3x3): CSC transforms the data in fp17 (nvdla/hw, branch
// nvdlav1: cmod/hls/csc_libs/csc_cvt.cpp); CMAC transforms the integers of a pass's products.
// Matrices of 4x4 lie row by row.
#include <array>

#include <nvdlac/arithmetic/fp16_mac.hpp>
#include <nvdlac/sim/float_format.hpp>
#include <nvdlac/sim/winograd.hpp>

namespace nvdlac::sim {

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

}  // namespace nvdlac::sim
