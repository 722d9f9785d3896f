// SPDX-License-Identifier: Apache-2.0
// EXPECT: "both"
// EXPECT: invalid<net::concat, net::rule::inputs_of_different_heights_or_widths>
// MEANS: A concat joins channels, so its inputs must have the same height and width.
// REMEDY: Give both branches the same strides and paddings.
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/standard_operators.hpp>

using namespace nvdlac::net;

#ifdef FIXED
constexpr int stride = 2;
#else
constexpr int stride = 1;
#endif
constexpr network net{
    node{"data", input{{8, 16, 16}}},
    node{"small", pool{.window = square{.kernel = 2, .stride = 2}}},
    node{"wide", convolution{.kernels = 4, .window = square{.stride = stride}}, "data"},
    node{"both", concat{}, "small", "wide"},
};
