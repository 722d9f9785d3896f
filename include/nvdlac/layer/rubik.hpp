// SPDX-License-Identifier: Apache-2.0
#pragma once
// The layers of Rubik.
#include <cstdint>

#include <nvdlac/layer/engine.hpp>
#include <nvdlac/layer/surface.hpp>

namespace nvdlac::layer {

// One pass of Rubik in the mode that contracts: the surfaces of the input are stride_y * stride_x
// groups, each as many as the output has; pixel (y, x) of group r * stride_x + s becomes
// pixel (y * stride_y + r, x * stride_x + s) of the output. Atoms move whole, in any precision.
struct rubik {
  layer::surface input{}, output{};
  std::int32_t stride_y = 1, stride_x = 1;

  constexpr std::int32_t groups() const { return stride_y * stride_x; }
  constexpr bool operator==(const rubik&) const = default;
};

template <>
struct engine<rubik> {
  static constexpr const char* name = "RUBIK";
  static constexpr auto number = engine_number::rubik;
  static constexpr fixed_string done{"GLB.S_INTR_STATUS.RUBIK_DONE_STATUS0"};
  static constexpr register_blocks<"RBK"> cores{};
  static constexpr bool is_in(const hw::spec& s) { return s.rubik; }
  template <class Visit>
  static constexpr void cubes(auto& l, Visit visit) {
    visit(l.input, access::read);
    visit(l.output, access::write);
  }
};

}  // namespace nvdlac::layer
