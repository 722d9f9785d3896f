// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <nvdlac/arithmetic/lut.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/quant/table_fit.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quant {

namespace detail {

NVDLAC_IMPL arithmetic::lut_region table_line::region(double x) const {
  using enum arithmetic::lut_region;
  return x <= start || (exponential && x < at(0)) ? underflow : x < end() ? hit : overflow;
}

NVDLAC_IMPL double table_line::operator()(double x) const {
  switch (region(x)) {
    case arithmetic::lut_region::underflow: return entries.front();
    case arithmetic::lut_region::overflow: return entries.back();
    default: break;
  }
  const int i = exponential ? std::ilogb(x - start) - step
                            : static_cast<int>(std::ldexp(x - start, -step));
  const auto n = static_cast<std::size_t>(std::clamp(i, 0, last - 1));
  const double f = (x - at(i)) / (at(i + 1) - at(i));
  return entries[n] + f * (entries[n + 1] - entries[n]);
}

NVDLAC_IMPL arithmetic::lut_settings table_pair::settings() const {
  return {.exponential = le.exponential, .underflow_lo = underflow_lo,
          .overflow_lo = overflow_lo, .hybrid_lo = hybrid_lo};
}

NVDLAC_IMPL table_fit::table_fit(table_curve curve, bool real)
    : curve_(std::move(curve)), real_(real) {
  const double range = curve_.high - curve_.low;
  if (real) finest_ = std::ilogb(range) - 22;
  lo_step_ = whole_step(arithmetic::lut::lo_last);
  le_step_ = whole_step(arithmetic::lut::le_last);
  constexpr int samples = 2048;
  for (int i = 0; i <= samples; ++i) {
    const double even = curve_.low + range * i / samples, x = real ? even : std::floor(even);
    if (const double w = curve_.weight(x); w > 0) samples_.push_back({x, curve_.value(x), w});
  }
}

NVDLAC_IMPL fitted_table table_fit::run() {
  for (int step = lo_step_; step-- > std::max(finest_, lo_step_ - 24);) {
    table_pair p;  // all in LO, a window in LE
    set_whole(p.lo, lo_step_);
    try_windows(p, p.lo, p.le, step);
  }
  for (int step = le_step_; step-- > std::max(finest_, le_step_ - 24);) {
    table_pair p{.underflow_lo = false, .overflow_lo = false, .hybrid_lo = true};
    set_whole(p.le, le_step_);
    try_windows(p, p.le, p.lo, step);
  }
  try_doubling();
  return std::move(best_);
}

NVDLAC_IMPL int table_fit::whole_step(std::int64_t last) const {
  int step = finest_;
  while (snapped_low(step) + std::ldexp(static_cast<double>(last), step) <= curve_.high) ++step;
  return step;
}

NVDLAC_IMPL void table_fit::set_whole(table_line& line, int step) const {
  line.start = snapped_low(step);
  line.step = step;
}

NVDLAC_IMPL void table_fit::try_windows(table_pair& p, const table_line& whole, table_line& window,
                                        int step) {
  window.step = step;
  window.start = whole.start;
  try_pair(p);
  const auto cells = static_cast<std::size_t>(whole.last);
  std::vector<double> error(cells);
  for (std::size_t i = 0; i < cells; ++i) {
    const int n = static_cast<int>(i);
    error[i] = chord_error(whole.at(n), whole.at(n + 1)).first;
  }
  const double width = std::ldexp(window.last, step - whole.step);  // in cells
  if (width < 1) {
    const auto worst = std::max_element(error.begin(), error.end()) - error.begin();
    const int n = static_cast<int>(worst);
    const auto at = chord_error(whole.at(n), whole.at(n + 1)).second;
    window.start = snapped(at, step) - std::ldexp(window.last / 2, step);
    return try_pair(p);
  }
  const auto inside = static_cast<std::size_t>(width);
  std::vector<double> before(cells + 1, 0), behind(cells + 1, 0);
  for (std::size_t i = 0; i < cells; ++i) before[i + 1] = std::max(before[i], error[i]);
  for (std::size_t i = cells; i-- > 0;) behind[i] = std::max(behind[i + 1], error[i]);
  std::size_t place = 0;
  const auto outside = [&](std::size_t i) { return std::max(before[i], behind[i + inside]); };
  for (std::size_t i = 0; i + inside <= cells; ++i)
    if (outside(i) < outside(place)) place = i;
  window.start = whole.at(static_cast<int>(place));
  if (place > 0) try_pair(p);
}

NVDLAC_IMPL void table_fit::try_doubling() {
  const int all = std::ilogb(curve_.high - curve_.low);
  for (int first = std::max(finest_ + 3, all - 20); first < all; ++first) {
    table_pair p{.underflow_lo = false, .overflow_lo = true, .hybrid_lo = true};
    p.le.exponential = true;
    p.le.start = snapped_low(finest_);
    p.le.step = real_ ? first - 40 : 0;
    p.lo.start = p.le.start + std::ldexp(1, first);
    p.lo.step = lo_step_;
    if (p.lo.start + std::ldexp(p.lo.last / 2, lo_step_) > curve_.high) --p.lo.step;
    try_pair(p);
  }
  for (int fine = lo_step_; fine-- > std::max(finest_, lo_step_ - 16);)
    for (int offset = std::max(fine - 2, finest_); offset <= fine + 5; ++offset) {
      table_pair p{.underflow_lo = true, .overflow_lo = false, .hybrid_lo = true};
      set_whole(p.lo, fine);
      p.le.exponential = true;
      p.le.step = offset;
      p.le.start = p.lo.end() - std::ldexp(1, offset);
      if (p.le.start >= curve_.low) try_pair(p);
    }
}

NVDLAC_IMPL void table_fit::try_pair(table_pair p) {
  for (const double start : {p.le.start, p.lo.start})
    if (!real_ && std::fabs(start) > 0x7fffffff) return;  // the firmware's tables have 32 bits
  for (const bool balanced : {true, false}) {
    fill(p.le, balanced);
    fill(p.lo, balanced);
    const double found = error_of(p);
    if (found < best_.error) keep(p, found);
  }
}

NVDLAC_IMPL double table_fit::error_of(const table_pair& p) const {
  double worst = 0;
  const auto look = [&](double x) {
    if (!(x >= curve_.low && x <= curve_.high)) return;
    const double w = curve_.weight(x);
    if (w > 0) worst = std::max(worst, w * std::fabs(p(x) - curve_.value(x)));
  };
  for (const auto* line : {&p.lo, &p.le})
    for (int i = 0; i <= line->last && worst < best_.error; ++i) {
      const double from = line->at(i);
      if (from > curve_.high) break;
      look(from);
      if (i < line->last)
        for (const double x : inside(from, line->at(i + 1))) look(x);
    }
  for (const auto& s : samples_) {
    if (worst >= best_.error) break;
    worst = std::max(worst, s.weight * std::fabs(p(s.at) - s.value));
  }
  return worst;
}

NVDLAC_IMPL std::array<double, 3> table_fit::inside(double from, double to) const {
  std::array<double, 3> result{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double x = from + (to - from) * static_cast<double>(i + 1) / 4;
    result[i] = real_ ? x : std::floor(x);
  }
  return result;
}

NVDLAC_IMPL std::pair<double, double> table_fit::chord_error(double from, double to) const {
  const double a = exact(from), b = exact(to);
  std::pair<double, double> worst{0, from};
  for (const double x : inside(from, to)) {
    if (x <= from || x < curve_.low || x > curve_.high) continue;
    const double off = curve_.weight(x) *
                       std::fabs(a + (b - a) * (x - from) / (to - from) - curve_.value(x));
    if (off > worst.first) worst = {off, x};
  }
  return worst;
}

NVDLAC_IMPL double table_fit::exact(double x) const {
  const double y = curve_.value(x);
  return std::isfinite(y) ? y : 0;
}

NVDLAC_IMPL double table_fit::entry(const table_line& line, int i) const {
  const double x = line.at(i);
  if (x >= curve_.low && x <= curve_.high) return exact(x);
  if (const double y = curve_.value(x); std::isfinite(y)) return y;
  const double edge = std::clamp(x, curve_.low, curve_.high), at_edge = exact(edge);
  const int other = x > edge ? i - 1 : i + 1;
  if (other < 0 || other > line.last) return at_edge;
  const double near = line.at(other);
  if (near < curve_.low || near > curve_.high || near == edge) return at_edge;
  return exact(near) + (at_edge - exact(near)) * (x - near) / (edge - near);
}

NVDLAC_IMPL void table_fit::fill(table_line& line, bool balanced) const {
  const auto size = static_cast<std::size_t>(line.last) + 1;
  std::vector<double> y(size), apart(size, 0);
  for (std::size_t i = 0; i < size; ++i) y[i] = entry(line, static_cast<int>(i));
  for (std::size_t i = 0; balanced && i + 1 < size; ++i) {
    const double from = line.at(static_cast<int>(i)), to = line.at(static_cast<int>(i + 1));
    if (from < curve_.low || to > curve_.high) continue;
    for (const double x : inside(from, to)) {
      if (x <= from || !(curve_.weight(x) > 0)) continue;
      const double off = y[i] + (y[i + 1] - y[i]) * (x - from) / (to - from) - curve_.value(x);
      if (std::fabs(off) > std::fabs(apart[i])) apart[i] = off;
    }
  }
  line.entries.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    const double before = i > 0 ? apart[i - 1] : apart[i];
    line.entries[i] = value_of(bits_of(y[i] - (before + apart[i]) / 4));
  }
}

NVDLAC_IMPL double table_fit::value_of(std::int16_t bits) const {
  if (!real_) return bits;
  return quantised::value_of(net::half{static_cast<std::uint16_t>(bits)});
}

NVDLAC_IMPL std::int64_t table_fit::place(double x) const {
  if (!real_) return static_cast<std::int64_t>(std::clamp(x, -2147483648.0, 2147483647.0));
  return std::bit_cast<std::int32_t>(static_cast<float>(std::clamp(x, -3e38, 3e38)));
}

NVDLAC_IMPL void table_fit::keep(const table_pair& p, double error) {
  best_.error = error;
  auto& s = best_.settings = p.settings();
  const auto domain = [&](const table_line& l) {
    return arithmetic::lut_domain{.start = place(l.start), .end = place(l.end()),
                                  .select = l.exponential ? 0 : l.step};
  };
  s.le = domain(p.le);
  s.lo = domain(p.lo);
  s.offset = p.le.exponential ? p.le.step : 0;
  const auto bits = [&](double y) { return bits_of(y); };
  std::ranges::transform(p.le.entries, best_.tables.le.begin(), bits);
  std::ranges::transform(p.lo.entries, best_.tables.lo.begin(), bits);
}

}  // namespace detail

NVDLAC_IMPL fitted_table fit_tables(table_curve curve, bool real) {
  return detail::table_fit(std::move(curve), real).run();
}

}  // namespace nvdlac::quant
