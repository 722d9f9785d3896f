// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
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
class table_misfit : public error {
 public:
  using error::error;
};

// How many times as far as the calibrated ranges the numbers of the input and of the result reach.
struct table_room {
  double in = 1, out = 1;
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

table_misfit error_of_tables(hw::precision p, double part);

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

// A function to be held by tables: f for numbers up to `reach`, with results up to `top`; those of
// the calibration are up to `near` and `near_top`.
struct table_task {
  std::function<double(double)> f{};
  double reach = 1, top = 1, near = 1, near_top = 1;
};

// Tables for numbers up to `reach`. What is beyond twice `top` does not count, and an error beyond
// the calibrated ranges little beside one within.
template <class T>
quantised::lookup tables_up_to(double reach, const table_task& task) {
  constexpr bool real = quantised::is_real<T>;
  constexpr double far = 1.0 / 16;
  const auto& f = task.f;
  const double most = real ? 65504 : task.top;
  auto [low, high] = defined(f, reach, real);
  if (!real) high = std::min(high, task.top);
  high = std::max(high, low + (real ? reach * 0x1p-8 : 1));
  const auto fit = fit_tables({.value = [&](double x) { return std::clamp(f(x), -most, most); },
                               .weight = [&](double x) {
                                 const double y = std::fabs(f(x));
                                 if (!(y <= 2 * task.top)) return 0.0;
                                 const bool is_near = std::fabs(x) <= task.near &&
                                                      y <= 2 * task.near_top;
                                 return is_near ? 1.0 : far;
                               },
                               .low = low, .high = high}, real);
  return {.table = fit.settings,
          .le = std::vector<std::int16_t>(fit.tables.le.begin(), fit.tables.le.end()),
          .lo = std::vector<std::int16_t>(fit.tables.lo.begin(), fit.tables.lo.end())};
}

// Tables that reach as far beyond the calibrated range as costs little within: all the way where
// they are `fine` there, a part of the results' range; else by halves. An error within of more than
// a fiftieth of it is refused.
template <class T>
quantised::lookup interpolated(const table_task& task) {
  constexpr bool real = quantised::is_real<T>;
  constexpr double fine = real ? 1.2e-3 : 3e-4, more = 1.25;
  quantised::lookup best;
  double least = std::numeric_limits<double>::infinity();
  for (double reach = task.reach; least > fine * task.near_top; reach /= 2) {
    auto next = tables_up_to<T>(real ? reach : std::floor(reach), task);
    const double error = table_error<T>(next, task.f, task.near, task.near_top);
    if (!(error * more > least)) {
      best = std::move(next);
      least = error;
    }
    if (reach / 2 < task.near) break;
  }
  if (least > task.near_top / 50)
    throw error_of_tables(real ? hw::precision::fp16 : hw::precision::int16,
                          least / task.near_top);
  return best;
}

}  // namespace detail

// In int16: tables over all integers, or over those of the calibration at least.
quantised::lookup interpolate_activation(const net::activation& op, double in_scale,
                                         double out_scale, table_room room = {});

// In fp16: tables for numbers up to `reach` and results up to `top`, and further where there is
// room. Beyond, they go on in the straight line that meets the function at twice as far, where it
// has a value.
quantised::lookup real_activation(const net::activation& op, double reach, double top,
                                  table_room room = {});

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
    if (to.real())
      return to.put(real_activation(op, to.range_of_input(), to.range(), to.room()));
    to.put(to.precision() == hw::precision::int16
               ? interpolate_activation(op, in.scale, to.scale(), to.room())
               : quantise_activation(op, {in.scale, to.scale(), in.zero, to.zero()}));
  }
};

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/lookup.ipp>
#endif
