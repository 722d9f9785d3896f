// SPDX-License-Identifier: Apache-2.0
// EXPECT: "words"
// EXPECT: unsupported<net::convolution, nv_small, lower::reason::more_than_8192_kernels>
// MEANS: A group of a convolution has at most 8192 kernels; only a single group is split.
// REMEDY: Cut the layer into several and join them by a concat.
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/runs_on.hpp>

using namespace nvdlac::net;

#ifdef FIXED
constexpr int outputs = 16384;
#else
constexpr int outputs = 20000;
#endif
constexpr network net{
    input{{16, 1, 1}},
    node{"words", convolution{.kernels = outputs, .groups = 2}},
};
static_assert(nvdlac::runs_on<nvdlac::nv_small>(net));
