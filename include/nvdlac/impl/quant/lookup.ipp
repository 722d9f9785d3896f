// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/activation.hpp>
#include <nvdlac/quant/lookup.hpp>
#include <nvdlac/quant/real_form.hpp>
#include <nvdlac/quantised/lookup.hpp>

namespace nvdlac::quant {

namespace detail {

NVDLAC_IMPL bool has_pole(const net::activation& op, double low, double high, double most) {
  const bool negative = op(low) < 0;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2, y = op(middle);
    if (std::fabs(y) > most) return true;
    ((y < 0) == negative ? low : high) = middle;
  }
  return false;
}

NVDLAC_IMPL double error_at_poles(const net::activation& op, const quantised::lookup& table,
                                  const table_numbers& n) {
  constexpr int steps = 64;  // to half way to the next integer
  const double top = (127 - n.out_zero) * n.out_scale;
  const double least = (-128 - n.out_zero) * n.out_scale;
  const double low = n.out_zero > 0 ? least : std::max(-top, least);
  double worst = 0;
  for (int x = -128; x <= 127; ++x) {
    const double y =
        (table.values[static_cast<std::size_t>(x + 128)] - n.out_zero) * n.out_scale;
    double side[2]{};
    bool leaves = false;
    double last = std::nan("");
    for (int i = -steps; i <= steps; ++i) {
      const double at = (x - n.in_zero + i * 0.5 / steps) * n.in_scale, exact = op(at);
      const bool changes_sign = exact * last < 0 && std::fabs(exact - last) > top / 4;
      leaves = leaves || std::fabs(exact) > 2 * top ||
               (changes_sign && has_pole(op, at - 0.5 / steps * n.in_scale, at, 2 * top));
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

NVDLAC_IMPL quantised::lookup quantise_activation(const net::activation& op,
                                                  const table_numbers& n) {
  quantised::lookup result;
  for (int x = -128; x <= 127; ++x) {
    const double y = op((x - n.in_zero) * n.in_scale) / n.out_scale;
    result.values.push_back(static_cast<std::int8_t>(std::clamp(
        (std::isnan(y) ? 0.0 : std::round(y)) + n.out_zero, -128.0, 127.0)));
  }
  if (const double part = detail::error_at_poles(op, result, n); part > 0.5)
    throw table_misfit(problem{
        .reason = text("its function is too crooked for a table of int8: at a pole, within one "
                       "step of its input, ", n.in_scale, ", it is off by ", 100 * part,
                       " % of its range"),
        .remedy = "keep its input away from its poles"});
  return result;
}

namespace detail {

NVDLAC_IMPL std::pair<double, double> defined(const std::function<double(double)>& f, double reach,
                                              bool real) {
  const auto is_defined = [&](double x) { return !std::isnan(f(x)); };
  constexpr int steps = 4096;
  const double apart = 2 * reach / steps;
  double low = reach, high = -reach;
  for (int i = 0; i <= steps; ++i)
    if (const double x = -reach + i * apart; is_defined(x)) {
      low = std::min(low, x);
      high = std::max(high, x);
    }
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

NVDLAC_IMPL table_misfit error_of_tables(hw::precision p, double part) {
  return table_misfit(problem{.reason = text("its function is too crooked for the tables of ",
                                      hw::name_of(p), ": they are off by ", 100 * part,
                                      " % of its range"),
                       .remedy = "compute this layer in int8"});
}

}  // namespace detail

NVDLAC_IMPL quantised::lookup interpolate_activation(const net::activation& op, double in_scale,
                                                     double out_scale, table_room room) {
  const double top = top_of(hw::precision::int16);
  return detail::interpolated<std::int16_t>(
      {.f = [&](double x) { return op(x * in_scale) / out_scale; }, .reach = top + 1, .top = top,
       .near = (top + 1) / room.in, .near_top = top / room.out});
}

NVDLAC_IMPL quantised::lookup real_activation(const net::activation& op, double reach, double top,
                                              table_room room) {
  auto result = detail::interpolated<net::half>(
      {.f = [&](double x) { return op(x); }, .reach = room.in * reach,
       .top = std::min(room.out * top, 65504.0), .near = reach,
       .near_top = std::min(top, 65504.0)});
  const auto place = [](std::int64_t bits) {
    return double{std::bit_cast<float>(static_cast<std::int32_t>(bits))};
  };
  const auto slope = [&](double end, double beyond) {
    const double rise = (op(beyond) - op(end)) / (beyond - end);
    return arithmetic::lut_slope{
        .scale = std::fabs(rise) <= 65504 ? half_bits(rise, "slope") : std::int16_t{0}};
  };
  for (auto* d : {&result.table.le, &result.table.lo}) {
    const double start = place(d->start), end = place(d->end);
    d->underflow = slope(start, start - std::max(std::fabs(start), reach));
    d->overflow = slope(end, end + std::max(std::fabs(end), reach));
  }
  return result;
}

}  // namespace nvdlac::quant
