// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/quant/elementwise.hpp>
#include <nvdlac/quant/multipliers.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL quantised::scale quantise_scale(std::span<const double> factor,
                                            std::span<const double> bias, bool relu,
                                            double in_scale, double out_scale, double top,
                                            std::int32_t zero) {
  const std::size_t n = std::max(factor.size(), bias.size());
  std::vector<double> f(n), b(n);  // in steps of the output
  double top_f = 0, top_b = 0;
  if (zero != 0) top = 2 * top + 1;  // from the integer for 0 on
  for (std::size_t c = 0; c < n; ++c) {
    f[c] = factor[factor.size() == 1 ? 0 : c] * (in_scale / out_scale);
    b[c] = bias.empty() ? 0 : bias[bias.size() == 1 ? 0 : c] / out_scale;
    // A factor that saturates for every x but 0 may be cut to one that still does, and so may a
    // bias that saturates for every x.
    f[c] = std::clamp(f[c], -2 * std::fabs(b[c]) - top - 3, 2 * std::fabs(b[c]) + top + 3);
    const double reach = top + 3 + (top + 2) * std::fabs(f[c]);
    b[c] = std::clamp(b[c], -reach, reach);
    top_f = std::max(top_f, std::fabs(f[c]));
    top_b = std::max(top_b, std::fabs(b[c]));
  }
  // One unit of the sum: the largest factor has 15 bits, the largest bias 30.
  const double unit = std::max(
      {top_f / 32000, std::ldexp(top_b, -30), zero == 0 ? 1e-290 : least_ratio});
  quantised::scale result{.relu = relu && zero == 0, .out = nearest_converter(unit)};
  if (zero != 0) count_from(zero, 0, result.out);
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

NVDLAC_IMPL common_unit share_unit(double a, double b, double out_scale, double top, double least) {
  b = std::max(b, least * out_scale);
  if (std::fabs(a) / b > 32767) {
    // b is far finer than a. Either one step of a saturates the output beside b, and a may count
    // for less; or all of b is less than a step of the output, and b may count for more.
    if (b * 32767 >= 2 * (top + 1) * out_scale)
      a = std::copysign(b * 32767, a);
    else {
      a = std::copysign(std::min(std::fabs(a), 2 * (top + 1) * out_scale), a);
      b = std::fabs(a) / 32767;
    }
  }
  // Either term stays below 2^31.
  int most = top > 127 ? 15 : 23;
  if (least > 0) most = std::min(most, std::ilogb(b / (least * out_scale)));
  const int shift = a == 0 ? 0 : std::min(shift_for(std::fabs(a) / b), most);
  return {.multiplier = round16(std::ldexp(a / b, shift)),
          .operand_shift = static_cast<std::uint8_t>(shift),
          .out = nearest_converter(std::ldexp(b / out_scale, -shift))};
}

NVDLAC_IMPL quantised::add quantise_sum(double a, double b, bool relu, double out_scale, double top,
                                        sum_zeros zero) {
  const double sign = b < 0 ? -1 : 1;
  const bool shifted = zero != sum_zeros{};
  auto unit = share_unit(sign * a, sign * b, out_scale, top, shifted ? least_ratio : 0);
  unit.out.scale = static_cast<std::int16_t>(sign * unit.out.scale);
  if (shifted)
    count_from(zero.out, zero.a * unit.multiplier + std::ldexp(zero.b, unit.operand_shift),
               unit.out);
  return {.multiplier = unit.multiplier, .operand_shift = unit.operand_shift, .relu = relu,
          .out = unit.out};
}

NVDLAC_IMPL quantised::add quantise_add(double scale_a, double scale_b, bool relu,
                                        double out_scale) {
  return quantise_sum(scale_a, scale_b, relu, out_scale);
}

NVDLAC_IMPL quantised::extremum quantise_extremum(net::extremum_kind kind, double scale_a,
                                                  double scale_b, bool relu, double out_scale,
                                                  double top) {
  const auto unit = share_unit(scale_a, scale_b, out_scale, top);
  return {.kind = kind, .multiplier = unit.multiplier, .operand_shift = unit.operand_shift,
          .relu = relu, .out = unit.out};
}

NVDLAC_IMPL quantised::multiply quantise_multiply(double scale_a, double scale_b, bool relu,
                                                  double out_scale) {
  return {.relu = relu, .out = nearest_converter(scale_a * scale_b / out_scale)};
}

NVDLAC_IMPL quantised::concat quantise_concat(std::span<const double> in_scales, double out_scale,
                                              double levels, std::int8_t zero,
                                              std::vector<std::int8_t> zeros) {
  if (std::ranges::all_of(zeros, [&](auto z) { return z == zero; })) zeros.clear();
  quantised::concat result{.zeros = zeros, .zero = zero};
  std::vector<double> ratio;
  const auto is_copied = [&](std::size_t i) {  // but for its rounding
    return std::fabs(ratio[i] - 1) < 1e-9 && result.zero_of(i) == zero;
  };
  double top = 0;
  for (std::size_t i = 0; i < in_scales.size(); ++i) {
    // Every integer but that for 0 saturates from there on.
    ratio.push_back(
        std::min(in_scales[i] / out_scale, std::min((levels + 1) * (zero == 0 ? 1 : 2), 32767.0)));
    if (!is_copied(i)) top = std::max(top, ratio.back());
  }
  const int shift = top > 0 ? shift_for(top) : 0;
  result.shift = static_cast<std::uint8_t>(shift);
  for (std::size_t i = 0; i < ratio.size(); ++i)
    result.multiplier.push_back(
        is_copied(i) ? std::nullopt : std::optional(round16(std::ldexp(ratio[i], shift))));
  return result;
}

NVDLAC_IMPL std::optional<double> free_factor(const net::scale& s) {
  if (s.relu || s.factor.empty() || !(s.factor[0] > 0)) return std::nullopt;
  for (const float f : s.factor)
    if (f != s.factor[0]) return std::nullopt;
  for (const float b : s.bias)
    if (b != 0) return std::nullopt;
  return double{s.factor[0]};
}

}  // namespace nvdlac::quant
