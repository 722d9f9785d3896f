// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ostream>
#include <string>
#include <string_view>

#include <nvdlac/escape.hpp>
#include <nvdlac/net/shape.hpp>
#include <nvdlac/report/describe.hpp>

namespace nvdlac::report {

// A graph in Graphviz's language: a box per node with its name, operator and shape; outputs have a
// double line.
template <class Graph>
void graphviz(std::ostream& out, const Graph& g, std::string_view title = "network") {
  out << "digraph \"" << escape::dot(title) << "\" {\n  node [shape=box];\n";
  for (typename Graph::id n = 0; n < g.size(); ++n)
    out << "  n" << n << " [label=\"" << escape::dot(g[n].name) << "\\n"
        << escape::dot(describe(g[n].op)) << "\\n" << g[n].shape << '"'
        << (g[n].output ? " peripheries=2" : "") << "];\n";
  for (typename Graph::id n = 0; n < g.size(); ++n)
    for (const auto i : g.inputs(n)) out << "  n" << i << " -> n" << n << ";\n";
  out << "}\n";
}

}  // namespace nvdlac::report
