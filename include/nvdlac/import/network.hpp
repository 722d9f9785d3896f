// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <any>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/types.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/preprocessing.hpp>
#include <nvdlac/quant/scale_table.hpp>

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

// What a file holds: a network, and the scales of its tensors if it is quantised. `Own` lists the
// operators of the user's own that it may have.
template <class Own>
struct basic_network {
  using own_operators = Own;
  using graph_type = graph_of<Own>;

  graph_type graph{};
  quant::scale_table scales{};  // without entries if the file has none
  std::int64_t batch = 1;       // pictures for which the file was written; the graph is of one
  std::vector<std::filesystem::path> external{};  // further files that hold its data
  // How bytes become the values of the inputs, if the file tells: its inputs are quantised, and all
  // alike, or the pictures of its format are.
  std::optional<net::preprocessing> preprocessing{};
  std::vector<problem> notes{};  // what is not as the file has it, for the user
  std::filesystem::path file{};
};
using network = basic_network<type_list<>>;
template <class... Own>
using network_with = basic_network<type_list<Own...>>;

// The same in the graph that holds operators of the user's own as well.
template <class Own>
basic_network<Own> with_own(network n) {
  return {.graph = widened<graph_of<Own>>(std::move(n.graph)), .scales = std::move(n.scales),
          .batch = n.batch, .external = std::move(n.external),
          .preprocessing = std::move(n.preprocessing), .notes = std::move(n.notes),
          .file = std::move(n.file)};
}

// The network alone. Without its scales a quantised model is calibrated anew.
template <class Own>
graph_of<Own> without_scales(basic_network<Own> n) {
  return std::move(n.graph);
}

// The network of a file that has no scales, which would be lost: then it is an `error`.
template <class Own>
graph_of<Own> real_graph(basic_network<Own> n, const std::string& file) {
  if (!n.scales.entries.empty())
    throw error(problem{
        .file = file,
        .reason = text("the model is quantised: the scales of its ", n.scales.entries.size(),
                       " tensors would be lost"),
        .remedy = "take its network, with the scales, or without_scales(network)"});
  return std::move(n.graph);
}

}  // namespace nvdlac::import
