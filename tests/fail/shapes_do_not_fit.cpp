// SPDX-License-Identifier: Apache-2.0
// EXPECT: layer_number{2
// EXPECT: invalid<net::convolution, net::rule::window_larger_than_the_padded_input>
// MEANS: The window is larger than what the layer before it gives, with the padding. A layer
// MEANS: without a name is shown by its number, from 0 on.
// REMEDY: Make the input or the padding larger, or the windows and strides before it smaller.
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/standard_operators.hpp>

using namespace nvdlac::net;

#ifdef FIXED
constexpr int size = 28;
#else
constexpr int size = 4;
#endif
// The second window finds only 2 x 2 elements.
constexpr network net{
    input{{1, size, size}},
    pool{.window = square{.kernel = 2, .stride = 2}},
    convolution{.kernels = 8, .window = square{.kernel = 5}},
};
