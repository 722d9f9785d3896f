// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <nvdlac/base/cpp20.hpp>

namespace nvdlac::hw {

// What the registers of CDMA and CSC hold of a convolution: at most 8192 kernels; windows of at
// most 32 x 32 taps, steps of at most 8, distances of taps of at most 32, and paddings.
inline constexpr std::int32_t conv_kernels = 8192, conv_kernel = 32, conv_stride = 8,
                              conv_dilation = 32, conv_pad_before = 31, conv_pad_after = 63;

}  // namespace nvdlac::hw
