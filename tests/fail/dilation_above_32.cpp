// SPDX-License-Identifier: Apache-2.0
// EXPECT: "far"
// EXPECT: unsupported<net::convolution, nv_small, lower::reason::dilation_above_32>
// MEANS: The registers of CONV hold dilations of at most 32. (Lines that are further apart are
//        computed in phases, and the elements under kernels of up to 8 x 8 copied side by side.)
// REMEDY: Make the dilation smaller, or stride the layers before it.
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/runs_on.hpp>

using namespace nvdlac::net;

#ifdef FIXED
constexpr int dilation = 32;
#else
constexpr int dilation = 33;
#endif
constexpr network net{
    input{{8, 1, 300}},
    node{"far", convolution{.window = {.kernel_w = 9, .dilation_w = dilation}}},
};
static_assert(nvdlac::runs_on<nvdlac::nv_small>(net));
