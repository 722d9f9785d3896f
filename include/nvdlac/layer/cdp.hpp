// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <nvdlac/base/fixed.hpp>
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

}  // namespace nvdlac::layer
