// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/activation.hpp>
#include <nvdlac/net/normalisation.hpp>
#include <nvdlac/quant/multipliers.hpp>
#include <nvdlac/quant/real_form.hpp>
#include <nvdlac/quant/rule.hpp>
#include <nvdlac/quant/table_fit.hpp>
#include <nvdlac/quantised/lookup.hpp>

namespace nvdlac::quant {

// The numbers that an int8 table reads and gives: scales, and the integers that stand for 0.
struct table_numbers {
  double in_scale = 1, out_scale = 1;
  std::int32_t in_zero = 0, out_zero = 0;
};

// Functions that the tables of a precision do not hold well enough; the host can compute them.
class crooked_function : public error {
 public:
  using error::error;
};

namespace detail {

// Whether the function, of one sign at `low` and of the other at `high`, leaves -most .. most where
// it changes its sign: whether there is a pole.
inline bool has_pole(const net::activation& op, double low, double high, double most) {
  const bool negative = op(low) < 0;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2, y = op(middle);
    if (std::fabs(y) > most) return true;
    ((y < 0) == negative ? low : high) = middle;
  }
  return false;
}

// The largest error of an int8 table, as a part of its range, over all that becomes an integer near
// which the function leaves that range by far. Of the numbers around 0 those of one sign count:
// where the function has a pole there, inputs are of one.
inline double error_at_poles(const net::activation& op, const quantised::lookup& table,
                             const table_numbers& n) {
  constexpr int steps = 64;  // to half way to the next integer
  const double top = (127 - n.out_zero) * n.out_scale;
  const double low = std::max(-top, (-128 - n.out_zero) * n.out_scale);
  double worst = 0;
  for (int x = -128; x <= 127; ++x) {
    const double y =
        (table.values[static_cast<std::size_t>(x + 128)] - n.out_zero) * n.out_scale;
    double side[2]{};
    bool leaves = false;
    double last = std::nan("");
    for (int i = -steps; i <= steps; ++i) {
      const double at = (x - n.in_zero + i * 0.5 / steps) * n.in_scale, exact = op(at);
      const bool turns = exact * last < 0 && std::fabs(exact - last) > top / 4;
      leaves = leaves || std::fabs(exact) > 2 * top ||
               (turns && has_pole(op, at - 0.5 / steps * n.in_scale, at, 2 * top));
      last = exact;
      if (std::isnan(exact)) continue;
      auto& error = side[i < 0 ? 0 : 1];
      error = std::max(error, std::fabs(std::clamp(exact, low, top) - y));
    }
    if (leaves) worst = std::max(worst, x == n.in_zero ? std::min(side[0], side[1])
                                                       : std::max(side[0], side[1]));
  }
  return worst / top;
}

}  // namespace detail

// The best int8 value for each input. Where the function has none the table has that for 0. A
// function with a pole next to which half of the output's range is lost, as the tangent's, is
// refused.
inline quantised::lookup quantise_activation(const net::activation& op,
                                                const table_numbers& n) {
  quantised::lookup result;
  for (int x = -128; x <= 127; ++x) {
    const double y = op((x - n.in_zero) * n.in_scale) / n.out_scale;
    result.values.push_back(static_cast<std::int8_t>(std::clamp(
        (std::isnan(y) ? 0.0 : std::round(y)) + n.out_zero, -128.0, 127.0)));
  }
  if (const double part = detail::error_at_poles(op, result, n); part > 0.5)
    throw crooked_function(problem{
        .reason = text("its function is too crooked for a table of int8: at a pole, within one "
                       "step of its input, ", n.in_scale, ", it is off by ", 100 * part,
                       " % of its range"),
        .remedy = "keep its input away from its poles"});
  return result;
}

namespace detail {

// Where within -reach .. reach the function has values: from the first to the last of them.
inline std::pair<double, double> defined(const std::function<double(double)>& f, double reach,
                                         bool real) {
  const auto is_defined = [&](double x) { return !std::isnan(f(x)); };
  constexpr int steps = 4096;
  const double apart = 2 * reach / steps;
  double low = reach, high = -reach;
  for (int i = 0; i <= steps; ++i)
    if (const double x = -reach + i * apart; is_defined(x))
      low = std::min(low, x), high = std::max(high, x);
  if (low > high) throw error("its function has no value for any number of its input");
  // The ends, to one step of an integer or 24 bits.
  const double exact = real ? reach * 0x1p-24 : 1;
  const auto edge = [&](double inside, double outside) {
    while (std::fabs(outside - inside) > exact) {
      const double middle = real ? (inside + outside) / 2 : std::trunc((inside + outside) / 2);
      (is_defined(middle) ? inside : outside) = middle;
    }
    return inside;
  };
  if (low > -reach) low = edge(low, low - apart);
  if (high < reach) high = edge(high, high + apart);
  return {std::fabs(low) <= exact && is_defined(0) ? 0 : low,
          std::fabs(high) <= exact && is_defined(0) ? 0 : high};
}

inline crooked_function error_of_tables(hw::precision p, double part) {
  return crooked_function(problem{.reason = text("its function is too crooked for the tables of ",
                                      hw::name_of(p), ": they are off by ", 100 * part,
                                      " % of its range"),
                       .remedy = "compute this layer in int8"});
}

// The largest error of the tables where f is at most `top`, over all numbers up to `reach`.
template <class T>
double table_error(const quantised::lookup& op, const std::function<double(double)>& f,
                   double reach, double top) {
  net::tensor<T> x{{1, 256, 256}};
  for (std::size_t i = 0; i < x.values.size(); ++i)
    x.values[i] = std::bit_cast<T>(static_cast<std::uint16_t>(i));
  const std::array in{static_cast<const net::tensor<T>*>(&x)};
  const auto y = op.evaluate(std::span<const net::tensor<T>* const>(in));
  double worst = 0;
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    const double at = quantised::value_of(x.values[i]), exact = f(at);
    if (std::fabs(at) <= reach && std::fabs(exact) <= top)
      worst = std::max(worst, std::fabs(quantised::value_of(y.values[i]) - exact));
  }
  return worst;
}

// Tables of f from -reach to reach, whose results are up to `top`: what is beyond twice that does
// not count. An error of more than a fiftieth of the results' range is refused.
template <class T>
quantised::lookup interpolated(const std::function<double(double)>& f, double reach,
                                  double top) {
  constexpr bool real = quantised::is_real<T>;
  const double most = real ? 65504 : top;
  auto [low, high] = defined(f, reach, real);
  if (!real) high = std::min(high, top);
  high = std::max(high, low + (real ? reach * 0x1p-8 : 1));
  const auto fit = fit_tables({.value = [&](double x) { return std::clamp(f(x), -most, most); },
                               .weight = [&](double x) {
                                 return std::fabs(f(x)) <= 2 * top ? 1.0 : 0.0;
                               },
                               .low = low, .high = high}, real);
  quantised::lookup result{
      .table = fit.settings,
      .le = std::vector<std::int16_t>(fit.tables.le.begin(), fit.tables.le.end()),
      .lo = std::vector<std::int16_t>(fit.tables.lo.begin(), fit.tables.lo.end())};
  if (const double error = table_error<T>(result, f, reach, top); error > top / 50)
    throw error_of_tables(real ? hw::precision::fp16 : hw::precision::int16, error / top);
  return result;
}

}  // namespace detail

// In int16: tables over all integers.
inline quantised::lookup interpolate_activation(const net::activation& op, double in_scale,
                                                   double out_scale) {
  const double top = top_of(hw::precision::int16);
  return detail::interpolated<std::int16_t>(
      [&](double x) { return op(x * in_scale) / out_scale; }, top + 1, top);
}

// In fp16: tables for numbers up to `reach` and results up to `top`. Beyond, they go on in the
// straight line that meets the function at twice the reach, where it has a value.
inline quantised::lookup real_activation(const net::activation& op, double reach, double top) {
  auto result = detail::interpolated<net::half>([&](double x) { return op(x); }, reach,
                                                std::min(top, 65504.0));
  const auto place = [](std::int64_t bits) {
    return double{std::bit_cast<float>(static_cast<std::int32_t>(bits))};
  };
  const auto slope = [&](double end, double beyond) {
    const double rise = (op(beyond) - op(end)) / (beyond - end);
    return arithmetic::lut_slope{
        .scale = std::fabs(rise) <= 65504 ? half_bits(rise, "slope") : std::int16_t{0}};
  };
  for (auto* d : {&result.table.le, &result.table.lo}) {
    d->underflow = slope(place(d->start), place(d->start) - reach);
    d->overflow = slope(place(d->end), place(d->end) + reach);
  }
  return result;
}

template <>
struct rule<net::activation> : usual_rule {
  static constexpr bool needs_ranges = true;
  static std::optional<double> bound(const net::activation& op, std::span<const double> in) {
    double top = 0;
    for (int i = -512; i <= 512; ++i)
      if (const double y = op(in[0] * i / 512); !std::isnan(y)) top = std::max(top, std::fabs(y));
    return top;
  }
  // A table has integers for 0 in its entries.
  static bool is_lopsided(const net::activation&, const auto&) { return true; }
  static bool takes_zero(const net::activation&, const auto&) { return true; }
  static void run(const net::activation& op, auto& to) {
    const auto& in = to.in(0);
    if (to.real()) return to.put(real_activation(op, to.range_of_input(), to.range()));
    to.put(to.precision() == hw::precision::int16
               ? interpolate_activation(op, in.scale, to.scale())
               : quantise_activation(op, {in.scale, to.scale(), in.zero, to.zero()}));
  }
};

}  // namespace nvdlac::quant
