// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <any>
#include <map>
#include <type_traits>
#include <utility>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import {

namespace detail {

template <class Listed, class... Own>
struct held {
  using type = Listed;
};
template <class... Listed, class First, class... Rest>
struct held<type_list<Listed...>, First, Rest...>
    : held<std::conditional_t<net::is_expandable<First>, type_list<Listed...>,
                              type_list<Listed..., First>>,
           Rest...> {};

template <class Own>
struct graph_of_list;
template <class... Own>
struct graph_of_list<type_list<Own...>> {
  using type = net::basic_graph<typename held<net::standard_operators, Own...>::type>;
};

}  // namespace detail

// The graph that holds nvdlac's operators and the user's own, but for those that are known ones in
// other words (net::expansion), which become these.
template <class Own>
using graph_of = typename detail::graph_of_list<Own>::type;

// Operators of the user's own while a file is read, by node. In the graph that importers build, and
// that is the same for all lists of them, a net::on_host of which nothing is known stands in.
using own_by_node = std::map<net::graph::id, std::any>;

// The graph that holds them: nothing else changes, and nodes keep their numbers.
template <class Graph>
Graph widened(net::graph g, [[maybe_unused]] own_by_node own = {}) {
  if constexpr (std::is_same_v<Graph, net::graph>) {
    return g;
  } else {
    using any_operator = typename Graph::any_operator;
    const auto operator_of = [&](net::graph::id n) {
      any_operator result = nvdlac::visit(
          [](auto& op) { return any_operator(std::move(op)); }, g[n].op);
      if (const auto found = own.find(n); found != own.end())
        for_each(typename Graph::operators{}, [&]<class Op>(std::type_identity<Op>) {
          if (auto* op = std::any_cast<Op>(&found->second)) result = std::move(*op);
        });
      return result;
    };
    Graph wide;
    for (net::graph::id n = 0; n < g.size(); ++n) {
      auto& from = g[n];
      auto& to = wide[wide.add(std::move(from.name), operator_of(n))];
      to.shape = from.shape;
      to.scale = from.scale;
      to.zero = from.zero;
      to.precision = from.precision;
      to.output = from.output;
      to.in_file = std::move(from.in_file);
    }
    for (net::graph::id n = 0; n < g.size(); ++n) wide.set_inputs(n, g.inputs(n));
    return wide;
  }
}

}  // namespace nvdlac::import
