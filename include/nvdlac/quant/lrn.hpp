// SPDX-License-Identifier: Apache-2.0
#pragma once
// The integer form of local response normalisation: CDP's two tables for the factor
// (k + alpha / n * s)^-beta, s being the sum of the squares of n channels, chosen so that the
// largest error of a result is least.
#include <algorithm>
#include <cmath>

#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/normalisation.hpp>
#include <nvdlac/quant/rule.hpp>
#include <nvdlac/quantised/lookup.hpp>

namespace nvdlac::quant {

namespace detail {

// The factor by which CDP multiplies, as a function of the sum of the squares of numbers: how many
// steps of the output one step of the input gives.
class lrn_curve {
 public:
  // No number is larger than `top`, and none but 0 smaller than `step`.
  lrn_curve(const net::lrn& op, double in_scale, double out_scale, double top, double step);

  // Without a square nothing is multiplied, and beyond the largest sum nothing is looked up.
  double operator()(double sum) const;
  // The integer that is off most: the largest one of this sum that saturates neither.
  double element(double sum) const {
    return std::min(std::sqrt(sum), std::max(most / std::max((*this)(sum), 1.0), 1.0));
  }

  double most, largest_sum;

 private:
  double k_, slope_, beta_, ratio_, smallest_sum_;
};

// `unit`: what one step of a table's entry is of the factor.
quantised::lrn fitted_lrn(const net::lrn& op, const lrn_curve& curve, double unit, bool real);

}  // namespace detail

// y = x / (k + alpha / local_size * sum of squares)^beta of 3, 5, 7 or 9 channels, in int8 or
// int16. Throws where that is no number for integers of this scale.
quantised::lrn quantise_lrn(const net::lrn& op, double in_scale, double out_scale,
                            hw::precision p = hw::precision::int8);

// In fp16, of elements up to `range`.
quantised::lrn real_lrn(const net::lrn& op, double range);

template <>
struct rule<net::lrn> : usual_rule {
  static constexpr bool needs_ranges = true;
  static void run(const net::lrn& op, auto& to) {
    if (to.real()) return to.put(real_lrn(op, to.range_of_input()));
    to.put(quantise_lrn(op, to.in(0).scale, to.scale(), to.precision()));
  }
};

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/lrn.ipp>
#endif
