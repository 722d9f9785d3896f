// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fits the two tables of SDP's or CDP's lookup to a function: of the ways to divide its domain
// between them the one whose largest error is least.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <nvdlac/arithmetic/lut.hpp>
#include <nvdlac/quant/multipliers.hpp>
#include <nvdlac/quant/real_form.hpp>

namespace nvdlac::quant {

// The function, in steps of the entries, from `low` to `high`. Where it is NaN or the weight of an
// error is 0, any value will do.
struct table_curve {
  std::function<double(double)> value;
  std::function<double(double)> weight;
  double low = 0, high = 0;
};

struct fitted_table {
  arithmetic::lut_settings settings{};
  arithmetic::lut_tables tables{};
  double error = 1e300;  // weighted; but for the roundings of the hardware
};

namespace detail {

// One table: where its entries are, and their values.
struct table_line {
  double start = 0;
  int step = 0, last = 0;  // entries 2^step apart; exponential: entry i at start + 2^(i + step)
  bool exponential = false;
  std::vector<double> entries{};

  double at(int i) const {
    return start + (exponential ? std::ldexp(1, i + step) : std::ldexp(i, step));
  }
  double end() const { return at(last); }
  arithmetic::lut_region region(double x) const;
  double operator()(double x) const;
};

struct table_pair {
  table_line le{.last = arithmetic::lut::le_last}, lo{.last = arithmetic::lut::lo_last};
  bool underflow_lo = true, overflow_lo = true, hybrid_lo = false;

  arithmetic::lut_settings settings() const;
  double operator()(double x) const {
    return arithmetic::lut::selects_lo(settings(), le.region(x), lo.region(x)) ? lo(x) : le(x);
  }
};

class table_fit {
 public:
  // In fp16 (`real`) entries are fp16 and places fp32; else they are integers.
  table_fit(table_curve curve, bool real);

  fitted_table run();

 private:
  static double snapped(double x, int step) {
    return std::ldexp(std::floor(std::ldexp(x, -step)), step);
  }
  // The smallest steps with which so many hold the domain.
  int whole_step(std::int64_t last) const;
  // In fp16 the entries of a table for the whole domain are at multiples of the step.
  struct sample {
    double at, value, weight;
  };

  double snapped_low(int step) const { return real_ ? snapped(curve_.low, step) : curve_.low; }
  void set_whole(table_line& line, int step) const;

  // A finer table where the whole one errs most, and one at the start of the domain.
  void try_windows(table_pair& p, const table_line& whole, table_line& window, int step);

  // LE doubles its steps, up to where LO begins or from where LO ends.
  void try_doubling();

  // Keeps the domains if they are better than all before.
  void try_pair(table_pair p);

  double error_of(const table_pair& p) const;

  // Places between two entries.
  std::array<double, 3> inside(double from, double to) const;
  // How far the function is from a chord, above 0, and where.
  std::pair<double, double> chord_error(double from, double to) const;
  double exact(double x) const;

  // Beyond the domain of the function the chord across its end meets it there.
  double entry(const table_line& line, int i) const;
  // A chord lies on one side of a curve: balanced, both its ends are moved by half of how far.
  void fill(table_line& line, bool balanced) const;

  std::int16_t bits_of(double y) const {
    return real_ ? half_bits(std::clamp(y, -65504.0, 65504.0), "table entry") : round16(y);
  }
  double value_of(std::int16_t bits) const;
  // A start or an end as the registers have it.
  std::int64_t place(double x) const;

  void keep(const table_pair& p, double error);

  table_curve curve_;
  bool real_;
  int finest_ = 0, lo_step_ = 0, le_step_ = 0;
  std::vector<sample> samples_{};  // evenly over the domain
  fitted_table best_{};
};

}  // namespace detail

fitted_table fit_tables(table_curve curve, bool real);

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/table_fit.ipp>
#endif
