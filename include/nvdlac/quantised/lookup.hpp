// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <nvdlac/arithmetic/lut.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quantised {

// The interpolated tables of `lookup` and `lrn` as their members: LE of 65 entries, LO of 257.
using table_entries = net::constants<std::int16_t>;

inline void check_tables(const table_entries& le, const table_entries& lo, diagnostics& found,
                         const std::string& layer) {
  check_values(le, arithmetic::lut::le_last + 1, "table LE", found, layer);
  check_values(lo, arithmetic::lut::lo_last + 1, "table LO", found, layer);
}
constexpr net::fitting fit_tables(const table_entries& le, const table_entries& lo) {
  return net::all_of({fit_values(le, arithmetic::lut::le_last + 1, "table LE"),
                      fit_values(lo, arithmetic::lut::lo_last + 1, "table LO"),
                      fit_known(le, "table LE"), fit_known(lo, "table LO")});
}
constexpr arithmetic::lut_tables tables_of(const table_entries& le, const table_entries& lo) {
  arithmetic::lut_tables t;
  std::copy(le.begin(), le.end(), t.le.begin());
  std::copy(lo.begin(), lo.end(), t.lo.begin());
  return t;
}

// Whether registers hold the settings: starts of `start_bits`, steps of `select_bits`.
template <int StartBits, int SelectBits>
constexpr bool fits_registers(const arithmetic::lut_settings& s) {
  for (const auto* d : {&s.le, &s.lo})
    if (saturate<StartBits>(d->start) != d->start || saturate<32>(d->end) != d->end ||
        saturate<SelectBits>(d->select) != d->select ||
        saturate<5>(d->underflow.shift) != d->underflow.shift ||
        saturate<5>(d->overflow.shift) != d->overflow.shift)
      return false;
  return saturate<8>(s.offset) == s.offset;
}

// Any function of int8: y = values[x + 128]. In int16 and fp16 what SDP interpolates between the
// entries of two tables, which are of the precision of the tensor.
struct lookup {
  static constexpr net::arity inputs{1, 1};
  static constexpr std::int64_t size = 256;

  net::constants<std::int8_t> values{};
  arithmetic::lut_settings table{};  // in 16 bits, and these instead of `values`:
  table_entries le{}, lo{};          // 65 and 257 entries
  static constexpr void fields(auto&& field) {
    field("values", &lookup::values);
    field("table", &lookup::table);
    field("le", &lookup::le);
    field("lo", &lookup::lo);
  }

  constexpr bool interpolates() const { return !le.empty(); }

  constexpr std::int8_t finish(std::int8_t x) const {
    return values[static_cast<std::size_t>(x + 128)];
  }

  constexpr net::fitting fit(std::span<const net::shape> in) const {
    if (!fits_registers<32, 8>(table)) return net::rule::offset_or_table_beyond_the_registers;
    return in[0];
  }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  void check(std::span<const net::shape>, diagnostics& found, const std::string& layer) const {
    if (interpolates()) check_tables(le, lo, found, layer);
    else check_values(values, size, "table", found, layer);
  }
  constexpr net::fitting fit_constants(std::span<const net::shape> in) const {
    if (interpolates()) return net::all_of({fit_tables(le, lo), in[0]});
    return net::all_of({fit_values(values, size, "table"), fit_known(values, "table"), in[0]});
  }
  template <class T>
  net::tensor<T> evaluate(std::span<const net::tensor<T>* const> in) const {
    net::tensor<T> y = *in[0];
    infer(std::array{y.shape});
    fit_constants(std::array{y.shape}).value();
    if (interpolates() != (sizeof(T) == 2))
      throw error("a lookup has tables of another precision than its tensor");
    if constexpr (sizeof(T) == 1) {
      for (auto& v : y.values) v = finish(v);
    } else {
      const auto entries = tables_of(le, lo);
      arithmetic::lut_counts counts;
      for (auto& v : y.values)
        if constexpr (is_real<T>)
          v = written(arithmetic::sdp_lut(table, entries, widened(v), counts), false);
        else v = written<T>(arithmetic::sdp_lut(table, entries, v, counts), false);
    }
    return y;
  }
};
static_assert(net::operation<lookup>);

}  // namespace nvdlac::quantised
