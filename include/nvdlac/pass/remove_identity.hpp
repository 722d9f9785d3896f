// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <concepts>
#include <string_view>
#include <type_traits>

#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// Removes identity; reshape and flatten that keep the shape, or whose reader takes any shape
// (fully_connected, another reshape); relu of what is not negative; scale by one; pooling of single
// elements; concat of one. An identity that must stay, because input and output of the network are
// the same, becomes a reshape.
struct remove_identity {
  static constexpr std::string_view name = "remove_identity";
  static constexpr std::string_view description = "remove operators that change nothing";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order()) {
      if (r.removed(n) || g.inputs(n).size() != 1) continue;
      auto from = g.inputs(n).front();
      if (reads_any_shape(g, n))
        while (is_reshape(g, from)) {
          const auto before = g.inputs(from).front();
          r.set_inputs(n, {before});
          from = before;
        }
      if (!changes_nothing(g, n, from)) continue;
      if (r.can_bypass(n, from)) r.bypass(n, from);
      else if (as<net::identity>(g, n)) g[n].op = net::reshape{g[n].shape};
    }
    r.finish();
  }

 private:
  template <class Graph>
  static bool is_reshape(const Graph& g, typename Graph::id n) {
    return as<net::reshape>(g, n) || as<net::flatten>(g, n);
  }
  template <class Graph>
  static bool reads_any_shape(const Graph& g, typename Graph::id n) {
    return is_reshape(g, n) || as<net::fully_connected>(g, n);
  }
  template <class Graph>
  static bool is_rectified(const Graph& g, typename Graph::id n) {
    return nvdlac::visit(
        [](const auto& op) {
          if constexpr (std::same_as<std::decay_t<decltype(op)>, net::relu>) return true;
          else if constexpr (requires { op.relu; }) return bool{op.relu};
          else return false;
        },
        g[n].op);
  }
  template <class Graph>
  static bool changes_nothing(const Graph& g, typename Graph::id n, typename Graph::id from) {
    if (as<net::identity>(g, n) || as<net::concat>(g, n)) return true;
    if (is_reshape(g, n)) return g[n].shape == g[from].shape;
    if (as<net::relu>(g, n)) return is_rectified(g, from);
    if (const auto* s = as<net::scale>(g, n))
      return !s->relu && std::ranges::all_of(s->factor, [](float f) { return f == 1.0F; }) &&
             std::ranges::all_of(s->bias, [](float b) { return b == 0.0F; });
    if (const auto* p = as<net::pool>(g, n))
      return p->window_on(g[from].shape) == net::window{};
    return false;
  }
};

}  // namespace nvdlac::pass
