// SPDX-License-Identifier: Apache-2.0
// EXPECT: nvdlac: the node's operator takes another number of inputs than it reads
// EXPECT: nvdlac::net::add
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/operators.hpp>

using namespace nvdlac::net;

constexpr network net{
    node{"data", input{{1, 8, 8}}},
    node{"active", relu{}},
#ifdef FIXED
    node{"sum", add{}, "active", "data"},
#else
    add{},
#endif
};
