// SPDX-License-Identifier: Apache-2.0
// EXPECT: "words"
// EXPECT: unsupported<net::fully_connected, nv_small, lower::reason::more_than_8192_kernels>
// MEANS: A convolution, and a fully connected layer is one, has at most 8192 kernels.
// REMEDY: Cut the layer into several and join them by a concat.
#include <nvdlac/hw/nv_small.hpp>
#include <nvdlac/lower/runs_on.hpp>

using namespace nvdlac::net;

#ifdef FIXED
constexpr int outputs = 8192;
#else
constexpr int outputs = 10000;
#endif
constexpr network net{
    input{{16, 1, 1}},
    node{"words", fully_connected{.outputs = outputs}},
};
static_assert(nvdlac::runs_on<nvdlac::nv_small>(net));
