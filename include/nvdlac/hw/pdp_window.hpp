// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace nvdlac::hw {

// PDP's line buffers hold 8 lines, so a window is at most 8 x 8; its pads have fields of 3 bits.
inline constexpr std::int32_t pdp_kernel = 8, pdp_pad = 7;

}  // namespace nvdlac::hw
