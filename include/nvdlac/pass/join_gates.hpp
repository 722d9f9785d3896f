// SPDX-License-Identifier: Apache-2.0
#pragma once
// Products of a tensor with a function of it, which one table has.
#include <cstddef>
#include <optional>
#include <string_view>

#include <nvdlac/net/activation.hpp>
#include <nvdlac/net/elementwise.hpp>
#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// x * sigmoid(x) becomes SiLU, and x * tanh(softplus(x)) mish, each one activation under the name of
// the product. A table of int8 has all values of it, rounded once; of 16 bits it would interpolate
// what the product has exactly, so that those stay. For hardware that has tables.
struct join_gates {
  static constexpr std::string_view name = "join_gates";
  static constexpr std::string_view description =
      "look x * sigmoid(x) and x * tanh(softplus(x)) up in one table (int8)";

  // Whether it may be done: one layer of two cannot have the precisions of both.
  static bool suits(const net::layer_precisions& p) {
    return p.all == hw::precision::int8 && p.of.empty();
  }

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order()) {
      const auto* product = as<net::multiply>(g, n);
      if (r.removed(n) || product == nullptr || product->relu) continue;
      const auto inputs = g.inputs(n);
      for (const std::size_t i : {0u, 1u}) {
        const auto x = inputs[1 - i];
        const auto f = gate_of(g, r, inputs[i], n, x);
        if (!f) continue;
        g[n].op = net::activation{.function = *f};
        r.set_inputs(n, {x});
        break;
      }
    }
    r.finish();
    net::infer_shapes(g, net::check_constants::no);
  }

 private:
  // What x times `gate`, which only `product` reads, is of x.
  template <class Graph>
  static std::optional<net::function> gate_of(const Graph& g, const rewriter<Graph>& r,
                                              typename Graph::id gate, typename Graph::id product,
                                              typename Graph::id x) {
    const auto* outer = as<net::activation>(g, gate);
    if (outer == nullptr || !r.only_feeds(gate, product)) return std::nullopt;
    const auto from = g.inputs(gate)[0];
    if (outer->function == net::function::sigmoid && from == x) return net::function::swish;
    const auto* inner = as<net::activation>(g, from);
    if (outer->function == net::function::tanh && inner != nullptr &&
        inner->function == net::function::softplus && r.only_feeds(from, gate) &&
        g.inputs(from)[0] == x)
      return net::function::mish;
    return std::nullopt;
  }
};

}  // namespace nvdlac::pass
