// SPDX-License-Identifier: Apache-2.0
// EXPECT: "lower"
// EXPECT: invalid<net::move, net::rule::moves_another_number_of_elements_than_its_result_has>
// MEANS: The boxes of a move hold fewer or more elements than its result.
// REMEDY: Give every element of the result one box; boxes of no input (-1) hold the fill value.
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/standard_operators.hpp>

using namespace nvdlac::net;

#ifdef FIXED
constexpr shape target{8, 4, 8};
#else
constexpr shape target{8, 5, 8};
#endif
constexpr std::array lower_half{box{.from = {0, 4, 0},
                              .loops = {{{8, {1, 0, 0}, {1, 0, 0}},
                                         {4, {0, 1, 0}, {0, 1, 0}},
                                         {8, {0, 0, 1}, {0, 0, 1}}}}}};
constexpr network net{
    input{{8, 8, 8}},
    node{"lower", move{.target = target, .boxes = lower_half}},
};
