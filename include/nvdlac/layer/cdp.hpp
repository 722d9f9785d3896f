// SPDX-License-Identifier: Apache-2.0
#pragma once
// The layers of CDP.
#include <cstdint>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/layer/engine.hpp>
#include <nvdlac/layer/lut.hpp>
#include <nvdlac/layer/surface.hpp>

namespace nvdlac::layer {

// One pass of CDP from memory to memory: what its table says to the sum of the squares of
// local_size channels, times the element. Lanes beyond the last channel count as 0.
struct cdp {
  layer::surface input{}, output{};
  std::int32_t local_size = 5;  // 3, 5, 7 or 9
  converter in{}, out{};
  std::int16_t lut = -1;        // index into program::luts

  constexpr bool operator==(const cdp&) const = default;
};

template <>
struct engine<cdp> {
  static constexpr const char* name = "CDP";
  static constexpr auto number = engine_number::cdp;
  static constexpr fixed_string done{"GLB.S_INTR_STATUS.CDP_DONE_STATUS0"};
  static constexpr register_blocks<"CDP"> cores{};
  static constexpr bool is_in(const hw::spec& s) { return s.has_cdp(); }
  static constexpr fixed_string reader{"CDP_RDMA"};
  static constexpr bool uses_reader(const cdp&) { return true; }
  template <class Visit>
  static constexpr void cubes(auto& l, Visit visit) {
    visit(l.input, access::read);
    visit(l.output, access::write);
  }
};

}  // namespace nvdlac::layer
