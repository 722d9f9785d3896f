// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/operation.hpp>

namespace nvdlac::pass {

// The node's operator if it is an Op; nullptr if not, or if the graph knows no Op.
template <class Op, class Graph>
auto* as(Graph& g, std::size_t n) {
  using result = std::conditional_t<std::is_const_v<Graph>, const Op, Op>;
  if constexpr (contains<Op, typename std::remove_const_t<Graph>::operators>)
    return std::get_if<Op>(&g[n].op);
  else
    return static_cast<result*>(nullptr);
}

// The operator if it is of this type and the node reads one tensor: a convolution with a second
// input is what it is.
template <class Op, class Graph>
auto* as_alone(Graph& g, std::size_t n) {
  auto* op = as<Op>(g, n);
  return op != nullptr && g.inputs(n).size() == 1 ? op : nullptr;
}

template <class Graph>
bool is_input(const Graph& g, std::size_t n) {
  return nvdlac::visit(
      [](const auto& op) { return net::is_network_input<std::decay_t<decltype(op)>>; }, g[n].op);
}

// The changes that passes make to a graph. Removed nodes are unlinked at once, and leave when
// the pass is over.
template <class Graph>
class rewriter {
 public:
  using id = typename Graph::id;

  explicit rewriter(Graph& g) : g_(g), removed_(g.size(), false) {
    for (id n = 0; n < g.size(); ++n) names_.insert(g[n].name);
  }
  rewriter(const rewriter&) = delete;
  rewriter& operator=(const rewriter&) = delete;

  bool removed(id n) const { return n < removed_.size() && removed_[n]; }

  // Only `reader` reads n, once, and nothing outside does: n may take over what `reader` does.
  bool only_feeds(id n, id reader) const {
    return !g_[n].output && g_.uses(n) == 1 && g_.consumers(n)[0] == reader;
  }

  // Whether readers of n may read `from` instead. An output stays one, in its place among them.
  bool can_bypass(id n, id from) const {
    if (!g_[n].output) return true;
    if (g_[from].output || is_input(g_, from) || g_.inputs(from).empty()) return false;
    for (const id other : g_.outputs())
      if (other != n && (other > from) != (other > n)) return false;
    return true;
  }
  // Readers of n read `from`. If n is an output, `from` becomes it under the same name.
  void bypass(id n, id from) {
    if (g_[n].output) std::swap(g_[n].name, g_[from].name);
    g_.replace_uses(n, from);
    remove(n);
  }

  // Removes n, which nothing reads any more, and what only n needed; inputs stay.
  void remove(id n) {
    std::vector<id> open{n};
    while (!open.empty()) {
      const id m = open.back();
      open.pop_back();
      const auto inputs = copied(g_.inputs(m));
      g_.set_inputs(m, {});
      removed_.resize(g_.size(), false);
      removed_[m] = true;
      for (const id i : inputs)
        if (!removed(i) && g_.consumers(i).empty() && !g_[i].output && !is_input(g_, i))
          open.push_back(i);
    }
  }
  // n's inputs become these; what is not needed any more is removed.
  void set_inputs(id n, std::span<const id> inputs) {
    const auto before = copied(g_.inputs(n));
    g_.set_inputs(n, inputs);
    for (const id i : before)
      if (!removed(i) && g_.consumers(i).empty() && !g_[i].output && !is_input(g_, i)) remove(i);
  }
  void set_inputs(id n, std::initializer_list<id> inputs) {
    set_inputs(n, std::span(inputs.begin(), inputs.size()));
  }

  // A new node whose name is `base`, or `base` with the first free number, with the shape that
  // follows from its inputs.
  id add(const std::string& base, typename Graph::any_operator op, std::span<const id> inputs) {
    std::string name = base;
    for (int& i = tried_[base]; !names_.insert(name).second; name = base + "_" + std::to_string(i))
      i = std::max(i + 1, 2);
    std::vector<net::shape> in;
    for (const id i : inputs) in.push_back(g_[i].shape);
    const net::shape out = nvdlac::visit([&](const auto& o) { return o.infer(in); }, op);
    const id n = g_.add(std::move(name), std::move(op), inputs);
    g_[n].shape = out;
    return n;
  }
  id add(const std::string& base, typename Graph::any_operator op,
         std::initializer_list<id> inputs) {
    return add(base, std::move(op), std::span(inputs.begin(), inputs.size()));
  }

  // The pass is over.
  void finish() {
    if (std::find(removed_.begin(), removed_.end(), true) != removed_.end())
      g_ = std::move(g_).filtered([&](id n) { return !removed(n); });
  }

 private:
  static std::vector<id> copied(std::span<const id> ids) { return {ids.begin(), ids.end()}; }

  Graph& g_;
  std::vector<bool> removed_;
  std::set<std::string> names_{};
  std::map<std::string, int> tried_{};  // by base, the last number
};

}  // namespace nvdlac::pass
