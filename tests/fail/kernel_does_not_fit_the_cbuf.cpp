// SPDX-License-Identifier: Apache-2.0
// EXPECT: "wide"
// EXPECT: unsupported<net::convolution, nv_small, lower::reason::kernel_does_not_fit_the_cbuf>
// MEANS: CONV keeps at least one kernel and the input lines that it reads in its convolution
// MEANS: buffer. Here one kernel of 32 x 32 x 160 has 160 KiB, and the buffer of nv_small 128 KiB.
// REMEDY: Choose a configuration with a larger buffer, or a layer with fewer channels or a smaller
// REMEDY: kernel.
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/runs_on.hpp>

using namespace nvdlac::net;

constexpr network net{
    input{{160, 32, 32}},
    node{"wide", convolution{.window = square{.kernel = 32}}},
};
#ifdef FIXED
static_assert(nvdlac::runs_on<nvdlac::nv_large>(net));
#else
static_assert(nvdlac::runs_on<nvdlac::nv_small>(net));
#endif
