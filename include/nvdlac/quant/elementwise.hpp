// SPDX-License-Identifier: Apache-2.0
#pragma once
// Integer forms of per-channel scaling, addition and concatenation.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/net/integer/operators.hpp>
#include <nvdlac/quant/ratio.hpp>

namespace nvdlac::quant {

// y[c] = factor[c] * x + bias[c], each of C or one number.
inline net::integer::scale quantise_scale(std::span<const double> factor,
                                          std::span<const double> bias, bool relu, double in_scale,
                                          double out_scale) {
  const std::size_t n = std::max(factor.size(), bias.size());
  std::vector<double> f(n), b(n);  // in steps of the output
  double top_f = 0, top_b = 0;
  for (std::size_t c = 0; c < n; ++c) {
    f[c] = factor[factor.size() == 1 ? 0 : c] * (in_scale / out_scale);
    b[c] = bias.empty() ? 0 : bias[bias.size() == 1 ? 0 : c] / out_scale;
    // A factor that saturates for every x but 0 may be cut to one that still does, and so may a
    // bias that saturates for every x.
    f[c] = std::clamp(f[c], -2 * std::fabs(b[c]) - 130, 2 * std::fabs(b[c]) + 130);
    const double reach = 130 + 129 * std::fabs(f[c]);
    b[c] = std::clamp(b[c], -reach, reach);
    top_f = std::max(top_f, std::fabs(f[c]));
    top_b = std::max(top_b, std::fabs(b[c]));
  }
  // One unit of the sum: the largest factor has 15 bits, the largest bias 30.
  const double unit = std::max({top_f / 32000, std::ldexp(top_b, -30), 1e-290});
  net::integer::scale result{.relu = relu, .out = nearest_converter(unit)};
  const double exact = unit > 32767 || result.out.scale == 0 ? unit : ratio_of(result.out);
  while (std::ldexp(top_b / exact, -result.addend_shift) > 32767) ++result.addend_shift;
  for (std::size_t c = 0; c < n; ++c) {
    result.multiplier.push_back(round16(f[c] / exact));
    if (top_b > 0) result.addend.push_back(round16(std::ldexp(b[c] / exact, -result.addend_shift)));
  }
  const auto uniform = [](auto& v) {
    if (std::all_of(v.begin(), v.end(), [&](auto x) { return x == v[0]; }) && !v.empty())
      v.resize(1);
  };
  uniform(result.multiplier);
  uniform(result.addend);
  return result;
}

// a + b where a's scale is the larger one.
inline net::integer::add quantise_add(double scale_a, double scale_b, bool relu, double out_scale) {
  net::integer::add result{.relu = relu};
  if (scale_a / scale_b > 32767) {
    // b is far finer than a. Either one step of a saturates the output beside b, and a may count
    // for less; or all of b is less than a step of the output, and b may count for more.
    if (scale_b * 32767 >= 256 * out_scale)
      scale_a = scale_b * 32767;
    else
      scale_a = std::min(scale_a, 256 * out_scale), scale_b = scale_a / 32767;
  }
  const int shift = std::min(shift_for(scale_a / scale_b), 14);
  result.operand_shift = static_cast<std::uint8_t>(shift);
  result.multiplier = round16(std::ldexp(scale_a / scale_b, shift));
  result.out = nearest_converter(std::ldexp(scale_b / out_scale, -shift));
  return result;
}

// Inputs that have the output's scale are copied, the others rescaled.
inline net::integer::concat quantise_concat(std::span<const double> in_scales, double out_scale) {
  net::integer::concat result;
  const auto same = [](double r) { return std::fabs(r - 1) < 1e-9; };  // but for its rounding
  std::vector<double> ratio;
  double top = 0;
  for (const double s : in_scales) {
    // Every integer but 0 saturates from a ratio of 128 on.
    ratio.push_back(std::min(s / out_scale, 128.0));
    if (!same(ratio.back())) top = std::max(top, ratio.back());
  }
  const int shift = top > 0 ? shift_for(top) : 0;
  result.shift = static_cast<std::uint8_t>(shift);
  for (const double r : ratio)
    result.multiplier.push_back(same(r) ? std::nullopt
                                        : std::optional(round16(std::ldexp(r, shift))));
  return result;
}

}  // namespace nvdlac::quant
