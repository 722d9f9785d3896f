// SPDX-License-Identifier: Apache-2.0
// EXPECT: "large"
// EXPECT: unsupported<net::convolution, nv_full, lower::reason::kernel_above_32x32>
// MEANS: The registers of CONV hold kernels of at most 32 x 32.
// REMEDY: Write the layer as several convolutions, or use a dilation or a stride instead of the
// REMEDY: large kernel.
#include <nvdlac/hw/nv_full.hpp>
#include <nvdlac/lower/runs_on.hpp>

using namespace nvdlac::net;

#ifdef FIXED
constexpr int size = 32;
#else
constexpr int size = 33;
#endif
constexpr network net{
    input{{1, 40, 40}},
    node{"large", convolution{.window = square{.kernel = size}}},
};
static_assert(nvdlac::runs_on<nvdlac::nv_full>(net));
