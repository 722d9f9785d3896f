// SPDX-License-Identifier: Apache-2.0
#pragma once
// The network of integer operators, and what it computes.
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/graph.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::quantised {

using graph = net::basic_graph<operators>;

namespace detail {

// op over inputs of elements T; the scales are those of the first input and of the result.
template <class T, class Op>
net::any_tensor evaluate_in(const Op& op, std::span<const net::any_tensor* const> in,
                            double scale_in, double scale_out, mac_order order) {
  std::vector<const net::tensor<T>*> typed;
  for (const auto* t : in) {
    typed.push_back(std::get_if<net::tensor<T>>(t));
    if (typed.back() == nullptr) throw error("its inputs are of different data types");
  }
  const std::span<const net::tensor<T>* const> inputs(typed);
  constexpr bool is_softmax_of_int16 =
      std::is_same_v<Op, softmax> && std::is_same_v<T, std::int16_t>;
  if constexpr (is_softmax_of_int16) throw error("the host has no softmax of int16");
  else if constexpr (requires { op.evaluate(inputs, 1.0, 1.0); })
    return op.evaluate(inputs, scale_in, scale_out);
  else if constexpr (requires { op.evaluate(inputs, order); }) return op.evaluate(inputs, order);
  else if constexpr (requires { op.evaluate(inputs); }) return op.evaluate(inputs);
  else throw error(text(type_name<Op>(), " is not computed in this data type"));
}

}  // namespace detail

// The tensor of node n for those of its inputs, or for what is fed to it where it is an input of
// the network. `order` counts in fp16 only.
template <class Graph>
net::any_tensor evaluate_node(const Graph& g, typename Graph::id n,
                              std::span<const net::any_tensor* const> in, const feed* given,
                              mac_order order = {}) {
  const double scale_in = in.empty() ? 1 : g[g.inputs(n).front()].scale;
  const auto compute = [&](const auto& op) -> net::any_tensor {
    if constexpr (net::is_network_input<std::decay_t<decltype(op)>>) {
      return op.evaluate(*given, g[n].precision);
    } else if constexpr (std::is_same_v<std::decay_t<decltype(op)>, on_host>) {
      std::vector<double> scales;
      for (const auto i : g.inputs(n)) scales.push_back(g[i].scale);
      return op.evaluate(in, scales, g[n].precision, g[n].scale);
    } else {
      const auto run = [&]<class T>(std::type_identity<T>) {
        return detail::evaluate_in<T>(op, in, scale_in, g[n].scale, order);
      };
      switch (in.empty() ? g[n].precision : precision_of(*in[0])) {
        case hw::precision::int16: return run(std::type_identity<std::int16_t>{});
        case hw::precision::fp16: return run(std::type_identity<net::half>{});
        default: return run(std::type_identity<std::int8_t>{});
      }
    }
  };
  auto result = nvdlac::visit(compute, g[n].op);
  if (precision_of(result) != g[n].precision)
    throw error(problem{.layer = g[n].name, .reason = "gives another data type than its node"});
  return result;
}

// The exact reference of a sound integer graph: visit(id, const any_tensor&) sees every node's
// tensor, producers first. Feeds in the order of the input nodes (net::input_nodes). `order` counts
// in fp16 only.
template <class Graph, class Visit>
void evaluate_any_each(const Graph& g, std::span<const feed> inputs, Visit visit,
                       mac_order order = {}) {
  const auto position = input_positions(g, inputs.size());
  const auto apply = [&](auto n, std::span<const net::any_tensor* const> in) {
    return evaluate_node(g, n, in, in.empty() ? inputs.data() + position[n] : nullptr, order);
  };
  walk<net::any_tensor>(g, apply, visit);
}

// The outputs' tensors, in the order of Graph::outputs().
template <class Graph>
std::vector<net::any_tensor> evaluate_any(const Graph& g, std::span<const feed> inputs,
                                          mac_order order = {}) {
  const auto outputs = g.outputs();
  std::vector<net::any_tensor> result(outputs.size());
  const auto keep = [&](auto n, const net::any_tensor& t) {
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i] == n) result[i] = t;
  };
  evaluate_any_each(g, inputs, keep, order);
  return result;
}

// Evaluation of networks in int8.
template <class Graph, class Visit>
void evaluate_each(const Graph& g, std::span<const feed> inputs, Visit visit) {
  evaluate_any_each(g, inputs, [&](auto n, const net::any_tensor& t) {
    visit(n, std::get<net::int8_tensor>(t));
  });
}
template <class Graph>
std::vector<net::int8_tensor> evaluate(const Graph& g, std::span<const feed> inputs) {
  std::vector<net::int8_tensor> result;
  for (auto& t : evaluate_any(g, inputs))
    result.push_back(std::get<net::int8_tensor>(std::move(t)));
  return result;
}
template <class Graph>
std::vector<net::int8_tensor> evaluate(const Graph& g, const std::map<std::string, feed>& inputs) {
  return quantised::evaluate(g, std::span<const feed>(in_input_order(g, inputs)));
}
// For networks of one input.
template <class Graph>
std::vector<net::int8_tensor> evaluate(const Graph& g, const feed& input) {
  return quantised::evaluate(g, std::span(&input, 1));
}

}  // namespace nvdlac::quantised
