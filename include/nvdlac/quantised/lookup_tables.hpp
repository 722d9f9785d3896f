// SPDX-License-Identifier: Apache-2.0
#pragma once
// The interpolated tables of `lookup` and `lrn` as their members: LE of 65 entries, LO of 257.
#include <algorithm>
#include <cstdint>
#include <string>

#include <nvdlac/arithmetic/lut.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/net/operation.hpp>

namespace nvdlac::quantised {

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

}  // namespace nvdlac::quantised
