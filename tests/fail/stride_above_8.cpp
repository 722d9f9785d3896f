// SPDX-License-Identifier: Apache-2.0
// EXPECT: "sparse"
// EXPECT: unsupported<net::convolution, nv_small, lower::reason::stride_above_8>
// MEANS: The registers hold strides of at most 8.
// REMEDY: Make the stride smaller, or pool after the convolution.
#include <nvdlac/hw/nv_small.hpp>
#include <nvdlac/lower/runs_on.hpp>

using namespace nvdlac::net;

#ifdef FIXED
constexpr int stride = 8;
#else
constexpr int stride = 9;
#endif
constexpr network net{
    input{{3, 64, 64}},
    node{"sparse", convolution{.window = square{.kernel = 9, .stride = stride}}},
};
static_assert(nvdlac::runs_on<nvdlac::nv_small>(net));
