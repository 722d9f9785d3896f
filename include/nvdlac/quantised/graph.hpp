// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/net/graph.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::quantised {

using graph = net::basic_graph<operators>;

}  // namespace nvdlac::quantised
