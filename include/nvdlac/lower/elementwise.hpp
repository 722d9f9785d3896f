// SPDX-License-Identifier: Apache-2.0
#pragma once
// Scalings, sums, products, extrema and PReLU of two tensors: SDP over tensors in memory.
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/sdp.hpp>
#include <nvdlac/lower/assembly.hpp>
#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/sdp_operands.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

template <>
struct standard_lowering<quantised::scale> {
  static constexpr void run(const target& hw, assembly& to, const site<quantised::scale>& s) {
    const auto& op = s.op;
    layer::sdp sdp{.input = s.in[0], .out = op.out, .output = s.out};
    sdp.x1.mul = true;
    detail::set_operand(hw, to, s, op.multiplier, "multiplier", sdp.x1,
                        &layer::sdp_unit::mul_operand);
    sdp.x2.relu = op.relu;
    if (!op.addend.empty()) {
      sdp.x2.alu = true;
      sdp.x2.alu_shift = op.addend_shift;
      detail::set_operand(hw, to, s, op.addend, "addend", sdp.x2, &layer::sdp_unit::alu_operand);
    }
    to.add(s.name, sdp);
  }
};

template <>
struct standard_lowering<quantised::add> {
  static constexpr void run(const target& hw, assembly& to, const site<quantised::add>& s) {
    to.add(s.name, detail::two_inputs(hw, s, layer::sdp_alu::sum));
  }
};

template <>
struct standard_lowering<quantised::extremum> {
  static constexpr void run(const target& hw, assembly& to, const site<quantised::extremum>& s) {
    const bool maximum = s.op.kind == net::extremum_kind::maximum;
    to.add(s.name, detail::two_inputs(hw, s, maximum ? layer::sdp_alu::maximum
                                                     : layer::sdp_alu::minimum));
  }
};

template <>
struct standard_lowering<quantised::convert> {
  static constexpr void run(const target& hw, assembly& to, const site<quantised::convert>& s) {
    require_support(hw, s);
    to.add(s.name, layer::sdp{.input = s.in[0], .out = s.op.out, .output = s.out});
  }
};

template <>
struct standard_lowering<quantised::multiply> {
  static constexpr void run(const target& hw, assembly& to, const site<quantised::multiply>& s) {
    layer::sdp sdp{.input = s.in[0], .out = s.op.out, .output = s.out};
    sdp.x1 = detail::operands_of(hw, s.in[0], s.in[1]);
    sdp.x1.mul = true;
    sdp.x1.relu = s.op.relu;
    to.add(s.name, sdp);
  }
};

template <>
struct standard_lowering<quantised::elementwise_prelu> {
  static constexpr void run(const target& hw, assembly& to,
                            const site<quantised::elementwise_prelu>& s) {
    layer::sdp sdp{.input = s.in[0], .out = s.op.out, .output = s.out};
    sdp.x1 = {.mul = true, .mul_operand = s.op.multiplier};
    sdp.x2 = detail::operands_of(hw, s.in[0], s.in[1]);
    sdp.x2.mul = true;
    sdp.x2.prelu = true;
    sdp.x2.mul_shift = s.op.shift;
    to.add(s.name, sdp);
  }
};

}  // namespace nvdlac::lower
