// SPDX-License-Identifier: Apache-2.0
// EXPECT: layer_number{2
// EXPECT: invalid<net::add, net::rule::reads_another_number_of_inputs_than_its_operator_takes>
// MEANS: The operator takes another number of inputs than the node reads. A node that names no
// MEANS: inputs reads the one before it.
// REMEDY: Name as many inputs as the operator takes: `node{"sum", add{}, "active", "data"}`.
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/standard_operators.hpp>

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
