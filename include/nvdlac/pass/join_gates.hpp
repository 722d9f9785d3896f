// SPDX-License-Identifier: Apache-2.0
#pragma once
// Products of a tensor with a function of it, which one table has.
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <nvdlac/net/activation.hpp>
#include <nvdlac/net/elementwise.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// x * sigmoid(x) becomes SiLU, and x * tanh(softplus(x)) mish, each one activation under the name
// of the product, where all layers of it `may` be joined. It is for hardware that has tables, and
// for int8, of which a table has all values, rounded once; one of 16 bits would interpolate.
struct join_gates {
  static constexpr std::string_view name = "join_gates";
  static constexpr std::string_view description =
      "look x * sigmoid(x) and x * tanh(softplus(x)) up in one table (int8)";

  using choice = std::function<bool(const std::string& layer)>;

  template <class Graph>
  static void run(Graph& g, const choice& may) {
    rewriter<Graph> r(g);
    for (const auto n : g.order()) {
      const auto* product = as<net::multiply>(g, n);
      if (r.removed(n) || product == nullptr || product->relu || !may(g[n].name)) continue;
      const auto inputs = g.inputs(n);
      for (const std::size_t i : {0u, 1u}) {
        const auto x = inputs[1 - i];
        const auto f = gate_of(g, r, inputs[i], n, x, may);
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
  // The function of x that x times `gate` is, where only `product` reads the gate.
  template <class Graph>
  static std::optional<net::function> gate_of(const Graph& g, const rewriter<Graph>& r,
                                              typename Graph::id gate, typename Graph::id product,
                                              typename Graph::id x, const choice& may) {
    const auto* outer = as<net::activation>(g, gate);
    if (outer == nullptr || !r.only_feeds(gate, product) || !may(g[gate].name))
      return std::nullopt;
    const auto from = g.inputs(gate)[0];
    if (outer->function == net::function::sigmoid && from == x) return net::function::swish;
    const auto* inner = as<net::activation>(g, from);
    if (outer->function == net::function::tanh && inner != nullptr &&
        inner->function == net::function::softplus && r.only_feeds(from, gate) &&
        g.inputs(from)[0] == x && may(g[from].name))
      return net::function::mish;
    return std::nullopt;
  }
};

}  // namespace nvdlac::pass
