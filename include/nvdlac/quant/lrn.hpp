// SPDX-License-Identifier: Apache-2.0
#pragma once
// The integer form of local response normalisation: CDP's two tables for the factor
// (k + alpha / n * s)^-beta, s being the sum of the squares of n channels, chosen so that the
// largest error of a result is least.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/normalisation.hpp>
#include <nvdlac/quant/multipliers.hpp>
#include <nvdlac/quant/rule.hpp>
#include <nvdlac/quant/table_fit.hpp>
#include <nvdlac/quantised/lookup.hpp>

namespace nvdlac::quant {

namespace detail {

// The factor by which CDP multiplies, as a function of the sum of the squares of numbers: how many
// steps of the output one step of the input gives.
class lrn_curve {
 public:
  // No number is larger than `top`, and none but 0 smaller than `step`.
  lrn_curve(const net::lrn& op, double in_scale, double out_scale, double top, double step)
      : most(top), largest_sum(op.local_size * top * top), k_(double{op.k}),
        slope_(double{op.alpha} / op.local_size * in_scale * in_scale), beta_(double{op.beta}),
        ratio_(in_scale / out_scale), smallest_sum_(step * step) {
    for (const double s : {smallest_sum_, largest_sum})
      if (!(k_ + slope_ * s > 0) || !std::isfinite((*this)(s)))
        throw error(text("k + alpha / local_size * sum is ", k_ + slope_ * s, " for a sum of ",
                         s * in_scale * in_scale, ", which has no power of -beta"));
  }

  // Without a square nothing is multiplied, and beyond the largest sum nothing is looked up.
  double operator()(double sum) const {
    const double s = std::clamp(sum, smallest_sum_, largest_sum);
    return std::pow(k_ + slope_ * (sum == 0 && k_ > 0 ? 0 : s), -beta_) * ratio_;
  }
  // The integer that is off most: the largest one of this sum that saturates neither.
  double element(double sum) const {
    return std::min(std::sqrt(sum), std::max(most / std::max((*this)(sum), 1.0), 1.0));
  }

  double most, largest_sum;

 private:
  double k_, slope_, beta_, ratio_, smallest_sum_;
};

// `unit`: what one step of a table's entry is of the factor.
inline quantised::lrn fitted_lrn(const net::lrn& op, const lrn_curve& curve, double unit,
                                    bool real) {
  // From `most` on every integer but 0 saturates the output.
  const auto factor = [&](double s) { return real ? curve(s) : std::min(curve(s), curve.most); };
  const auto fit = fit_tables({.value = [&](double s) { return factor(s) / unit; },
                               .weight = [&](double s) {
                                 return unit * (real ? std::min(std::sqrt(s), curve.most)
                                                     : curve.element(s));
                               },
                               .low = 0, .high = curve.largest_sum}, real);
  return {.local_size = op.local_size, .table = fit.settings,
          .le = std::vector<std::int16_t>(fit.tables.le.begin(), fit.tables.le.end()),
          .lo = std::vector<std::int16_t>(fit.tables.lo.begin(), fit.tables.lo.end())};
}

}  // namespace detail

// y = x / (k + alpha / local_size * sum of squares)^beta of 3, 5, 7 or 9 channels, in int8 or
// int16. Throws where that is no number for integers of this scale.
inline quantised::lrn quantise_lrn(const net::lrn& op, double in_scale, double out_scale,
                                      hw::precision p = hw::precision::int8) {
  const detail::lrn_curve curve(op, in_scale, out_scale, top_of(p) + 1, 1);
  const double top = std::min(std::max(curve(1), curve(curve.largest_sum)), curve.most);
  const auto out = nearest_converter(std::max(top / 32767, 1e-290));
  auto result = detail::fitted_lrn(op, curve, out.scale == 0 ? 1 : ratio_of(out), false);
  result.out = out;
  return result;
}

// In fp16, of elements up to `range`.
inline quantised::lrn real_lrn(const net::lrn& op, double range) {
  return detail::fitted_lrn(op, {op, 1, 1, range, range * 0x1p-12}, 1, true);
}

template <>
struct rule<net::lrn> : usual_rule {
  static constexpr bool needs_ranges = true;
  static void run(const net::lrn& op, auto& to) {
    if (to.real()) return to.put(real_lrn(op, to.range_of_input()));
    to.put(quantise_lrn(op, to.in(0).scale, to.scale(), to.precision()));
  }
};

}  // namespace nvdlac::quant
