// SPDX-License-Identifier: Apache-2.0
// EXPECT: "folded"
// EXPECT: invalid<net::reshape, net::rule::reshape_to_another_number_of_elements>
// MEANS: A reshape keeps all elements, and the target has more or fewer.
// REMEDY: Multiply the numbers of the target and of the input.
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/standard_operators.hpp>

using namespace nvdlac::net;

#ifdef FIXED
constexpr shape target{32, 4, 4};
#else
constexpr shape target{32, 4, 5};
#endif
constexpr network net{
    input{{8, 8, 8}},
    node{"folded", reshape{target}},
};
