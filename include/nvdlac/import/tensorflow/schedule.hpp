// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/import/cut_around.hpp>
#include <nvdlac/import/tensorflow/operators.hpp>

namespace nvdlac::import::tensorflow_format {

// A tensor that comes in or goes out, and what the user calls it.
struct named_port {
  std::string name;
  port at;
};

// The nodes that outputs need, each behind those that it reads, from the inputs or from where the
// network is cut.
class schedule {
 public:
  schedule(const std::vector<node>& nodes, const std::vector<named_port>& outputs,
           std::set<port> starts)
      : nodes_(nodes), starts_(std::move(starts)), constant_(nodes.size(), true),
        state_(nodes.size(), fresh) {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (const auto& p : nodes[i].inputs) readers_[p].push_back(i);
    for (const auto& o : outputs) {
      outputs_.insert(o.at);
      visit(o.at.node);
    }
    for (const auto n : sorted_)
      if (!is_start(n) && !is_known(nodes_[n])) add_unsupported(n);
  }

  const std::vector<std::size_t>& nodes() const { return sorted_; }
  // Whether a node gives the same for all inputs.
  bool is_constant(std::size_t n) const { return constant_[n]; }
  bool is_start(std::size_t n) const { return !starts_of(n).empty(); }
  std::vector<port> starts_of(std::size_t n) const {
    std::vector<port> all;
    for (auto p = starts_.lower_bound({n, 0}); p != starts_.end() && p->node == n; ++p)
      all.push_back(*p);
    return all;
  }
  const std::vector<std::size_t>& readers_of(port p) const {
    static const std::vector<std::size_t> none;
    const auto found = readers_.find(p);
    return found == readers_.end() ? none : found->second;
  }
  // The outputs of a node that others read.
  std::vector<std::size_t> outputs_of(std::size_t n) const {
    std::vector<std::size_t> all;
    for (auto p = readers_.lower_bound({n, 0}); p != readers_.end() && p->first.node == n; ++p)
      all.push_back(p->first.output);
    return all;
  }

  void add_unsupported(std::size_t n) { unsupported_[nodes_[n].op()].push_back(n); }
  bool is_unsupported(std::size_t n) const { return refused_.contains(n); }
  // Whether nothing else reads what a node gives.
  bool feeds_unsupported_alone(std::size_t n) const {
    const auto outputs = outputs_of(n);
    return !outputs.empty() && std::ranges::all_of(outputs, [&](std::size_t k) {
      return std::ranges::all_of(readers_of({n, k}),
                                 [&](std::size_t r) { return refused_.contains(r); });
    });
  }
  // The problems since the last call: nodes by operator, or a cycle of other ones.
  std::vector<problem> take_problems() {
    std::vector<problem> found;
    for (const auto& [op, all] : unsupported_) refused_.insert(all.begin(), all.end());
    for (const auto& [op, all] : std::exchange(unsupported_, {}))
      found.push_back(problem_of(op, all));
    if (!found.empty()) found.front().remedy = cut();
    if (found.empty() && refused_.empty() && !cycle_.empty())
      found.push_back({.layer = std::exchange(cycle_, {}), .reason = "nodes lie on a cycle"});
    return found;
  }

 private:
  enum : std::uint8_t { fresh, open, done };

  static bool is_known(const node& n) {
    return operators().contains(n.op()) || is_placeholder(n.op()) || is_variable(n.op()) ||
           n.op() == "Const";
  }
  static bool is_control_flow(std::string_view op) {
    static const std::set<std::string_view> all = {
        "Enter", "Exit", "If", "LoopCond", "Merge", "NextIteration", "RefEnter", "RefExit",
        "RefMerge", "RefNextIteration", "RefSwitch", "StatelessIf", "StatelessWhile", "Switch",
        "While"};
    return all.contains(op);
  }

  void visit(std::size_t first) {
    std::vector<std::pair<std::size_t, std::size_t>> stack;
    const auto enter = [&](std::size_t n) {
      if (state_[n] != fresh) return;
      state_[n] = open;
      stack.emplace_back(n, 0);
    };
    enter(first);
    while (!stack.empty()) {
      auto& [n, next] = stack.back();
      const auto& in = nodes_[n].inputs;
      if (next < in.size() && !is_start(n)) {
        const auto from = in[next++].node;
        if (state_[from] == open) cycle_ = nodes_[from].name();
        else enter(from);
        continue;
      }
      state_[n] = done;
      constant_[n] = !is_start(n) && !is_placeholder(nodes_[n].op()) &&
                     std::ranges::all_of(in, [&](port p) { return bool{constant_[p.node]}; });
      sorted_.push_back(n);
      stack.pop_back();
    }
  }

  problem problem_of(const std::string& op, const std::vector<std::size_t>& all) const {
    std::string layers;
    for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 3); ++i)
      layers += (i == 0 ? "" : ", ") + nodes_[all[i]].name();
    const bool control = is_control_flow(op);
    return {.layer = nodes_[all.front()].name(),
            .reason = text("the operator ", escape::is_printable(op) ? op : "?",
                           control ? ", which is control flow," : "", " is not supported (",
                           all.size(), all.size() == 1 ? " node" : " nodes: " + layers,
                           all.size() > 3 ? ", ..)" : ")"),
            .remedy = {}};
  }
  // The part without refused nodes.
  std::string cut() const {
    std::vector<cut_node> all(nodes_.size());
    for (const auto n : sorted_) {
      const bool tells_shape = nodes_[n].op() == "Shape" || nodes_[n].op() == "Rank" ||
                               nodes_[n].op() == "Size";
      all[n].constant = constant_[n] || tells_shape || is_placeholder(nodes_[n].op());
      all[n].refused = refused_.contains(n);
      for (const auto& p : nodes_[n].inputs) {
        if (is_start(n)) break;
        all[n].inputs.push_back({p.node, p.output});
        auto& ends = all[p.node].outputs;
        for (auto k = ends.size(); k <= p.output; ++k)
          ends.push_back(nodes_[p.node].name() + (k == 0 ? "" : text(":", k)));
      }
    }
    for (const auto& o : outputs_) {
      auto& n = all[o.node];
      for (auto k = n.outputs.size(); k <= o.output; ++k)
        n.outputs.push_back(nodes_[o.node].name() + (k == 0 ? "" : text(":", k)));
      n.of_network.resize(n.outputs.size(), false);
      n.of_network[o.output] = true;
    }
    return cut_around(all);
  }

  const std::vector<node>& nodes_;
  std::set<port> starts_, outputs_;
  std::map<port, std::vector<std::size_t>> readers_;
  std::vector<std::size_t> sorted_;
  std::vector<bool> constant_;
  std::vector<std::uint8_t> state_;
  std::string cycle_;
  std::map<std::string, std::vector<std::size_t>> unsupported_;
  std::set<std::size_t> refused_;
};

}  // namespace nvdlac::import::tensorflow_format
