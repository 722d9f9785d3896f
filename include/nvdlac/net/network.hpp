// SPDX-License-Identifier: Apache-2.0
#pragma once
// The compile-time form of a network. Operators, shape rules and limits are those of net::graph.
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nvdlac/error.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/shape.hpp>
#include <nvdlac/net/square.hpp>
#include <nvdlac/net/topology.hpp>

namespace nvdlac::net {

// An operator with a name and, unless it reads the node before it, the names of those it reads:
// `node{"sum", add{}, "branch", "data"}`.
template <operation Op, std::size_t Reads = 0>
struct node {
  using operator_type = Op;
  // A node that names no inputs reads the one before it, if its operator takes an input at all.
  static constexpr std::size_t inputs = Reads != 0 ? Reads : Op::inputs.most == 0 ? 0 : 1;
  static constexpr bool reads_the_one_before = Reads == 0 && inputs == 1;
  static_assert(arity{Op::inputs}.contains(inputs),
                "nvdlac: the node's operator takes another number of inputs than it reads");

  std::string_view name;  // empty: to_graph finds one
  Op op;
  std::array<std::string_view, Reads> reads{};

  constexpr node(Op what) requires(Reads == 0) : name(), op(std::move(what)) {}
  template <std::convertible_to<std::string_view>... Names>
    requires(sizeof...(Names) == Reads)
  constexpr node(std::string_view called, Op what, Names... of)
      : name(called), op(std::move(what)), reads{std::string_view(of)...} {}
};
template <class Op, class... Names>
node(std::string_view, Op, Names...) -> node<Op, sizeof...(Names)>;

namespace detail {

template <class T>
struct as_node {
  using type = node<T>;
};
template <class Op, std::size_t Reads>
struct as_node<node<Op, Reads>> {
  using type = node<Op, Reads>;
};

// The shape of a node that reads `inputs` of a network's nodes. No member of the network, so that
// what the compiler says of a failure is short.
template <class Op, std::size_t Reads>
constexpr shape infer(const node<Op, Reads>& n, std::span<const std::size_t> inputs,
                      std::span<const shape> shapes) {
  std::array<shape, node<Op, Reads>::inputs> in{};
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = shapes[inputs[i]];
  return n.op.infer(in);
}

}  // namespace detail

// A chain or a DAG of operators and `node`s, producers first; all its shapes are known once it
// stands. Weights are not part of it: `to_graph(network, parameters)` takes them. Those that
// nothing reads are the outputs.
//
//   constexpr network digits{input{{1, 28, 28}},
//                            convolution{.kernels = 8, .window = square{.kernel = 5}},
//                            relu{}, fully_connected{.outputs = 10}, softmax{}};
//
// What does not fit together is a compile error, and an nvdlac::error of a network that is not
// constexpr.
template <class... Nodes>
class network {
 public:
  static constexpr std::size_t node_count = sizeof...(Nodes);
  static constexpr std::size_t edge_count = (Nodes::inputs + ... + 0);
  using topology = net::topology<node_count, edge_count>;
  using id = std::size_t;

  constexpr explicit network(Nodes... nodes)
      : nodes_{nodes...}, names_{nodes.name...}, topology_(connect()) {
    const std::span<const shape> known = shapes_;
    id n = 0;
    std::span<const id> in;
    ((in = topology_.inputs(n), shapes_[n++] = detail::infer(nodes, in, known)), ...);
  }

  static constexpr std::size_t size() { return node_count; }
  // Calls f(id, node) for each node in order.
  template <class F>
  constexpr void for_each(F f) const {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (f(I, std::get<I>(nodes_)), ...);
    }(std::index_sequence_for<Nodes...>{});
  }
  template <id N>
  constexpr const auto& node() const { return std::get<N>(nodes_); }

  constexpr std::span<const shape> shapes() const { return shapes_; }
  constexpr shape shape_of(std::string_view name) const { return shapes_[find(name, node_count)]; }
  constexpr shape output_shape() const { return shapes_[node_count - 1]; }
  constexpr std::string_view name(id n) const { return names_[n]; }
  constexpr const topology& edges() const { return topology_; }
  // Fills `in` with the shapes of n's inputs.
  constexpr void inputs_of(id n, std::span<shape> in) const {
    std::ranges::transform(topology_.inputs(n), in.begin(), [&](id i) { return shapes_[i]; });
  }

 private:
  constexpr id find(std::string_view name, id end) const {
    for (id n = 0; n < end; ++n)
      if (!name.empty() && names_[n] == name) return n;
    throw error(text("no node before number ", end, " of the network is named '", name, "'"));
  }
  constexpr topology connect() const {
    std::array<typename topology::edge, edge_count> found{};
    std::size_t filled = 0;
    for_each([&]<class Node>(id n, const Node& node) {
      if constexpr (Node::reads_the_one_before) {
        if (n == 0) throw error("the first node of the network reads a node before it");
        found[filled++] = {n - 1, n, 0};
      }
      for (std::size_t i = 0; i < node.reads.size(); ++i)
        found[filled++] = {find(node.reads[i], n), n, i};
      for (id other = 0; other < n; ++other)
        if (!node.name.empty() && names_[other] == node.name)
          throw error(text("two nodes of the network are named '", node.name, "'"));
    });
    return topology(found);
  }

  std::tuple<Nodes...> nodes_;
  std::array<std::string_view, node_count> names_;
  topology topology_;
  std::array<shape, node_count> shapes_{};
};
template <class... Parts>
network(Parts...) -> network<typename detail::as_node<Parts>::type...>;

}  // namespace nvdlac::net
