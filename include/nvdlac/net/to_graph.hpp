// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/fields.hpp>
#include <nvdlac/base/refuse.hpp>
#include <nvdlac/base/types.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::net {

// Trained values by layer and member: {{"conv.weights", {...}}, {"conv.bias", {...}}}.
using parameters = std::map<std::string, std::vector<float>>;

namespace detail {

// A compile error that names Op if it cannot become a part of the graph.
template <class Op, bool Listed>
constexpr void require_listed_or_expandable() {
  if constexpr (!Listed && !is_expandable<Op>)
    static_assert(never<failed::operator_<Op>>,
                  "nvdlac: the operator is not in the graph's list of operators and has no "
                  "net::expansion");
}

// The operator as the graph holds it.
template <class Graph, class Op>
typename Graph::any_operator as_listed(Op op, [[maybe_unused]] std::span<const shape> in) {
  if constexpr (contains<Op, typename Graph::operators>) return op;
  else if constexpr (is_expandable<Op>) return as_listed<Graph>(expansion<Op>::run(op, in), in);
  else return {};
}

}  // namespace detail

// The network as a graph, with all its shapes. A node without a name is called after its operator
// and its position: "relu_2". An operator that is not in the graph's list becomes its expansion.
// Throws if no node has a member that `values` names; `verify` finds values that are missing or
// mis-sized.
template <class Graph = graph, class... Nodes>
Graph to_graph(const network<Nodes...>& net, const parameters& values = {}) {
  (detail::require_listed_or_expandable<
       typename Nodes::operator_type,
       contains<typename Nodes::operator_type, typename Graph::operators>>(),
   ...);
  Graph g;
  std::set<std::string> taken;
  net.for_each([&]<class Node>(std::size_t n, const Node& node) {
    auto op = node.op;
    std::string name(net.label_of(n));
    const auto take = [&](std::string_view member, std::vector<float>& to) {
      const std::string key = text(name, '.', member);
      if (const auto found = values.find(key); found != values.end()) {
        to = found->second;
        taken.insert(key);
      }
    };
    visit_fields(op, [&]<class T>(const auto& field, T& member) {
      if constexpr (std::is_same_v<T, std::vector<float>>) take(field.name, member);
      else if constexpr (std::is_same_v<T, float_tensor>) take(field.name, member.values);
    });
    std::vector<shape> in(Node::inputs);
    net.inputs_of(n, in);
    const auto from = net.edges().inputs(n);
    const auto id = g.add(std::move(name), detail::as_listed<Graph>(std::move(op), in),
                          {from.begin(), from.end()});
    g[id].shape = net.shape(n);
    g[id].scale = net.scale(n);
    g[id].precision = net.precision(n);
    g[id].output = net.is_output(n);
  });
  diagnostics problems;
  for (const auto& [key, ignored] : values)
    if (!taken.contains(key))
      problems.add({.layer = key.substr(0, key.rfind('.')),
                    .reason = text("the network has no '", key, "' to take values")});
  problems.check();
  return g;
}

}  // namespace nvdlac::net
