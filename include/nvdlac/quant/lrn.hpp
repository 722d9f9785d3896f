// SPDX-License-Identifier: Apache-2.0
#pragma once
// The integer form of local response normalisation: CDP's two tables for the factor
// (k + alpha / n * s)^-beta, s being the sum of the squares of n channels, chosen so that the
// largest error of a result is least.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <nvdlac/error.hpp>
#include <nvdlac/net/integer/lrn.hpp>
#include <nvdlac/net/lrn.hpp>
#include <nvdlac/quant/ratio.hpp>

namespace nvdlac::quant {
namespace detail {

// The factor by which CDP multiplies, as a function of the sum of the squares of integers: how many
// steps of the output one step of the input gives.
class lrn_curve {
 public:
  lrn_curve(const net::lrn& op, double in_scale, double out_scale)
      : k_(double{op.k}), slope_(double{op.alpha} / op.local_size * in_scale * in_scale),
        beta_(double{op.beta}), ratio_(in_scale / out_scale),
        largest_sum(std::int64_t{op.local_size} * 128 * 128) {
    for (const std::int64_t s : {std::int64_t{1}, largest_sum})
      if (!(k_ + slope_ * static_cast<double>(s) > 0) || !std::isfinite((*this)(s)))
        throw error(text("k + alpha / local_size * sum is ", k_ + slope_ * static_cast<double>(s),
                         " for a sum of ", static_cast<double>(s) * in_scale * in_scale,
                         ", which has no power of -beta"));
  }

  // Without a square nothing is multiplied, and beyond the largest sum nothing is looked up.
  double operator()(std::int64_t sum) const {
    const auto s = static_cast<double>(std::clamp<std::int64_t>(sum, 1, largest_sum));
    return std::pow(k_ + slope_ * (sum == 0 && k_ > 0 ? 0 : s), -beta_) * ratio_;
  }

 private:
  double k_, slope_, beta_, ratio_;

 public:
  std::int64_t largest_sum;
};

// From there on every integer but 0 saturates the output.
inline constexpr double most_steps = 128;

// The tables of one choice of their domains.
class lrn_fit {
 public:
  lrn_fit(const lrn_curve& curve, double unit) : curve_(curve), unit_(unit) {
    const auto add = [&](std::int64_t s) {
      samples_.push_back({s, curve(s), std::min(std::sqrt(static_cast<double>(s)), 128.0)});
    };
    for (std::int64_t s = 1; s <= curve.largest_sum; s += s < 4096 ? 1 : s / 1024) add(s);
    add(curve.largest_sum);
  }

  // Keeps the domains if they are better than all before.
  void try_domains(arithmetic::lut_settings settings) {
    settings.le.end = settings.exponential
                          ? settings.le.start + (std::int64_t{1} << 31)
                          : settings.le.start + (std::int64_t{64} << settings.le.select);
    if (settings.exponential) settings.le.end = std::min<std::int64_t>(settings.le.end, 0x7fffffff);
    settings.lo.end = settings.lo.start + (std::int64_t{256} << settings.lo.select);
    for (const bool balanced : {true, false}) {
      arithmetic::lut_tables tables;
      fill(tables.le, balanced, [&](std::size_t i) {
        if (!settings.exponential)
          return settings.le.start + (static_cast<std::int64_t>(i) << settings.le.select);
        return settings.le.start +
               (std::int64_t{1} << std::min(static_cast<int>(i) + settings.offset, 31));
      });
      fill(tables.lo, balanced, [&](std::size_t i) {
        return settings.lo.start + (static_cast<std::int64_t>(i) << settings.lo.select);
      });
      const double found = error_of(settings, tables, error);
      if (found < error) error = found, best = settings, entries = tables;
    }
  }

  double error = 1e300;  // of a result, in steps, but for its rounding
  arithmetic::lut_settings best{};
  arithmetic::lut_tables entries{};

 private:
  struct sample {
    std::int64_t sum;
    double factor, most;  // `most`: no element of this sum is larger
  };

  // Entry i is of the sum at(i). A chord lies on one side of the curve: balanced, both its ends are
  // moved by half of how far.
  template <std::size_t Size, class At>
  void fill(std::array<std::int16_t, Size>& table, bool balanced, const At& at) const {
    std::array<double, Size> exact{}, apart{};
    for (std::size_t i = 0; i < Size; ++i) exact[i] = std::min(curve_(at(i)), most_steps);
    for (std::size_t i = 0; balanced && i + 1 < Size; ++i)
      for (const std::int64_t quarter : {1, 2, 3}) {
        const auto width = at(i + 1) - at(i);
        const auto inside = at(i) + width * quarter / 4;
        if (inside == at(i) || at(i + 1) > curve_.largest_sum) continue;
        const double f = static_cast<double>(inside - at(i)) / static_cast<double>(width);
        const double off = exact[i] + f * (exact[i + 1] - exact[i]) -
                           std::min(curve_(inside), most_steps);
        if (std::fabs(off) > std::fabs(apart[i])) apart[i] = off;
      }
    for (std::size_t i = 0; i < Size; ++i) {
      const double before = i > 0 ? apart[i - 1] : apart[i];
      table[i] = round16((exact[i] - (before + apart[i]) / 4) / unit_);
    }
  }

  // Gives up above `limit`.
  double error_of(const arithmetic::lut_settings& settings, const arithmetic::lut_tables& tables,
                  double limit) const {
    double worst = 0;
    arithmetic::lut_counts counts;
    for (const auto& s : samples_) {
      const double factor = unit_ * arithmetic::cdp_lut(settings, tables, s.sum, counts);
      const auto steps = [](double x) { return std::clamp(x, -most_steps, most_steps); };
      // The element that is off most: the largest one that saturates neither.
      const double larger = std::max({factor, s.factor, 1.0});
      const double x = std::clamp(most_steps / larger, 1.0, s.most);
      worst = std::max(worst, std::fabs(steps(x * factor) - steps(x * s.factor)));
      if (worst >= limit) break;
    }
    return worst;
  }

  const lrn_curve& curve_;
  double unit_;
  std::vector<sample> samples_{};
};

}  // namespace detail

// y = x / (k + alpha / local_size * sum of squares)^beta of 3, 5, 7 or 9 channels. Throws where
// that is no number for int8 of this scale.
inline net::integer::lrn quantise_lrn(const net::lrn& op, double in_scale, double out_scale) {
  const detail::lrn_curve curve(op, in_scale, out_scale);
  const double top = std::min(std::max(curve(1), curve(curve.largest_sum)), detail::most_steps);
  net::integer::lrn result{.local_size = op.local_size,
                           .out = nearest_converter(std::max(top / 32767, 1e-290))};
  const double exact = result.out.scale == 0 ? 1 : ratio_of(result.out);
  detail::lrn_fit fit(curve, exact);
  // The smallest steps with which LE or LO covers all sums.
  int le = 0, lo = 0;
  while ((std::int64_t{64} << le) <= curve.largest_sum) ++le;
  while ((std::int64_t{256} << lo) <= curve.largest_sum) ++lo;
  const arithmetic::lut_settings linear{.exponential = false, .underflow_lo = true,
                                        .overflow_lo = true};
  for (int fine = lo; fine-- > 0;) {  // small sums in LE, all in LO
    auto s = linear;
    s.le.select = fine, s.lo.select = lo;
    fit.try_domains(s);
  }
  for (int fine = std::min(le, lo + 1); fine-- > 0;) {  // small sums in LO, all in LE
    auto s = linear;
    s.overflow_lo = false, s.hybrid_lo = true;
    s.le.select = le, s.lo.select = fine;
    fit.try_domains(s);
  }
  for (int first = 3; first < 13; ++first) {  // LE doubles its steps up to where LO begins
    arithmetic::lut_settings s{.overflow_lo = true, .hybrid_lo = true};
    s.lo.start = std::int64_t{1} << first;
    s.lo.select = lo;
    fit.try_domains(s);
  }
  for (int fine = lo; fine-- > 0;)  // small sums in LO, LE doubles its steps from there
    for (int offset = std::max(fine - 2, 0); offset <= fine + 5; ++offset) {
      arithmetic::lut_settings s{.offset = offset, .underflow_lo = true, .hybrid_lo = true};
      s.lo.select = fine;
      s.le.start = (std::int64_t{256} << fine) - (std::int64_t{1} << offset);
      if (s.le.start >= 0) fit.try_domains(s);
    }
  result.table = fit.best;
  result.le = std::vector<std::int16_t>(fit.entries.le.begin(), fit.entries.le.end());
  result.lo = std::vector<std::int16_t>(fit.entries.lo.begin(), fit.entries.lo.end());
  return result;
}

}  // namespace nvdlac::quant
