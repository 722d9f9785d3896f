// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/integer/graph.hpp>

namespace nvdlac::net::integer {

// The exact reference of a sound integer graph: visit(id, const int8_tensor&) sees every node's
// tensor, producers first. Feeds in the order of the input nodes (net::input_nodes).
template <class Graph, class Visit>
void evaluate_each(const Graph& g, std::span<const feed> inputs, Visit visit) {
  const auto position = input_positions(g, inputs.size());
  const auto apply = [&](auto n, std::span<const int8_tensor* const> in) {
    return std::visit(
        [&](const auto& op) -> int8_tensor {
          using op_type = std::decay_t<decltype(op)>;
          if constexpr (is_network_input<op_type>) {
            return op.evaluate(inputs[position[n]]);
          } else if constexpr (requires { op.evaluate(in, 1.0, 1.0); }) {
            return op.evaluate(in, g[g.inputs(n).front()].scale, g[n].scale);
          } else {
            return op.evaluate(in);
          }
        },
        g[n].op);
  };
  walk<int8_tensor>(g, apply, visit);
}

// The outputs' tensors, in the order of Graph::outputs().
template <class Graph>
std::vector<int8_tensor> evaluate(const Graph& g, std::span<const feed> inputs) {
  const auto outputs = g.outputs();
  std::vector<int8_tensor> result(outputs.size());
  evaluate_each(g, inputs, [&](auto n, const int8_tensor& t) {
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i] == n) result[i] = t;
  });
  return result;
}
template <class Graph>
std::vector<int8_tensor> evaluate(const Graph& g, const std::map<std::string, feed>& inputs) {
  return integer::evaluate(g, std::span<const feed>(in_input_order(g, inputs)));
}
// For networks of one input.
template <class Graph>
std::vector<int8_tensor> evaluate(const Graph& g, const feed& input) {
  return integer::evaluate(g, std::span(&input, 1));
}

}  // namespace nvdlac::net::integer
