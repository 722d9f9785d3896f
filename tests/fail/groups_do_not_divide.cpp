// SPDX-License-Identifier: Apache-2.0
// EXPECT: "grouped"
// EXPECT: invalid<net::convolution, net::rule::groups_do_not_divide_channels_and_kernels>
// MEANS: Each group of a convolution has the same number of input channels and of kernels.
// REMEDY: Choose a number of groups that divides both.
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/standard_operators.hpp>

using namespace nvdlac::net;

#ifdef FIXED
constexpr int groups = 2;
#else
constexpr int groups = 4;
#endif
constexpr network net{
    input{{6, 16, 16}},
    node{"grouped", convolution{.kernels = 8, .window = square{.kernel = 3}, .groups = groups}},
};
