// SPDX-License-Identifier: Apache-2.0
// EXPECT: "large"
// EXPECT: unsupported<quantised::convolution, nv_full, lower::reason::kernel_above_32x32>
// MEANS: The registers of CONV hold kernels of at most 32 x 32.
// REMEDY: Write the layer as several convolutions, or use a dilation or a stride instead of the
// REMEDY: large kernel. In a network of real numbers a pass makes several of it.
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/lower/runs_in_integers.hpp>
#include <nvdlac/lower/support_integer.hpp>

using namespace nvdlac::net;
namespace quantised = nvdlac::quantised;

#ifdef FIXED
constexpr int size = 32;
#else
constexpr int size = 33;
#endif
constexpr network net{
    node{"data", quantised::input{{1, 40, 40}}},
    node{"large", quantised::convolution{.window = square{.kernel = size},
                                       .weights = only_size{size * size},
                                       .bias = only_size{1},
                                       .multiplier = only_size{1}}},
};
static_assert(nvdlac::runs_on<nvdlac::nv_full>(net));
