// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <nvdlac/lower/assembly.hpp>

namespace nvdlac::lower {

// A pass of SDP from memory to memory.
constexpr void copy(assembly& to, const label& name, const layer::surface& in,
                    const layer::surface& out) {
  to.add(name, layer::sdp{.input = in, .output = out});
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
