// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <any>
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
#include <nvdlac/base/label.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// Trained values by layer and member: {{"conv.weights", {...}}, {"conv.bias", {...}}}.
using parameters = std::map<std::string, std::vector<float>>;

// A node of a net::network with its trained values, from which a graph is built. It names neither
// the graph nor the types of other nodes, so that a translation unit pays for its own operators
// alone.
struct network_node {
  std::string name{};
  std::any op{};
  std::vector<std::size_t> inputs{};  // positions of the nodes that it reads
  net::shape shape{};
  double scale = 1.0;
  hw::precision precision = hw::precision::int8;
  bool output = false;
};

namespace detail {

// A compile error that names Op if it cannot become a part of the graph.
template <class Op, bool Listed>
constexpr void require_listed_or_expandable() {
  if constexpr (!Listed && !is_expandable<Op>)
    static_assert(never<failed::operator_<Op>>,
                  "nvdlac: the operator is not in the graph's list of operators and has no "
                  "net::expansion");
}

// The operator as a graph of these operators holds it.
template <class Operators, class Op>
std::any as_listed(Op op, [[maybe_unused]] std::span<const shape> in) {
  if constexpr (contains<Op, Operators>) return op;
  else if constexpr (is_expandable<Op>) return as_listed<Operators>(expansion<Op>::run(op, in), in);
  else return {};
}

}  // namespace detail

// The nodes of a network in order, producers first, with their trained values. A node without a
// name is called after its operator and its position, "relu_2"; an operator that is not listed
// becomes its expansion. Throws if no node has a member that `values` names.
template <class Operators, class... Nodes>
std::vector<network_node> nodes_of(const network<Nodes...>& net, const parameters& values = {}) {
  (detail::require_listed_or_expandable<typename Nodes::operator_type,
                                        contains<typename Nodes::operator_type, Operators>>(),
   ...);
  std::vector<network_node> nodes;
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
    nodes.push_back({.name = std::move(name),
                     .op = detail::as_listed<Operators>(std::move(op), in),
                     .inputs = {from.begin(), from.end()},
                     .shape = net.shape(n),
                     .scale = net.scale(n),
                     .precision = net.precision(n),
                     .output = net.is_output(n)});
  });
  diagnostics problems;
  for (const auto& [key, ignored] : values)
    if (!taken.contains(key))
      problems.add({.layer = key.substr(0, key.rfind('.')),
                    .reason = text("the network has no '", key, "' to take values")});
  problems.check();
  return nodes;
}

}  // namespace nvdlac::net
