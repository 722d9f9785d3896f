// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <map>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/infer_shapes.hpp>

namespace nvdlac::net {

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
    const bool is_input = std::visit(
        [](const auto& op) { return is_network_input<std::decay_t<decltype(op)>>; }, node.op);
    has_input = has_input || is_input;
    if (!is_input && !node.output && g.consumers(n).empty())
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
