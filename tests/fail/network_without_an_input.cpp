// SPDX-License-Identifier: Apache-2.0
// EXPECT: "conv"
// EXPECT: invalid<net::convolution, net::rule::reads_the_node_before_the_first>
// MEANS: A node that names no inputs reads the node before it, and the first has none.
// REMEDY: Begin the network with an `input`.
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/standard_operators.hpp>

using namespace nvdlac::net;

constexpr network net{
#ifdef FIXED
    input{{3, 16, 16}},
#endif
    node{"conv", convolution{.kernels = 8, .window = square{.kernel = 3}}},
};
