// SPDX-License-Identifier: Apache-2.0
// EXPECT: "lower"
// EXPECT: invalid<net::move, net::rule::moves_elements_outside_its_tensors>
// MEANS: A box of a move reaches beyond its input or beyond the result.
// REMEDY: First positions and steps times counts of all loops stay inside both shapes.
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/standard_operators.hpp>

using namespace nvdlac::net;

#ifdef FIXED
constexpr std::int32_t lines = 4;
#else
constexpr std::int32_t lines = 5;
#endif
constexpr std::array lower_half{box{.from = {0, 4, 0},
                              .loops = {{{8, {1, 0, 0}, {1, 0, 0}},
                                         {lines, {0, 1, 0}, {0, 1, 0}},
                                         {8, {0, 0, 1}, {0, 0, 1}}}}}};
constexpr network net{
    input{{8, 8, 8}},
    node{"lower", move{.target = {8, lines, 8}, .boxes = lower_half}},
};
