// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/support_integer.hpp>

namespace nvdlac::lower {

// LO has an entry for each int8 value, one apart: nothing is interpolated. Values below answer with
// the first entry and values above with the last one. LE starts where no int8 value is above it, so
// that it never answers.
constexpr layer::lut lut_of_bytes(const net::constants<std::int8_t>& values) {
  layer::lut lut;
  lut.settings = {.exponential = false,
                  .underflow_lo = true,
                  .overflow_lo = true,
                  .hybrid_lo = true,
                  .le = {.start = 127, .end = 127},
                  .lo = {.start = -128, .end = 127}};
  for (std::size_t i = 0; i < lut.tables.lo.size(); ++i)
    lut.tables.lo[i] = values[i < values.size() ? i : values.size() - 1];
  return lut;
}

template <class Hw>
struct lowering<quantised::lookup, Hw> {
  static constexpr void run(assembly& to, const site<quantised::lookup>& s) {
    require_support<Hw>(s);
    s.op.fit_constants(std::array{s.out.shape}).value();
    if (s.op.interpolates() != (s.in[0].precision != hw::precision::int8))
      throw error(problem{.layer = std::string(std::string_view(s.name)),
                          .reason = "its tables are of another precision than its tensor"});
    const auto lut = s.op.interpolates()
                         ? layer::lut{s.op.table, quantised::tables_of(s.op.le, s.op.lo)}
                         : lut_of_bytes(s.op.values);
    to.add(s.name, layer::sdp{.input = s.in[0], .output = s.out, .lut = to.keep_lut(lut)});
  }
};

}  // namespace nvdlac::lower
