// SPDX-License-Identifier: Apache-2.0
// EXPECT: invalid<.*net::add, .*reads_another_number_of_inputs_than_its_operator_takes>
// EXPECT: layer_number\{2
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
