// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <nvdlac/base/label.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/sdp.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/lower/assembly.hpp>
#include <nvdlac/lower/atom_copy.hpp>

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

// Adds the passes of a copy of atoms.
constexpr void copy_atoms(const hw::spec& hw, assembly& to, const label& all, const atom_copy& c) {
  std::int32_t number = 0;
  detail::atom_copier(hw, c).for_each_pass(
      c, [&](const layer::surface& in, const layer::surface& out, bool alone) {
        label name = all;  // g++-12 cannot choose labels by ?: while compiling
        if (!alone) name = label(all, "/p", number++);
        copy(to, name, in, out);
      });
}

}  // namespace nvdlac::lower
