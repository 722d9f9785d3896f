// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

struct fuse_relu {
  static constexpr std::string_view name = "fuse_relu";
  static constexpr std::string_view description =
      "make relu a part of the operator before it, also across a maximum";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order()) {
      if (!as<net::relu>(g, n)) continue;
      const auto from = g.inputs(n).front();
      if (!r.only_feeds(from, n) || !r.can_bypass(n, from)) continue;
      // The maximum of what relu gives is what relu gives for the maximum; so is the minimum.
      auto fusing = from;
      while (const auto* p = as<net::pool>(g, fusing)) {
        const auto above = g.inputs(fusing).front();
        if (p->kind == net::pool_kind::average || !r.only_feeds(above, fusing)) break;
        fusing = above;
      }
      const bool fused = nvdlac::visit(
          [](auto& op) {
            if constexpr (requires { op.relu = true; }) return op.relu = true;
            else return false;
          },
          g[fusing].op);
      if (fused) r.bypass(n, from);
    }
    r.finish();
  }
};

}  // namespace nvdlac::pass
