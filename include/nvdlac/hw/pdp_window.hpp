// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include <nvdlac/hw/spec.hpp>

namespace nvdlac::hw {

// PDP's line buffers hold 8 lines, so a window is at most 8 x 8; its pads have fields of 3 bits.
inline constexpr std::int32_t pdp_kernel = 8, pdp_pad = 7;

// 1 / n as PDP's reciprocal registers take it: in units of 2^-16, or in fp16 the bits of an fp17.
constexpr std::int32_t pdp_reciprocal(std::int32_t n, precision p = precision::int8) {
  constexpr std::array fp17{0x7c00, 0x7800, 0x7555, 0x7400, 0x7266, 0x7155, 0x7092, 0x7000};
  return p == precision::fp16 ? fp17[static_cast<std::size_t>(n - 1)] : 65536 / n;
}

}  // namespace nvdlac::hw
