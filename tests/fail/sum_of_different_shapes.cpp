// SPDX-License-Identifier: Apache-2.0
// EXPECT: "sum"
// EXPECT: invalid<net::add, net::rule::inputs_of_different_shapes>
// MEANS: The operator computes element by element, and its inputs have different shapes.
// REMEDY: Give the convolution of the branch a padding or as many kernels as the other input has
// REMEDY: channels.
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/standard_operators.hpp>

using namespace nvdlac::net;

#ifdef FIXED
constexpr int pad = 1;
#else
constexpr int pad = 0;
#endif
constexpr network net{
    node{"data", input{{8, 16, 16}}},
    node{"branch", convolution{.kernels = 8, .window = square{.kernel = 3, .pad = pad}}},
    node{"sum", add{}, "branch", "data"},
};
