// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>
#include <vector>

#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

struct remove_dead {
  static constexpr std::string_view name = "remove_dead";
  static constexpr std::string_view description = "remove what no output depends on; inputs stay";

  template <class Graph>
  static void run(Graph& g) {
    std::vector<bool> needed(g.size(), false);
    std::vector<typename Graph::id> open = g.outputs();
    while (!open.empty()) {
      const auto n = open.back();
      open.pop_back();
      if (needed[n]) continue;
      needed[n] = true;
      for (const auto i : g.inputs(n)) open.push_back(i);
    }
    g = std::move(g).filtered([&](auto n) { return needed[n] || is_input(g, n); });
  }
};

}  // namespace nvdlac::pass
