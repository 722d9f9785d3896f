// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/net/graph.hpp>
#include <nvdlac/net/standard_operators.hpp>

namespace nvdlac::net {

// The network as the importers read it: real numbers.
using graph = basic_graph<standard_operators>;

// The network with operators of the user's own: structs with `inputs`, `infer` and `evaluate`.
template <operation... Own>
using graph_with = basic_graph<typename extended<standard_operators, Own...>::type>;

}  // namespace nvdlac::net
