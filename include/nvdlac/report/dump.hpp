// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ostream>
#include <vector>

#include <nvdlac/net/shape.hpp>
#include <nvdlac/report/describe.hpp>

namespace nvdlac::report {

// One line per node, producers first, then what lies on cycles:
// "conv1 = convolution kernels=20 window=5x5 stride=1x1 (data) : 20x24x24 [output]"
template <class Graph>
void dump(std::ostream& out, const Graph& g) {
  auto nodes = g.order();
  std::vector<bool> listed(g.size(), false);
  for (const auto n : nodes) listed[n] = true;
  for (typename Graph::id n = 0; n < g.size(); ++n)
    if (!listed[n]) nodes.push_back(n);
  for (const auto n : nodes) {
    out << g[n].name << " = " << describe(g[n].op) << " (";
    const char* separator = "";
    for (const auto i : g.inputs(n)) {
      out << separator << g[i].name;
      separator = ", ";
    }
    out << ") : " << g[n].shape << (g[n].output ? " [output]" : "") << '\n';
  }
}

}  // namespace nvdlac::report
