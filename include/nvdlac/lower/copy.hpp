// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <nvdlac/lower/assembly.hpp>

namespace nvdlac::lower {

// A pass of SDP from memory to memory: y = saturate(round_shift(x * multiplier, shift)) to
// the integers of the cubes; without a multiplier of any number.
constexpr void copy(assembly& to, const label& name, const layer::surface& in,
                 const layer::surface& out, std::int16_t multiplier = 1, std::uint8_t shift = 0) {
  layer::sdp sdp{.input = in, .output = out};
  if (multiplier != 1 || shift != 0)
    sdp.x1 = {.mul = true, .mul_shift = shift, .mul_operand = multiplier};
  to.add(name, sdp);
}

// A pass of SDP: the sum of two cubes of one shape and precision.
constexpr layer::sdp sum_of(const layer::surface& a, const layer::surface& b,
                            const layer::surface& out) {
  return {.input = a,
          .x1 = {.alu = true,
                 .mode = layer::sdp_mode::per_point,
                 .operand_bytes = static_cast<std::uint8_t>(hw::element_bytes(b.precision)),
                 .operands = b},
          .output = out};
}

}  // namespace nvdlac::lower
