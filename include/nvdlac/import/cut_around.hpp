// SPDX-License-Identifier: Apache-2.0
#pragma once
// The part of a network that is left where some of its operators are refused.
#include <algorithm>
#include <compare>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace nvdlac::import {

// An output of a node.
struct cut_port {
  std::size_t node = 0, output = 0;
  auto operator<=>(const cut_port&) const = default;
};

// A node of a file, as far as a cut asks for it. Inputs of the network and stored weights are none.
struct cut_node {
  std::vector<cut_port> inputs{};
  std::vector<std::string> outputs{};  // what the options --from and --to call them
  std::vector<bool> of_network{};      // by output: whether the network gives it
  bool refused = false;
  bool constant = false;               // it gives the same for all inputs
};

// The options that name the largest part of a network without its refused nodes: `--to` and what is
// computed before them, `--from` what is behind, both what lies between. Empty where nothing is
// left, or only what has more ends than a user would type.
inline std::string cut_around(const std::vector<cut_node>& nodes) {
  constexpr std::size_t most_ends = 16;
  // What the network needs of all that stands in the file.
  std::vector<bool> needed(nodes.size(), false);
  std::vector<std::size_t> found;
  for (std::size_t n = 0; n < nodes.size(); ++n)
    if (std::ranges::find(nodes[n].of_network, true) != nodes[n].of_network.end())
      found.push_back(n);
  while (!found.empty()) {
    const auto n = found.back();
    found.pop_back();
    if (needed[n]) continue;
    needed[n] = true;
    for (const auto& i : nodes[n].inputs) found.push_back(i.node);
  }
  // How many refused nodes lie on the way to each node, at most, in the order of the data.
  std::vector<std::size_t> open(nodes.size()), level(nodes.size(), 0), ready, sorted;
  std::vector<std::vector<std::size_t>> readers(nodes.size());
  std::vector<bool> computed(nodes.size(), false);  // it, or what it depends on
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    open[n] = nodes[n].inputs.size();
    if (!needed[n]) continue;
    for (const auto& i : nodes[n].inputs) readers[i.node].push_back(n);
    if (open[n] == 0) ready.push_back(n);
  }
  while (!ready.empty()) {
    const auto n = ready.back();
    ready.pop_back();
    sorted.push_back(n);
    computed[n] = computed[n] || !nodes[n].constant;
    for (const auto r : readers[n]) {
      level[r] = std::max(level[r], level[n] + (nodes[n].refused ? 1 : 0));
      computed[r] = computed[r] || computed[n];
      if (--open[r] == 0) ready.push_back(r);
    }
  }
  std::vector<std::size_t> sizes;  // by level
  for (const auto n : sorted) {
    if (nodes[n].refused || nodes[n].constant) continue;
    sizes.resize(std::max(sizes.size(), level[n] + 1), 0);
    ++sizes[level[n]];
  }
  std::vector<std::size_t> by_size(sizes.size());
  for (std::size_t k = 0; k < by_size.size(); ++k) by_size[k] = k;
  std::ranges::stable_sort(by_size, [&](auto a, auto b) { return sizes[a] > sizes[b]; });
  for (const auto k : by_size) {
    const auto is_part = [&](std::size_t n) {
      return needed[n] && level[n] == k && !nodes[n].refused && !nodes[n].constant;
    };
    std::set<cut_port> from, to;
    bool sound = sizes[k] > 0;
    for (const auto n : sorted) {
      for (const auto& i : nodes[n].inputs) {
        if (is_part(i.node) && !is_part(n) && !nodes[n].constant) to.insert(i);
        if (!is_part(n) || is_part(i.node)) continue;
        if (!nodes[i.node].constant) from.insert(i);
        // Constants of shapes that lie before the part would need what is refused.
        else if (computed[i.node] && level[i.node] != k) sound = false;
      }
      for (std::size_t o = 0; is_part(n) && o < nodes[n].of_network.size(); ++o)
        if (nodes[n].of_network[o]) to.insert({n, o});
    }
    if (!sound || to.empty() || from.size() + to.size() > most_ends) continue;
    std::string options;
    const auto add = [&](const char* option, const std::set<cut_port>& ends) {
      for (const auto& e : ends)
        options += (options.empty() ? "" : " ") + (option + nodes[e.node].outputs.at(e.output));
    };
    add("--from ", from);
    const bool to_the_end = std::ranges::none_of(sorted, [&](std::size_t n) {
      return level[n] > k || (level[n] == k && nodes[n].refused);
    });
    if (from.empty() || !to_the_end) add("--to ", to);
    return std::string(from.empty() ? "read the part before: "
                       : to_the_end ? "read the part behind: "
                                    : "read the part between: ") +
           options;
  }
  return {};
}

}  // namespace nvdlac::import
