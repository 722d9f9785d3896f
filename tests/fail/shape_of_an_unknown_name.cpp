// SPDX-License-Identifier: Apache-2.0
// EXPECT: "conv3"
// EXPECT: no_node_of_this_name
// MEANS: The network has no node of this name.
// REMEDY: Correct the name.
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/standard_operators.hpp>

using namespace nvdlac::net;

constexpr network net{
    node{"data", input{{3, 16, 16}}},
    node{"conv2", convolution{.kernels = 8, .window = square{.kernel = 3}}},
};
#ifdef FIXED
static_assert(net.shape_of("conv2") == shape{8, 14, 14});
#else
static_assert(net.shape_of("conv3") == shape{8, 14, 14});
#endif
