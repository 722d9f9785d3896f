// SPDX-License-Identifier: Apache-2.0
#pragma once
// The smallest network that a failure needs: pieces of a network are left out as long as it fails.
#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/input.hpp>

namespace shrinking {

using graph = nvdlac::quantised::graph;

// Without the nodes that no output needs.
inline graph needed(const graph& g) {
  std::set<graph::id> keep;
  std::vector<graph::id> open = g.outputs();
  while (!open.empty()) {
    const auto n = open.back();
    open.pop_back();
    if (!keep.insert(n).second) continue;
    for (const auto i : g.inputs(n)) open.push_back(i);
  }
  return g.filtered([&](graph::id n) { return keep.contains(n); });
}

// Only node n is an output.
inline graph up_to(graph g, graph::id n) {
  for (graph::id m = 0; m < g.size(); ++m) g[m].output = m == n;
  return needed(g);
}

// The user gives what node n would compute.
inline std::optional<graph> from(graph g, graph::id n) {
  if (g.inputs(n).empty() || g[n].output) return std::nullopt;
  g[n].op = nvdlac::quantised::input{.shape = g[n].shape};
  g.set_inputs(n, {});
  return needed(g);
}

// Readers of node n read what it reads.
inline std::optional<graph> around(graph g, graph::id n) {
  const auto inputs = g.inputs(n);
  if (inputs.empty() || g[n].output || g[inputs[0]].shape != g[n].shape) return std::nullopt;
  g.replace_uses(n, inputs[0]);
  g.set_inputs(n, {});
  return needed(g);
}

// `fails` holds for g. Of the networks that leave out one more piece, it holds for none of those
// that are smaller than the result.
template <class Fails>
graph shrink(graph g, const Fails& fails) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    const auto try_this = [&](std::optional<graph> candidate) {
      if (!candidate || candidate->size() >= g.size() || !fails(*candidate)) return false;
      g = std::move(*candidate);
      return smaller = true;
    };
    for (graph::id n = 0; n < g.size() && !smaller; ++n)
      if (!g.inputs(n).empty() && try_this(up_to(g, n))) break;
    for (graph::id n = g.size(); n-- > 0 && !smaller;)
      if (try_this(from(g, n)) || try_this(around(g, n))) break;
  }
  return g;
}

}  // namespace shrinking
