// SPDX-License-Identifier: Apache-2.0
// EXPECT: "conv"
// EXPECT: invalid<quantised::convolution, net::rule::constants_of_another_number_than_needed>
// MEANS: A network in integers refers to its constants or tells their number, and here it is not
// MEANS: the number that the layer needs: kernels x channels of a group x height x width of the
// MEANS: window for weights, one for each kernel for bias and multiplier.
// REMEDY: Give the array of this layer, or correct the layer. clang shows both numbers in the call
// REMEDY: of `require`.
#include <nvdlac/net/network.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace quantised = nvdlac::quantised;
using namespace nvdlac::net;

#ifdef FIXED
constexpr only_size weights{8 * 3 * 5 * 5};
#else
constexpr only_size weights{8 * 5 * 5};
#endif
constexpr network net{
    node{"data", quantised::input{{3, 28, 28}}},
    node{"conv", quantised::convolution{.kernels = 8, .window = square{.kernel = 5},
                                      .weights = weights, .bias = only_size{8},
                                      .multiplier = only_size{8}}},
};
