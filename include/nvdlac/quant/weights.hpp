// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the weights of one filter become int8.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include <nvdlac/quant/ratio.hpp>

namespace nvdlac::quant {

// The integer up to `most` that the largest weight is where all weights are multiples of one step,
// as those of a network are that was quantised before; 0 where they are not.
inline double multiple_of_step(std::span<const double> weights, double largest, double most) {
  constexpr double least = 8, off = 0.02;  // no worse than the rounding to 127 steps
  for (double n = most; n >= least; --n)
    if (std::ranges::all_of(weights, [&](double w) {
          const double x = w / largest * n;
          return std::fabs(x - std::round(x)) < off;
        }))
      return n;
  return 0;
}

// The integer that the largest weight shall be: 127, or less where that loses nothing.
inline double integer_of_largest(std::span<const double> weights, double largest) {
  const double n = multiple_of_step(weights, largest, 127);
  return n > 0 ? n : 127;
}

// The weights in steps as integers whose sum over each channel is the nearest, too: neighbours in a
// picture are alike, so that errors of one sign would add up. The ones that change for it are those
// that were nearly rounded the other way.
inline void round_weights(std::span<const double> weights, std::size_t area,
                          std::span<std::int8_t> to) {
  if (area == 1) {
    for (std::size_t i = 0; i < weights.size(); ++i) to[i] = round8(weights[i]);
    return;
  }
  for (std::size_t first = 0; first < weights.size(); first += area) {
    double rest = 0;
    for (std::size_t i = first; i < first + area; ++i) {
      to[i] = round8(weights[i]);
      rest += weights[i] - to[i];
    }
    while (std::fabs(rest) > 0.5) {
      const int sign = rest > 0 ? 1 : -1;
      std::size_t nearest = weights.size();
      double most = 0;
      for (std::size_t i = first; i < first + area; ++i) {
        const double error = (weights[i] - to[i]) * sign;
        if (error > most && std::abs(to[i] + sign) <= 127) most = error, nearest = i;
      }
      if (nearest == weights.size()) break;
      to[nearest] = static_cast<std::int8_t>(to[nearest] + sign);
      rest -= sign;
    }
  }
}

}  // namespace nvdlac::quant
