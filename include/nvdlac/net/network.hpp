// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/label.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/net/topology.hpp>

namespace nvdlac::net {

// A window that is the same in both dimensions: `.window = square{.kernel = 3, .pad = 1}`.
struct square {
  std::int32_t kernel = 1, stride = 1, pad = 0, dilation = 1;
  static constexpr void fields(auto&& field) {
    field("kernel", &square::kernel);
    field("stride", &square::stride);
    field("pad", &square::pad);
    field("dilation", &square::dilation);
  }

  constexpr operator window() const {
    return {kernel, kernel, stride, stride, pad, pad, pad, pad, dilation, dilation};
  }
};

// The compile-time form of a network. Operators, shape rules and limits are those of net::graph.

// An operator with a name and, unless it reads the node before it, the names of those it reads:
// `node{"sum", add{}, "branch", "data"}`. Of an integer operator, `.scaled(0.05)` tells what the
// integers of its tensor mean: real = 0.05 * integer; `.in(hw::precision::int16)` that they are not
// int8. `.read_outside()` makes its tensor an output though other nodes read it.
template <operation Op, std::size_t Reads = 0>
struct node {
  static_assert(known_while_compiling<Op>,
                "nvdlac: what the host computes by name is known at run time only: read the "
                "network from a file, or build a net::graph");
  using operator_type = Op;
  // A node that names no inputs reads the one before it, if its operator takes an input at all.
  static constexpr std::size_t inputs = Reads != 0 ? Reads : Op::inputs.most == 0 ? 0 : 1;
  static constexpr bool reads_the_one_before = Reads == 0 && inputs == 1;

  std::string_view name;  // empty: to_graph finds one
  Op op;
  std::array<std::string_view, Reads> reads{};
  double scale = 1.0;
  std::int32_t zero = 0;
  hw::precision precision = hw::precision::int8;
  bool output = false;

  constexpr node(Op what) requires(Reads == 0) : name(), op(std::move(what)) {}
  template <std::convertible_to<std::string_view>... Names>
    requires(sizeof...(Names) == Reads)
  constexpr node(std::string_view called, Op what, Names... of)
      : name(called), op(std::move(what)), reads{std::string_view(of)...} {}

  constexpr node scaled(double by, std::int32_t from = 0) const {
    node n = *this;
    n.scale = by;
    n.zero = from;
    return n;
  }
  constexpr node in(hw::precision p) const {
    node n = *this;
    n.precision = p;
    return n;
  }
  constexpr node read_outside() const {
    node n = *this;
    n.output = true;
    return n;
  }
};
template <class Op, class... Names>
node(std::string_view, Op, Names...) -> node<Op, sizeof...(Names)>;

// The words of the compile error: which operator, and the rule that its node breaks.
template <class Operator, rule Broken>
struct invalid {};
struct no_node_of_this_name {};

namespace detail {

template <class T>
struct as_node {
  using type = node<T>;
};
template <class Op, std::size_t Reads>
struct as_node<node<Op, Reads>> {
  using type = node<Op, Reads>;
};

using every_rule = std::make_index_sequence<static_cast<std::size_t>(rule::last_rule)>;

// If a rule is broken a compile error that names it as a part of a type, so that every compiler
// prints it; at run time an nvdlac::error.
template <class Operator, std::size_t... Is>
constexpr void require(fitting found, std::size_t number, std::string_view name,
                       const char* layer, std::index_sequence<Is...>) {
  if (found.ok()) return;
  ((static_cast<std::size_t>(found.broken) == Is + 1 &&
    refuse<invalid<Operator, static_cast<rule>(Is + 1)>>(layer)) ||
   ...);
  throw error(problem{
      .layer = name.empty() ? text(type_name<Operator>(), '_', number) : std::string(name),
      .reason = found.reason()});
}

template <class Op>
constexpr fitting fit(const Op& op, std::span<const shape> in) {
  fitting found = rule::none;
  if constexpr (requires { op.fit(in); }) found = op.fit(in);
  else found = op.infer(in);
  if constexpr (requires { op.fit_constants(in); })
    if (found.ok())
      if (const fitting constants = op.fit_constants(in); !constants.ok()) return constants;
  return found;
}

}  // namespace detail

// A chain or a DAG of operators and `node`s, producers first; all its shapes are known once it
// stands. Those that nothing reads are the outputs. Real weights are not part of it:
// `to_graph(network, parameters)` takes them. Integer operators (quantised) refer to arrays of
// constants or hold sizes, and are what `program<Hw, network>` compiles.
//
//   constexpr network digits{input{{1, 28, 28}},
//                            convolution{.kernels = 8, .window = square{.kernel = 5}},
//                            relu{}, fully_connected{.outputs = 10}, softmax{}};
//
// What does not fit together is a compile error that names the layer and the `rule`, and an
// nvdlac::error of a network that is not constexpr.
template <class... Nodes>
class network {
 public:
  static_assert(sizeof...(Nodes) != 0, "nvdlac: a network has at least an input");
  static constexpr std::size_t node_count = sizeof...(Nodes);
  static constexpr std::size_t edge_count = (Nodes::inputs + ... + 0);
  using topology = net::topology<node_count, edge_count>;
  using id = std::size_t;

  constexpr explicit network(Nodes... nodes)
      : nodes_{nodes...}, names_{nodes.name...}, scales_{nodes.scale...},
        zeros_{nodes.zero...}, precisions_{nodes.precision...}, outputs_{nodes.output...} {
    const auto layers = shown_names(names_);
    const char* const* layer = layers.data();
    links found;
    fitting here = rule::none;
    constexpr detail::every_rule every_rule{};
    id n = 0;
    ((here = place(nodes, n, found),
      detail::require<typename Nodes::operator_type>(here, n, nodes.name, *layer++,
                                                     every_rule),
      shapes_[n++] = here.shape),
     ...);
    topology_ = topology(found.edges);
  }

  static constexpr std::size_t size() { return node_count; }
  // Calls f(id, node) for each node in order.
  template <class F>
  constexpr void for_each(F f) const {
    [&]<std::size_t... Is>(std::index_sequence<Is...>) {
      (f(Is, std::get<Is>(nodes_)), ...);
    }(std::index_sequence_for<Nodes...>{});
  }
  template <id N>
  constexpr const auto& node() const { return std::get<N>(nodes_); }

  constexpr std::span<const net::shape> shapes() const { return shapes_; }
  constexpr net::shape shape_of(std::string_view name) const {
    const id n = find(name, node_count);
    if (n == node_count) {
      refuse<no_node_of_this_name>(name.data());
      throw error(text("no node of the network is named '", name, "'"));
    }
    return shapes_[n];
  }
  constexpr net::shape output_shape() const { return shapes_[node_count - 1]; }
  constexpr std::string_view name(id n) const { return names_[n]; }
  constexpr const auto& names() const { return names_; }
  // The name, or of a node without one its operator and its position: "relu_2".
  constexpr label label_of(id n) const {
    label result(names_[n]);
    if (result.empty())
      visit(n, [&]<class Op>(const Op&) { result = label(type_name<Op>(), "_", n); });
    return result;
  }
  constexpr net::shape shape(id n) const { return shapes_[n]; }
  constexpr double scale(id n) const { return scales_[n]; }
  constexpr std::int32_t zero(id n) const { return zeros_[n]; }
  constexpr hw::precision precision(id n) const { return precisions_[n]; }
  constexpr bool is_output(id n) const { return outputs_[n] || topology_.uses(n) == 0; }
  constexpr std::vector<id> order() const {
    std::vector<id> result(node_count, id{0});
    std::iota(result.begin(), result.end(), id{0});
    return result;
  }
  constexpr std::span<const id> inputs(id n) const { return topology_.inputs(n); }
  constexpr std::span<const id> consumers(id n) const { return topology_.consumers(n); }
  constexpr std::size_t uses(id n) const { return topology_.uses(n); }
  // Calls f(operator of n).
  template <class F>
  constexpr void visit(id n, F&& f) const {
    [&]<std::size_t... Is>(std::index_sequence<Is...>) {
      static_cast<void>(((n == Is && (f(std::get<Is>(nodes_).op), true)) || ...));
    }(std::index_sequence_for<Nodes...>{});
  }
  // The operator of n if it is an Op, or null.
  template <class Op>
  constexpr const Op* get_if(id n) const {
    const Op* found = nullptr;
    visit(n, [&]<class Known>(const Known& op) {
      if constexpr (std::is_same_v<Known, Op>) found = &op;
    });
    return found;
  }
  constexpr const topology& edges() const { return topology_; }
  // Fills `in` with the shapes of n's inputs.
  constexpr void inputs_of(id n, std::span<net::shape> in) const {
    std::ranges::transform(topology_.inputs(n), in.begin(), [&](id i) { return shapes_[i]; });
  }

 private:
  struct links {
    std::array<typename topology::edge, edge_count> edges{};
    std::size_t count = 0;
  };

  // The node of that name before `end`, or `end`.
  constexpr id find(std::string_view name, id end) const {
    id n = 0;
    while (n < end && (name.empty() || names_[n] != name)) ++n;
    return n;
  }
  // Finds the inputs of node n and its shape.
  template <class Node>
  constexpr fitting place(const Node& node, id n, links& found) const {
    if (find(node.name, n) != n) return rule::has_the_name_of_another_node;
    if (!arity{Node::operator_type::inputs}.contains(Node::inputs))
      return {rule::reads_another_number_of_inputs_than_its_operator_takes,
              {static_cast<std::int64_t>(Node::inputs)}};
    if (Node::reads_the_one_before && n == 0) return rule::reads_the_node_before_the_first;
    std::array<net::shape, Node::inputs> in{};
    for (std::size_t i = 0; i < in.size(); ++i) {
      const id from = Node::reads_the_one_before ? n - 1 : find(node.reads[i], n);
      if (from == n) return {rule::reads_a_name_of_no_node_before_it, node.reads[i]};
      found.edges[found.count++] = {from, n, i};
      in[i] = shapes_[from];
    }
    return detail::fit(node.op, in);
  }

  std::tuple<Nodes...> nodes_;
  std::array<std::string_view, node_count> names_;
  std::array<double, node_count> scales_;
  std::array<std::int32_t, node_count> zeros_;
  std::array<hw::precision, node_count> precisions_;
  std::array<bool, node_count> outputs_;
  topology topology_;
  std::array<net::shape, node_count> shapes_{};
};
template <class... Parts>
network(Parts...) -> network<typename detail::as_node<Parts>::type...>;

}  // namespace nvdlac::net
