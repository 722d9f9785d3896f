// SPDX-License-Identifier: Apache-2.0
// EXPECT: "picture"
// EXPECT: invalid<net::input, net::rule::dimension_below_1>
// MEANS: A shape is channels x height x width, each at least 1.
// REMEDY: Write all three numbers: `input{{1, 28, 28}}`.
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/standard_operators.hpp>

using namespace nvdlac::net;

#ifdef FIXED
constexpr shape size{1, 28, 28};
#else
constexpr shape size{0, 28, 28};
#endif
constexpr network net{
    node{"picture", input{size}},
};
