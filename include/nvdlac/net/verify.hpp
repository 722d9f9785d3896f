// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/operation.hpp>

namespace nvdlac::net {

// "convolution": the type of a node's operator.
template <class AnyOperator>
std::string operator_name(const AnyOperator& any) {
  return nvdlac::visit(
      [](const auto& op) { return std::string(type_name<std::decay_t<decltype(op)>>()); }, any);
}

// Why the input slots of node n are not 0, 1, .. each fed once and as many as its operator takes;
// empty if they are.
template <class Graph>
std::vector<problem> slot_problems(const Graph& g, typename Graph::id n) {
  std::vector<problem> found;
  const auto& node = g[n];
  const auto report = [&](std::string reason) {
    found.push_back({.layer = node.name, .reason = std::move(reason)});
  };
  const auto slots = g.fed_slots(n);
  for (std::size_t i = 1; i < slots.size(); ++i)
    if (slots[i] == slots[i - 1] && (i < 2 || slots[i - 2] != slots[i]))
      report(text("its input ", slots[i], " is fed more than once"));
  const std::size_t width = slots.empty() ? 0 : slots.back() + 1;
  for (std::size_t i = 0, seen = 0; i < width && i <= slots.size(); ++i) {
    const bool fed = seen < slots.size() && slots[seen] == i;
    while (seen < slots.size() && slots[seen] == i) ++seen;
    if (!fed) report(text("its input ", i, " is open"));
  }
  const arity takes = nvdlac::visit([](const auto& op) { return arity{op.inputs}; }, node.op);
  if (!takes.contains(width))
    report(text("its operator ", operator_name(node.op), " takes ",
                takes.most == any_number    ? text(takes.least, " or more inputs")
                : takes.least == takes.most ? count_of(takes.least, "input")
                                            : text(takes.least, " to ", takes.most, " inputs"),
                " but has ", width));
  return found;
}

// Whether weights and other constants are looked at, all of them, or are known to be sound.
enum class check_constants : bool { no, yes };

// Calls found(id, shape) for every node whose shape follows from its inputs, producers first, and
// reports why the others have none and what is wrong with constants. A node behind one without a
// shape is passed over in silence.
template <class Graph, class Found>
void infer_each(const Graph& g, diagnostics& problems, Found found,
                check_constants values = check_constants::yes) {
  std::vector<std::optional<shape>> shapes(g.size());
  for (const auto n : g.order()) {
    if (!slot_problems(g, n).empty()) continue;
    std::vector<shape> in;
    for (const auto i : g.inputs(n))
      if (shapes[i]) in.push_back(*shapes[i]);
    if (in.size() != g.inputs(n).size()) continue;
    try {
      nvdlac::visit(
          [&](const auto& op) {
            shapes[n] = op.infer(in);
            if constexpr (requires { op.check(in, problems, g[n].name); })
              if (values == check_constants::yes) op.check(in, problems, g[n].name);
          },
          g[n].op);
      found(n, *shapes[n]);
    } catch (const error& e) {
      for (problem p : e.problems()) {
        p.layer = g[n].name;
        problems.add(std::move(p));
      }
    }
  }
}

// The names of the nodes on cycles, "a -> b -> a" for each group of nodes that reach one another.
template <class Graph>
std::vector<problem> cycle_problems(const Graph& g) {
  std::vector<bool> sound(g.size(), false), reported(g.size(), false);
  for (const auto n : g.order()) sound[n] = true;
  std::vector<problem> found;
  for (typename Graph::id start = 0; start < g.size(); ++start) {
    if (sound[start] || reported[start]) continue;
    // Backwards along unsound inputs every path ends on a cycle.
    std::vector<typename Graph::id> path{start};
    std::vector<bool> on_path(g.size(), false);
    on_path[start] = true;
    for (bool known = false; !known;) {
      typename Graph::id next = g.size();
      for (const auto i : g.inputs(path.back()))
        if (!sound[i]) next = std::min(next, i);
      known = reported[next];
      if (!known && on_path[next]) {
        const auto first = std::find(path.begin(), path.end(), next);
        std::string names = g[next].name;
        for (auto i = path.end(); i != first; --i) names += " -> " + g[*(i - 1)].name;
        found.push_back({.layer = g[next].name, .reason = "it lies on a cycle: " + names});
        known = true;
      }
      if (!known) {
        path.push_back(next);
        on_path[next] = true;
      }
    }
    for (const auto n : path) reported[n] = true;
  }
  return found;
}

// Sets every node's shape. Throws all problems of structure, shapes and constants together.
template <class Graph>
void infer_shapes(Graph& g, check_constants values = check_constants::yes) {
  diagnostics problems;
  for (auto& p : cycle_problems(g)) problems.add(p);
  for (typename Graph::id n = 0; n < g.size(); ++n)
    for (auto& p : slot_problems(g, n)) problems.add(p);
  infer_each(g, problems, [&](auto n, shape s) { g[n].shape = s; }, values);
  problems.check();
}

// All that is wrong with a network, with layer names: cycles, open and doubly fed input slots,
// wrong numbers of inputs, no input, no output, tensors that nothing reads, names that are empty or
// not unique, shapes that do not fit or are not the inferred ones, weights that are mis-sized or
// not finite. Empty if the network is sound.
template <class Graph>
std::vector<problem> verify(const Graph& g) {
  using id = typename Graph::id;
  diagnostics problems;
  for (auto& p : cycle_problems(g)) problems.add(p);

  bool has_input = false, inferred = false;
  std::map<std::string, std::size_t> names;
  for (id n = 0; n < g.size(); ++n) {
    const auto& node = g[n];
    const auto report = [&](std::string reason, std::string remedy = {}) {
      problems.add({.layer = node.name, .reason = std::move(reason), .remedy = std::move(remedy)});
    };
    if (node.name.empty()) report(text("layer number ", n, " has no name"));
    else if (++names[node.name] == 2) report("its name is used more than once");
    for (auto& p : slot_problems(g, n)) problems.add(p);
    const bool is_input = nvdlac::visit(
        [](const auto& op) { return is_network_input<std::decay_t<decltype(op)>>; }, node.op);
    has_input = has_input || is_input;
    if (!is_input && !node.output && g.uses(n) == 0)
      report("nothing reads its tensor", "make it an output or remove it");
    inferred = inferred || node.shape != shape{};
  }
  if (!has_input) problems.add({.reason = "the network has no input"});
  if (g.outputs().empty()) problems.add({.reason = "the network has no output"});

  infer_each(g, problems, [&](id n, shape s) {
    if (inferred && g[n].shape != s)
      problems.add(
          {.layer = g[n].name,
           .reason = text("its shape is recorded as ", g[n].shape, " but follows as ", s)});
  });
  return problems.problems();
}

}  // namespace nvdlac::net
