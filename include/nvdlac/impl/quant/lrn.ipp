// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/normalisation.hpp>
#include <nvdlac/quant/lrn.hpp>
#include <nvdlac/quant/multipliers.hpp>
#include <nvdlac/quant/table_fit.hpp>
#include <nvdlac/quantised/lookup.hpp>

namespace nvdlac::quant {

namespace detail {

NVDLAC_IMPL lrn_curve::lrn_curve(const net::lrn& op, double in_scale, double out_scale, double top,
                                 double step)
    : most(top), largest_sum(op.local_size * top * top), k_(double{op.k}),
      slope_(double{op.alpha} / op.local_size * in_scale * in_scale), beta_(double{op.beta}),
      ratio_(in_scale / out_scale), smallest_sum_(step * step) {
  for (const double s : {smallest_sum_, largest_sum})
    if (!(k_ + slope_ * s > 0) || !std::isfinite((*this)(s)))
      throw error(text("k + alpha / local_size * sum is ", k_ + slope_ * s, " for a sum of ",
                       s * in_scale * in_scale, ", which has no power of -beta"));
}

NVDLAC_IMPL double lrn_curve::operator()(double sum) const {
  const double s = std::clamp(sum, smallest_sum_, largest_sum);
  return std::pow(k_ + slope_ * (sum == 0 && k_ > 0 ? 0 : s), -beta_) * ratio_;
}

NVDLAC_IMPL quantised::lrn fitted_lrn(const net::lrn& op, const lrn_curve& curve, double unit,
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

NVDLAC_IMPL quantised::lrn quantise_lrn(const net::lrn& op, double in_scale, double out_scale,
                                        hw::precision p) {
  const detail::lrn_curve curve(op, in_scale, out_scale, top_of(p) + 1, 1);
  const double top = std::min(std::max(curve(1), curve(curve.largest_sum)), curve.most);
  const auto out = nearest_converter(std::max(top / 32767, 1e-290));
  auto result = detail::fitted_lrn(op, curve, out.scale == 0 ? 1 : ratio_of(out), false);
  result.out = out;
  return result;
}

NVDLAC_IMPL quantised::lrn real_lrn(const net::lrn& op, double range) {
  return detail::fitted_lrn(op, {op, 1, 1, range, range * 0x1p-12}, 1, true);
}

}  // namespace nvdlac::quant
