// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace nvdlac::hw {

// What CSC's registers hold of a convolution's window: at most 32 x 32 taps, steps of at most 8.
inline constexpr std::int32_t conv_kernel = 32, conv_stride = 8;

}  // namespace nvdlac::hw
