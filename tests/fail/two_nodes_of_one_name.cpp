// SPDX-License-Identifier: Apache-2.0
// EXPECT: "conv"
// EXPECT: invalid<net::convolution, net::rule::has_the_name_of_another_node>
// MEANS: Two nodes have the same name, so that a third could not tell which of them it reads.
// REMEDY: Rename one of them.
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/standard_operators.hpp>

using namespace nvdlac::net;

#ifdef FIXED
constexpr auto name = "conv2";
#else
constexpr auto name = "conv";
#endif
constexpr network net{
    node{"data", input{{3, 16, 16}}},
    node{"conv", convolution{.kernels = 8, .window = square{.kernel = 3}}},
    node{name, convolution{.kernels = 8, .window = square{.kernel = 3}}},
};
