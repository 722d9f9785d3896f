// SPDX-License-Identifier: Apache-2.0
// EXPECT: invalid<.*net::add, .*reads_a_name_of_no_node_before_it>
// EXPECT: "sum"
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
