// SPDX-License-Identifier: Apache-2.0
// EXPECT: "likely"
// EXPECT: unsupported<net::softmax, nv_small, lower::reason::softmax_over_a_plane>
// MEANS: The host computes softmax, and only of a vector: height and width are 1.
// REMEDY: Pool globally or use a fully connected layer before it, or leave the softmax out.
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/runs_on.hpp>

using namespace nvdlac::net;

constexpr network net{
    input{{4, 6, 6}},
    convolution{.kernels = 10},
#ifdef FIXED
    pool{.global = true},
#endif
    node{"likely", softmax{}},
};
static_assert(nvdlac::runs_on<nvdlac::nv_small>(net));
