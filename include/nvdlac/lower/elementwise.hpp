// SPDX-License-Identifier: Apache-2.0
#pragma once
// scale and add: SDP over tensors in memory.
#include <cstdint>
#include <vector>

#include <nvdlac/lower/lowering.hpp>

namespace nvdlac::lower {

namespace detail {

// One int16 operand for each channel, padded with zeros to whole atoms.
template <class Hw>
constexpr layer::surface per_channel(assembly& to, const label& name,
                                     const net::integer::constants<std::int16_t>& values) {
  const auto size = align_up(values.size(), Hw::spec.memory_atom) * 2;
  const auto write = [&](std::uint8_t* bytes_of_values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      bytes_of_values[2 * i] = static_cast<std::uint8_t>(values[i] & 0xff);
      bytes_of_values[2 * i + 1] = static_cast<std::uint8_t>((values[i] >> 8) & 0xff);
    }
  };
  return {.at = to.keep_trained(name, size, values.known(), write),
          .shape = {static_cast<std::int32_t>(values.size()), 1, 1},
          .size = size};
}

}  // namespace detail

template <class Hw>
struct lowering<net::integer::scale, Hw> {
  static constexpr void run(assembly& to, const site<net::integer::scale>& s) {
    const auto& op = s.op;
    layer::sdp sdp{.input = s.in[0], .out = op.out, .output = s.out};
    sdp.x1.mul = true;
    if (op.multiplier.size() == 1) {
      net::require_known(op.multiplier, "multiplier");
      sdp.x1.mul_operand = op.multiplier[0];
    } else {
      sdp.x1.mode = layer::sdp_mode::per_kernel;
      sdp.x1.operands = detail::per_channel<Hw>(to, label(s.name, "/multiplier"), op.multiplier);
    }
    sdp.x2.relu = op.relu;
    if (!op.addend.empty()) {
      sdp.x2.alu = true;
      sdp.x2.alu_shift = op.addend_shift;
      if (op.addend.size() == 1) {
        net::require_known(op.addend, "addend");
        sdp.x2.alu_operand = op.addend[0];
      } else {
        sdp.x2.mode = layer::sdp_mode::per_kernel;
        sdp.x2.operands = detail::per_channel<Hw>(to, label(s.name, "/addend"), op.addend);
      }
    }
    to.add(s.name, sdp);
  }
};

template <class Hw>
struct lowering<net::integer::add, Hw> {
  static constexpr void run(assembly& to, const site<net::integer::add>& s) {
    layer::sdp sdp{.input = s.in[0], .out = s.op.out, .output = s.out};
    sdp.x1 = {.mul = true, .mul_operand = s.op.multiplier};
    sdp.x2 = {.alu = true,
              .relu = s.op.relu,
              .mode = layer::sdp_mode::per_point,
              .alu_shift = s.op.operand_shift,
              .operand_bytes = 1,
              .operands = s.in[1]};
    to.add(s.name, sdp);
  }
};

}  // namespace nvdlac::lower
