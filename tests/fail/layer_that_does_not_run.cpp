// SPDX-License-Identifier: Apache-2.0
// EXPECT: layer_called<.*"edges"
// EXPECT: unsupported<net::convolution, (nvdlac::)?nv_small, lower::reason::dilation_above_32>
// MEANS: The hardware cannot run this layer. A network of static storage can be a template argument,
// MEANS: so that the assertion itself names it.
// REMEDY: What the reason asks for, here a dilation of at most 32.
#include <array>

#include <nvdlac/hw/nv_small.hpp>
#include <nvdlac/lower/runs_on.hpp>

using namespace nvdlac::net;

#ifdef FIXED
constexpr int dilation = 32;
#else
constexpr int dilation = 33;
#endif
constexpr network net{
    input{{1, 8, 400}},
    node{"edges", convolution{.window = {.kernel_w = 9, .dilation_w = dilation}}},
};
static_assert(nvdlac::runs_on<nvdlac::nv_small, net>());
