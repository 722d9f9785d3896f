// SPDX-License-Identifier: Apache-2.0
#pragma once
// The operands of the units X1 and X2 of SDP.
#include <cstddef>
#include <cstdint>

#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/sdp.hpp>
#include <nvdlac/lower/assembly.hpp>
#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/two_bytes.hpp>

namespace nvdlac::lower {

namespace detail {

// One int16 operand for each channel, padded with zeros to whole atoms.
constexpr layer::surface per_channel(const hw::spec& hw, assembly& to, const label& name,
                                     const net::constants<std::int16_t>& values,
                                     hw::precision p) {
  const auto size = align_up(values.size(), layer::lanes_of(hw.atom(), p)) * 2;
  const auto write = [&](std::uint8_t* bytes_of_values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      put_two_bytes(values[i], bytes_of_values + 2 * i);
  };
  return {.at = to.keep_trained(name, size, values.known(), write),
          .shape = {static_cast<std::int32_t>(values.size()), 1, 1},
          .size = size};
}

// The operand of a unit: a single number in its register, or one for each channel in
// memory.
template <class Op>
constexpr void set_operand(const hw::spec& hw, assembly& to, const site<Op>& s,
                           const net::constants<std::int16_t>& values, const char* what,
                           layer::sdp_unit& unit, std::int16_t layer::sdp_unit::*single) {
  if (values.size() == 1) {
    net::require_known(values, what);
    unit.*single = values[0];
  } else {
    unit.mode = layer::sdp_mode::per_kernel;
    unit.operands = per_channel(hw, to, label(s.name, "/", what), values, s.in[0].precision);
  }
}

}  // namespace detail

namespace detail {

// A unit of X1 or X2 that takes the second input: one operand for each element, or for each
// channel.
constexpr layer::sdp_unit operands_of(const hw::spec& hw, const layer::surface& first,
                                      const layer::surface& second) {
  layer::sdp_unit u{.mode = layer::sdp_mode::per_point,
                    .operand_bytes = static_cast<std::uint8_t>(hw::element_bytes(second.precision)),
                    .operands = second};
  if (first.shape == second.shape) return u;
  // A cube of height and width 1 whose surfaces stand side by side is a list of its channels.
  u.mode = layer::sdp_mode::per_kernel;
  u.operands = {.at = second.at,
                .shape = second.shape,
                .size = layer::surfaces(second.shape, hw.atom(), second.precision) *
                        hw.memory_atom};
  return u;
}

// alu(a * multiplier, b << shift) on X1 and X2.
template <class Op>
constexpr layer::sdp two_inputs(const hw::spec& hw, const site<Op>& s, layer::sdp_alu algorithm) {
  layer::sdp sdp{.input = s.in[0], .out = s.op.out, .output = s.out};
  sdp.x1 = {.mul = true, .mul_operand = s.op.multiplier};
  sdp.x2 = operands_of(hw, s.in[0], s.in[1]);
  sdp.x2.alu = true;
  sdp.x2.algorithm = algorithm;
  sdp.x2.alu_shift = s.op.operand_shift;
  sdp.x2.relu = s.op.relu;
  return sdp;
}

}  // namespace detail

}  // namespace nvdlac::lower
