// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/type_name.hpp>
#include <nvdlac/lower/reason_of.hpp>
#include <nvdlac/net/layer_precisions.hpp>

namespace nvdlac::lower {

// Every layer of a network that Hw cannot run, and why. The graph has its shapes.
template <hw::hardware Hw, class Graph>
std::vector<problem> check(const Graph& g, const net::layer_precisions& p = {}) {
  if (const auto why = check_precision<Hw>(p.all); why != reason::none)
    return {{.reason = text(type_name<Hw>(), ": ", to_text(why))}};
  std::vector<problem> found;
  for (const auto n : g.order()) {
    std::vector<net::shape> in;
    for (const auto i : g.inputs(n)) in.push_back(g[i].shape);
    std::visit(
        [&]<class Op>(const Op& op) {
          const auto own = p(g[n].name);
          auto why = check_precision<Hw>(own);
          if (why == reason::none) why = reason_of<Hw>(op, in, own);
          if (why != reason::none)
            found.push_back({.layer = g[n].name,
                             .reason = text(type_name<Op>(), " does not run on ", type_name<Hw>(),
                                            ": ", to_text(why))});
        },
        g[n].op);
  }
  return found;
}

}  // namespace nvdlac::lower
