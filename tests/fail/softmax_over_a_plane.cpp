// SPDX-License-Identifier: Apache-2.0
// EXPECT: unsupported<nvdlac::net::softmax, nvdlac::nv_small, nvdlac::lower::reason::softmax_over_a_plane>
#include <nvdlac/hw/nv_small.hpp>
#include <nvdlac/lower/runs_on.hpp>

using namespace nvdlac::net;

constexpr network net{
    input{{4, 6, 6}},
    convolution{.kernels = 10},
#ifdef FIXED
    pool{.global = true},
#endif
    softmax{},
};
static_assert(nvdlac::runs_on<nvdlac::nv_small>(net));
