// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/net/graph.hpp>
#include <nvdlac/net/integer/operators.hpp>

namespace nvdlac::net::integer {

using graph = basic_graph<operators>;

}  // namespace nvdlac::net::integer
