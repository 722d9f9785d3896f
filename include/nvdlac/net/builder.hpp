// SPDX-License-Identifier: Apache-2.0
#pragma once
// Two ways to a graph: node by node at run time, or from a network of C++.
#include <algorithm>
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
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/network_nodes.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>

namespace nvdlac::net {

// Builds a graph from layers that name the tensors they read and the tensor they produce, as model
// files do, in any order. A layer whose output is one of its inputs (Caffe's in-place layers)
// rebinds the name: it reads what the name meant before it, and later layers read its result. A
// layer that reads a name before anything produces it reads what the name means in the end.
template <class Graph>
class builder {
 public:
  using id = typename Graph::id;

  // `file` goes into the problems that are reported.
  explicit builder(std::string file = {}) : file_(std::move(file)) {}

  id add(std::string layer, typename Graph::any_operator op, std::vector<std::string> input_tensors,
         const std::string& output_tensor) {
    const bool in_place = std::find(input_tensors.begin(), input_tensors.end(), output_tensor) !=
                          input_tensors.end();
    std::vector<use> uses;
    for (auto& name : input_tensors) {
      const auto& [producers, rebinders] = tensors_[name];
      const bool known =
          !producers.empty() || !rebinders.empty() || (in_place && name == output_tensor);
      uses.push_back({std::move(name), known ? rebinders.size() : last});
    }
    const id n = graph_.add(std::move(layer), std::move(op));
    uses_.push_back(std::move(uses));
    auto& bound = tensors_[output_tensor];
    (in_place ? bound.rebinders : bound.producers).push_back(n);
    return n;
  }

  // The graph with these tensors as outputs; without any, those that nothing reads. Throws, all
  // together: tensors that nothing or more than one layer produces, and cycles. The builder is
  // empty afterwards.
  Graph finish(const std::vector<std::string>& outputs = {}) {
    diagnostics problems;
    report_ambiguous(problems);
    for (id n = 0; n < graph_.size(); ++n)
      for (std::size_t i = 0; i < uses_[n].size(); ++i) {
        const auto& [name, version] = uses_[n][i];
        if (const id from = resolve(name, version); from != none) graph_.connect(from, n, i);
        else report(problems, graph_[n].name, "nothing produces its input '" + name + "'");
      }
    for (const auto& name : outputs) {
      if (const id n = resolve(name, last); n != none) graph_[n].output = true;
      else report(problems, {}, "nothing produces the output '" + name + "'");
    }
    if (outputs.empty())
      for (id n = 0; n < graph_.size(); ++n) graph_[n].output = graph_.consumers(n).empty();
    for (const auto& p : cycle_problems(graph_)) report(problems, p.layer, p.reason);
    uses_.clear();
    tensors_.clear();
    Graph result = std::exchange(graph_, Graph{});
    problems.check();
    return result;
  }

 private:
  static constexpr std::size_t last = static_cast<std::size_t>(-1);
  static constexpr id none = static_cast<id>(-1);

  struct use {
    std::string tensor;
    std::size_t version;  // what the name means after so many rebinders
  };
  struct binding {
    std::vector<id> producers, rebinders;  // in the order of their addition
  };

  id resolve(const std::string& name, std::size_t version) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) return none;
    const auto& [producers, rebinders] = found->second;
    version = std::min(version, rebinders.size());
    if (version > 0) return rebinders[version - 1];
    return producers.empty() ? none : producers.front();
  }
  void report_ambiguous(diagnostics& problems) const {
    for (const auto& [name, bound] : tensors_) {
      if (bound.producers.size() < 2) continue;
      std::string layers;
      for (const id n : bound.producers)
        layers += (layers.empty() ? "'" : ", '") + graph_[n].name + "'";
      report(problems, graph_[bound.producers[1]].name,
             "the tensor '" + name + "' is produced more than once, by " + layers);
    }
  }
  void report(diagnostics& problems, std::string layer, std::string reason) const {
    problems.add({.file = file_, .layer = std::move(layer), .reason = std::move(reason)});
  }

  std::string file_;
  Graph graph_{};
  std::vector<std::vector<use>> uses_{};  // by node
  std::map<std::string, binding> tensors_{};
};

// The nodes of a network, whose operators are those of the graph, as a graph.
template <class Graph>
Graph to_graph(std::vector<network_node> nodes) {
  Graph g;
  for (auto& n : nodes) {
    typename Graph::any_operator op;
    for_each(typename Graph::operators{}, [&]<class Op>(std::type_identity<Op>) {
      if (auto* held = std::any_cast<Op>(&n.op)) op = std::move(*held);
    });
    auto& made = g[g.add(std::move(n.name), std::move(op), {n.inputs.begin(), n.inputs.end()})];
    made.shape = n.shape;
    made.scale = n.scale;
    made.precision = n.precision;
    made.output = n.output;
  }
  return g;
}
// The network as a graph, with all its shapes. A node without a name is called after its operator
// and its position: "relu_2". An operator that is not in the graph's list becomes its expansion.
// Throws if no node has a member that `values` names; `verify` finds values that are missing or
// mis-sized.
template <class Graph = graph, class... Nodes>
Graph to_graph(const network<Nodes...>& net, const parameters& values = {}) {
  return to_graph<Graph>(nodes_of<typename Graph::operators>(net, values));
}

}  // namespace nvdlac::net
