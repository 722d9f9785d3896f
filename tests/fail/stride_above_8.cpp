// SPDX-License-Identifier: Apache-2.0
// EXPECT: "sparse"
// EXPECT: unsupported<quantised::convolution, nv_small, lower::reason::stride_above_8>
// MEANS: The registers hold strides of at most 8.
// REMEDY: Make the stride smaller. In a network of real numbers it may be larger: a pass makes it
// REMEDY: smaller ones.
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/runs_in_integers.hpp>
#include <nvdlac/lower/support_integer.hpp>

using namespace nvdlac::net;
namespace quantised = nvdlac::quantised;

#ifdef FIXED
constexpr int stride = 8;
#else
constexpr int stride = 9;
#endif
constexpr network net{
    node{"data", quantised::input{{3, 64, 64}}},
    node{"sparse", quantised::convolution{.window = square{.kernel = 9, .stride = stride},
                                        .weights = only_size{3 * 81},
                                        .bias = only_size{1},
                                        .multiplier = only_size{1}}},
};
static_assert(nvdlac::runs_on<nvdlac::nv_small>(net));
