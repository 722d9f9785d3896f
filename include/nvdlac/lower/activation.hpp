// SPDX-License-Identifier: Apache-2.0
#pragma once
// Clipping, PReLU and functions of an element: SDP over tensors in memory.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/sdp.hpp>
#include <nvdlac/lower/assembly.hpp>
#include <nvdlac/lower/convolve.hpp>
#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/sdp_operands.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

template <>
struct standard_lowering<quantised::clip> {
  static constexpr void run(const target& hw, assembly& to, const site<quantised::clip>& s) {
    const auto& op = s.op;
    const bool low = op.low != quantised::no_low, high = op.high != quantised::no_high;
    layer::sdp sdp{.input = s.in[0], .output = s.out};
    const auto minimum = bounded(layer::sdp_alu::minimum, op.high);
    const auto maximum = bounded(layer::sdp_alu::maximum, op.low);
    if (op.multiplier == 1 && op.shift == 0) {
      if (low) sdp.x1 = maximum;
      if (high) sdp.x2 = minimum;
      return to.add(s.name, sdp);
    }
    sdp.x1 = {.mul = true, .relu = op.low == 0, .mul_shift = op.shift,
              .mul_operand = op.multiplier};
    if (high) sdp.x2 = minimum;
    else if (low && op.low != 0) sdp.x2 = maximum;
    if (!high || !low || op.low == 0) return to.add(s.name, sdp);
    // X1 and X2 have one adder each, and the first one is before the multiplier.
    auto scratch = layer::packed(s.out.shape, hw.atom(), {}, s.out.precision);
    scratch.at = to.reserve(label(s.name, "/scratch"), plan::memory::features, scratch.size);
    sdp.output = scratch;
    to.add(label(s.name, "/high"), sdp);
    to.add(s.name, layer::sdp{.input = scratch, .x1 = maximum, .output = s.out});
  }
};

template <>
struct standard_lowering<quantised::prelu> {
  static constexpr void run(const target& hw, assembly& to, const site<quantised::prelu>& s) {
    const auto& op = s.op;
    layer::sdp sdp{.input = s.in[0], .out = op.out, .output = s.out};
    sdp.x1 = {.mul = true, .mul_operand = op.multiplier};
    sdp.x2 = {.mul = true, .prelu = true, .mul_shift = op.shift};
    detail::set_operand(hw, to, s, op.slope, "slope", sdp.x2, &layer::sdp_unit::mul_operand);
    to.add(s.name, sdp);
  }
};

// LO has an entry for each int8 value, one apart: nothing is interpolated. Values below answer with
// the first entry and values above with the last one: LE, which starts where no int8 value is above
// it and answers before LO where that ends, holds nothing else.
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
  lut.tables.le.fill(values[values.size() - 1]);
  return lut;
}

template <>
struct standard_lowering<quantised::lookup> {
  static constexpr void run(const target& hw, assembly& to, const site<quantised::lookup>& s) {
    require_support(hw, s);
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
