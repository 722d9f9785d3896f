// SPDX-License-Identifier: Apache-2.0
#pragma once
// Kernels of 3x3 as Winograd's mode of CONV multiplies them.
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/quantised/winograd.hpp>

namespace nvdlac::quant {

inline constexpr std::size_t kernel_of_3x3 = 9;
// Where a transformed kernel has a quarter of the sum of all its weights: what the mode multiplies
// an input by that is the same everywhere, of which there is four times as much in the tile.
inline constexpr std::size_t winograd_sum = 5;

// G g G^T of one channel.
inline std::array<double, quantised::winograd_taps> winograd_kernel(
    std::span<const double, kernel_of_3x3> g) {
  const auto line = [](double a, double b, double c) {
    return std::array{a, (a + b + c) / 2, (a - b + c) / 2, c};
  };
  std::array<std::array<double, 4>, 3> columns;
  for (std::size_t s = 0; s < 3; ++s) columns[s] = line(g[s], g[3 + s], g[6 + s]);
  std::array<double, quantised::winograd_taps> u{};
  for (std::size_t r = 0; r < 4; ++r) {
    const auto row = line(columns[0][r], columns[1][r], columns[2][r]);
    std::ranges::copy(row, u.begin() + static_cast<std::ptrdiff_t>(4 * r));
  }
  return u;
}

// Of all channels of a filter.
inline void transform_for_winograd(std::vector<double>& weights) {
  std::vector<double> result;
  result.reserve(weights.size() / kernel_of_3x3 * quantised::winograd_taps);
  for (std::size_t at = 0; at < weights.size(); at += kernel_of_3x3) {
    const auto u = winograd_kernel(
        std::span<const double, kernel_of_3x3>(weights.data() + at, kernel_of_3x3));
    result.insert(result.end(), u.begin(), u.end());
  }
  weights = std::move(result);
}

// How far CSC cuts the transformed input of integers, of which four elements make one: so none
// saturates.
inline constexpr int winograd_truncation = 2;

}  // namespace nvdlac::quant
