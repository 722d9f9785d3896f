// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <own_parts.hpp>  // the tool's: not by the folder of this file

#include <nvdlac/import/own_graph.hpp>

namespace nvdlac::cli {

// The graph that holds the networks of this tool.
using graph = import::graph_of<own_operators>;

// A struct, which target.hpp can declare.
struct float_graph {
  cli::graph& graph;
};
inline graph& graph_in(const float_graph& g) { return g.graph; }

}  // namespace nvdlac::cli
