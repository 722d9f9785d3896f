// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/error.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/reason_of.hpp>
#include <nvdlac/net/infer_shapes.hpp>
#include <nvdlac/type_name.hpp>

namespace nvdlac::lower {

// The reason of every node of a sound graph with its shapes; at run time what reasons_of is to a
// net::network.
template <hw::hardware Hw, class Graph>
std::vector<reason> reasons_of(const Graph& g) {
  std::vector<reason> result;
  for (typename Graph::id n = 0; n < g.size(); ++n) {
    std::vector<net::shape> in;
    for (const auto i : g.inputs(n)) in.push_back(g[i].shape);
    result.push_back(std::visit([&](const auto& op) { return reason_of<Hw>(op, in); }, g[n].op));
  }
  return result;
}

// The layers of a sound graph that cannot run on Hw, and why.
template <hw::hardware Hw, class Graph>
std::vector<problem> unsupported_layers(const Graph& g) {
  std::vector<problem> found;
  const auto reasons = reasons_of<Hw>(g);
  for (typename Graph::id n = 0; n < g.size(); ++n)
    if (reasons[n] != reason::none)
      found.push_back({.layer = g[n].name,
                       .reason = text(net::operator_name(g[n].op), " cannot run on ",
                                      type_name<Hw>(), ": ", to_text(reasons[n]))});
  return found;
}

}  // namespace nvdlac::lower
