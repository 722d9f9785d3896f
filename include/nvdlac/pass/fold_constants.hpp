// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/constant.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

struct fold_constants {
  static constexpr std::string_view name = "fold_constants";
  static constexpr std::string_view description = "compute what depends on constants only";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order()) {
      const auto inputs = g.inputs(n);
      std::vector<const net::float_tensor*> in;
      for (const auto i : inputs)
        if (const auto* c = as<net::constant>(g, i)) in.push_back(&c->value);
      if (inputs.empty() || in.size() != inputs.size()) continue;
      const auto value = nvdlac::visit(
          [&](const auto& op) {
            if constexpr (requires { op.evaluate(std::span<const net::float_tensor* const>(in)); })
              return op.evaluate(std::span<const net::float_tensor* const>(in));
            else
              return net::float_tensor{.values = {}};
          },
          g[n].op);
      if (value.values.empty()) continue;
      g[n].op = net::constant{value};
      r.set_inputs(n, {});
    }
    r.finish();
  }
};

}  // namespace nvdlac::pass
