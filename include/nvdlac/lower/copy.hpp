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

}  // namespace nvdlac::lower
