// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// Computes a sound graph: apply(id, span of pointers to the inputs) gives a node's tensor, then
// visit(id, tensor) sees it. A tensor is freed after its last reader. `Tensor` has no other role.
template <class Tensor, class Graph, class Apply, class Visit>
void walk(const Graph& g, Apply apply, Visit visit) {
  std::vector<Tensor> tensors(g.size());
  std::vector<std::size_t> readers(g.size());
  for (const auto n : g.order()) {
    const auto inputs = g.inputs(n);
    std::vector<const Tensor*> in;
    for (const auto i : inputs) in.push_back(&tensors[i]);
    tensors[n] = apply(n, std::span<const Tensor* const>(in));
    visit(n, std::as_const(tensors[n]));
    readers[n] = g.consumers(n).size();
    if (readers[n] == 0) tensors[n] = Tensor{};
    for (const auto i : inputs)
      if (--readers[i] == 0) tensors[i] = Tensor{};
  }
}

// The network's input nodes, ascending: the order in which `evaluate` takes their tensors.
template <class Graph>
std::vector<typename Graph::id> input_nodes(const Graph& g) {
  std::vector<typename Graph::id> result;
  for (typename Graph::id n = 0; n < g.size(); ++n)
    if (nvdlac::visit([](const auto& op) { return is_network_input<std::decay_t<decltype(op)>>; },
                   g[n].op))
      result.push_back(n);
  return result;
}

// The position of every node in the order of inputs; throws if the number of inputs is another.
template <class Graph>
std::vector<std::size_t> input_positions(const Graph& g, std::size_t given) {
  const auto nodes = input_nodes(g);
  if (nodes.size() != given)
    throw error(text("the network has ", count_of(nodes.size(), "input"), " but ", given,
                     given == 1 ? " is given" : " are given"));
  std::vector<std::size_t> result(g.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) result[nodes[i]] = i;
  return result;
}

// The tensors that are given by name, in the order of the inputs.
template <class Graph, class Tensor>
std::vector<Tensor> in_input_order(const Graph& g, const std::map<std::string, Tensor>& named) {
  diagnostics problems;
  std::vector<Tensor> result;
  std::map<std::string, bool> known;
  for (const auto n : input_nodes(g)) {
    known[g[n].name] = true;
    if (const auto found = named.find(g[n].name); found != named.end())
      result.push_back(found->second);
    else problems.add({.layer = g[n].name, .reason = "no tensor is given for this input"});
  }
  for (const auto& [name, ignored] : named)
    if (!known.contains(name))
      problems.add({.layer = name, .reason = "the network has no such input"});
  problems.check();
  return result;
}

// The tensor of node n for those of its inputs, or what is fed to it where it is an input of the
// network. Throws if the shape of that does not fit, or an operator computes another one than its
// own.
template <class Graph>
float_tensor evaluate_node(const Graph& g, typename Graph::id n,
                           std::span<const float_tensor* const> in, const float_tensor* given) {
  const auto compute = [&](const auto& op) -> float_tensor {
    if constexpr (is_network_input<std::decay_t<decltype(op)>>) {
      if (given->shape != op.infer({}) || given->values.size() != given->shape.size())
        throw error({.layer = g[n].name,
                     .reason = text("the input is ", op.infer({}), " but the given tensor is ",
                                    given->shape, " with ", given->values.size(), " values")});
      return *given;
    } else {
      std::vector<shape> shapes;
      for (const auto* t : in) shapes.push_back(t->shape);
      const shape own = op.infer(shapes);
      float_tensor result = op.evaluate(in);
      if (result.shape != own || result.values.size() != own.size())
        throw error({.layer = g[n].name,
                     .reason = text("its operator computes ", result.shape, " with ",
                                    count_of(result.values.size(), "value"), " instead of ", own)});
      return result;
    }
  };
  return nvdlac::visit(compute, g[n].op);
}

// The float reference of a sound graph: visit(id, const float_tensor&) sees every node's tensor,
// producers first. Inputs in the order of the input nodes. Throws if their shapes do not fit.
template <class Graph, class Visit>
void evaluate_each(const Graph& g, std::span<const float_tensor> inputs, Visit visit) {
  const auto position = input_positions(g, inputs.size());
  const auto apply = [&](auto n, std::span<const float_tensor* const> in) {
    return net::evaluate_node(g, n, in, in.empty() ? inputs.data() + position[n] : nullptr);
  };
  walk<float_tensor>(g, apply, visit);
}

// The outputs' tensors, in the order of Graph::outputs().
template <class Graph>
std::vector<float_tensor> evaluate(const Graph& g, std::span<const float_tensor> inputs) {
  const auto outputs = g.outputs();
  std::vector<float_tensor> result(outputs.size());
  evaluate_each(g, inputs, [&](auto n, const float_tensor& t) {
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i] == n) result[i] = t;
  });
  return result;
}
template <class Graph>
std::vector<float_tensor> evaluate(const Graph& g,
                                   const std::map<std::string, float_tensor>& inputs) {
  return net::evaluate(g, std::span<const float_tensor>(in_input_order(g, inputs)));
}
// For networks of one input.
template <class Graph>
std::vector<float_tensor> evaluate(const Graph& g, const float_tensor& input) {
  return net::evaluate(g, std::span(&input, 1));
}

}  // namespace nvdlac::net
