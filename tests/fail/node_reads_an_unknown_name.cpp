// SPDX-License-Identifier: Apache-2.0
// EXPECT: "sum"
// EXPECT: invalid<net::add, net::rule::reads_a_name_of_no_node_before_it>
// MEANS: The node reads a name that no node before it has. clang shows the name in the call of
// MEANS: `require`.
// REMEDY: Correct the name. Nodes come after those that they read.
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/standard_operators.hpp>

using namespace nvdlac::net;

#ifdef FIXED
constexpr auto name = "data";
#else
constexpr auto name = "date";
#endif
constexpr network net{
    node{"data", input{{1, 8, 8}}},
    node{"smooth", convolution{.window = square{.kernel = 3, .pad = 1}}},
    node{"sum", add{}, "smooth", name},
};
