// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/cut_around.hpp>

namespace nvdlac::import {

namespace detail {

NVDLAC_IMPL std::vector<std::size_t> needed_in_order(const std::vector<cut_node>& nodes) {
  std::vector<std::size_t> sorted;
  std::vector<bool> seen(nodes.size(), false);
  std::vector<std::pair<std::size_t, std::size_t>> path;  // nodes, and their next inputs
  const auto visit = [&](std::size_t n) {
    if (!seen[n]) path.emplace_back(n, 0);
    seen[n] = true;
  };
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (std::ranges::find(nodes[n].of_network, true) != nodes[n].of_network.end()) visit(n);
    while (!path.empty()) {
      auto& [last, next] = path.back();
      if (next < nodes[last].inputs.size()) {
        visit(nodes[last].inputs[next++].node);
      } else {
        sorted.push_back(last);
        path.pop_back();
      }
    }
  }
  return sorted;
}

NVDLAC_IMPL std::optional<cut_ends> ends_of_level(const std::vector<cut_node>& nodes,
                                                  const std::vector<std::size_t>& sorted,
                                                  const std::vector<cut_place>& at,
                                                  std::size_t level) {
  const auto is_part = [&](std::size_t n) {
    return at[n].level == level && !nodes[n].refused && !nodes[n].constant;
  };
  cut_ends ends;
  for (const auto n : sorted) {
    for (const auto& i : nodes[n].inputs) {
      if (is_part(i.node) && !is_part(n) && !nodes[n].constant) ends.to.insert(i);
      if (!is_part(n) || is_part(i.node)) continue;
      if (!nodes[i.node].constant) ends.from.insert(i);
      else if (at[i.node].computed && at[i.node].level != level) return std::nullopt;
    }
    for (std::size_t o = 0; is_part(n) && o < nodes[n].of_network.size(); ++o)
      if (nodes[n].of_network[o]) ends.to.insert({n, o});
  }
  return ends;
}

}  // namespace detail

NVDLAC_IMPL std::string cut_around(const std::vector<cut_node>& nodes) {
  constexpr std::size_t most_ends = 16;
  const auto sorted = detail::needed_in_order(nodes);
  if (std::ranges::none_of(sorted, [&](std::size_t n) { return nodes[n].refused; })) return {};
  std::vector<detail::cut_place> at(nodes.size());
  std::map<std::size_t, std::size_t> sizes;  // of the parts, by level
  for (const auto n : sorted) {
    at[n].computed = !nodes[n].constant;
    for (const auto& i : nodes[n].inputs) {
      at[n].level = std::max(at[n].level, at[i.node].level + (nodes[i.node].refused ? 1 : 0));
      at[n].computed = at[n].computed || at[i.node].computed;
    }
    if (!nodes[n].refused && !nodes[n].constant) ++sizes[at[n].level];
  }
  std::vector<std::pair<std::size_t, std::size_t>> by_size(sizes.begin(), sizes.end());
  std::ranges::stable_sort(by_size, std::greater{}, [](const auto& s) { return s.second; });
  for (const auto& found : by_size) {
    const auto level = found.first;
    const auto ends = detail::ends_of_level(nodes, sorted, at, level);
    if (!ends || ends->to.empty() || ends->from.size() + ends->to.size() > most_ends) continue;
    const bool to_the_end = std::ranges::none_of(sorted, [&](std::size_t n) {
      return at[n].level > level || (at[n].level == level && nodes[n].refused);
    });
    std::string options = ends->from.empty() ? "read the part before:"
                          : to_the_end       ? "read the part behind:"
                                             : "read the part between:";
    for (const auto& e : ends->from) options += " --from " + nodes[e.node].outputs.at(e.output);
    if (ends->from.empty() || !to_the_end)
      for (const auto& e : ends->to) options += " --to " + nodes[e.node].outputs.at(e.output);
    return options;
  }
  return {};
}

NVDLAC_IMPL std::string cut_around(std::vector<cut_node> nodes, const error& refused) {
  std::multimap<std::string_view, cut_node*> called;
  for (auto& n : nodes) {
    if (n.constant) continue;
    called.emplace(n.layer, &n);
    for (const auto& name : n.outputs) called.emplace(name, &n);
  }
  for (const auto& p : refused.problems()) {
    std::string_view name = p.layer;
    while (!called.contains(name) && name.find('/') != name.npos)
      name = name.substr(0, name.rfind('/'));
    if (name.empty()) continue;
    const auto [first, last] = called.equal_range(name);
    for (auto n = first; n != last; ++n) n->second->refused = true;
  }
  return cut_around(nodes);
}

NVDLAC_IMPL std::vector<cut_node> nodes_of(const std::vector<cut_layer>& layers,
                                           const std::vector<std::string>& outputs) {
  std::map<std::string, cut_port> from;
  const std::set<std::string> given(outputs.begin(), outputs.end());
  std::set<std::string> names;
  std::vector<cut_node> all(layers.size());
  for (std::size_t n = 0; n < layers.size(); ++n) {
    const auto& l = layers[n];
    all[n].layer = l.name;
    all[n].refused = l.refused;
    all[n].constant = l.constant;
    const bool alone = l.outputs.size() == 1 && !l.name.empty() && names.insert(l.name).second;
    for (std::size_t o = 0; o < l.outputs.size(); ++o) {
      from.emplace(l.outputs[o], cut_port{n, o});
      all[n].outputs.push_back(alone ? l.name : l.outputs[o]);
      all[n].of_network.push_back(given.contains(l.outputs[o]));
    }
  }
  for (std::size_t n = 0; n < layers.size(); ++n)
    for (const auto& i : layers[n].inputs)
      if (const auto f = from.find(i); f != from.end()) all[n].inputs.push_back(f->second);
  return all;
}

NVDLAC_IMPL error constant_output(const std::vector<std::string>& others) {
  std::string options;
  for (const auto& name : others) options += " --to " + name;
  return error(problem{.reason = "this output is constant",
                       .remedy = options.empty() ? "no output depends on an input"
                                                 : "read the others alone:" + options});
}

NVDLAC_IMPL error with_cut(const error& e, const std::string& options) {
  auto all = e.problems();
  if (options.empty() || all.empty()) return e;
  const auto unsupported = std::ranges::find_if(all, [](const problem& p) {
    return p.reason.find("not supported") != p.reason.npos;
  });
  auto& remedy = unsupported == all.end() ? all.front().remedy : unsupported->remedy;
  if (remedy.empty()) remedy = options;
  else
    remedy = unsupported == all.end() ? remedy + "; or " + options : options + "; " + remedy;
  return error(std::move(all));
}

}  // namespace nvdlac::import
