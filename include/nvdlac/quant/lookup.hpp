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
bool has_pole(const net::activation& op, double low, double high, double most);

// The largest error of an int8 table, as a part of its range, over all that becomes an integer near
// which the function leaves that range by far. Of the numbers around 0 those of one sign count:
// where the function has a pole there, inputs are of one.
double error_at_poles(const net::activation& op, const quantised::lookup& table,
                      const table_numbers& n);

}  // namespace detail

// The best int8 value for each input. Where the function has none the table has that for 0. A
// function with a pole next to which half of the output's range is lost, as the tangent's, is
// refused.
quantised::lookup quantise_activation(const net::activation& op, const table_numbers& n);

namespace detail {

// Where within -reach .. reach the function has values: from the first to the last of them.
std::pair<double, double> defined(const std::function<double(double)>& f, double reach, bool real);

crooked_function error_of_tables(hw::precision p, double part);

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
quantised::lookup interpolate_activation(const net::activation& op, double in_scale,
                                         double out_scale);

// In fp16: tables for numbers up to `reach` and results up to `top`. Beyond, they go on in the
// straight line that meets the function at twice the reach, where it has a value.
quantised::lookup real_activation(const net::activation& op, double reach, double top);

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

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/lookup.ipp>
#endif
