// SPDX-License-Identifier: Apache-2.0
// EXPECT: nvdlac: a network has at least an input
// MEANS: A network without nodes computes nothing, and no configuration runs it.
// REMEDY: Write its nodes, the input first.
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/standard_operators.hpp>

using namespace nvdlac::net;

#ifdef FIXED
constexpr network net{
    node{"picture", input{{1, 28, 28}}},
};
#else
constexpr network<> net{};
#endif
