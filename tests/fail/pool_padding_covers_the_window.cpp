// SPDX-License-Identifier: Apache-2.0
// EXPECT: "pool"
// EXPECT: invalid<net::pool, net::rule::pooling_with_a_padding_not_smaller_than_its_window>
// MEANS: A window could lie in the padding alone and would have nothing to pool.
// REMEDY: Make the padding smaller than the window.
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/standard_operators.hpp>

using namespace nvdlac::net;

#ifdef FIXED
constexpr int pad = 1;
#else
constexpr int pad = 2;
#endif
constexpr network net{
    input{{8, 16, 16}},
    node{"pool", pool{.window = square{.kernel = 2, .stride = 2, .pad = pad}}},
};
