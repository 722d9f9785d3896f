// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/report/lineage.hpp>

namespace nvdlac::report {

namespace detail {

using node_places = std::map<std::string_view, std::size_t>;

NVDLAC_IMPL node_places places_in(const network_form& form) {
  node_places places;
  for (std::size_t n = 0; n < form.nodes.size(); ++n) places.emplace(form.nodes[n].name, n);
  return places;
}

// Whom a reader that stayed reads now in place of what it read in a slot: another layer, or it is
// the reader itself that took it up.
NVDLAC_IMPL std::size_t read_in_place(const network_form& last, const network_form& next,
                                      std::size_t reader, std::size_t slot, std::size_t now) {
  const auto& before = last.nodes[reader].inputs;
  const auto& after = next.nodes[now].inputs;
  const auto is_source = [&](std::size_t n) { return next.nodes[n].inputs.empty(); };
  if (before.size() == after.size()) return is_source(after[slot]) ? now : after[slot];
  std::size_t found = now, others = 0;
  for (const auto i : after) {
    const bool is_known = std::ranges::any_of(
        before, [&](std::size_t b) { return last.nodes[b].name == next.nodes[i].name; });
    if (!is_known && !is_source(i)) {
      found = i;
      ++others;
    }
  }
  return others == 1 ? found : now;
}

// For each node of `last` its place in `next`, or that of the node into which it went; none:
// nothing depends on it.
NVDLAC_IMPL std::vector<std::size_t> followed(const network_form& last, const network_form& next) {
  const auto none = next.nodes.size();
  const auto places = places_in(next);
  std::vector<std::size_t> outputs;
  for (std::size_t n = 0; n < next.nodes.size(); ++n)
    if (next.nodes[n].output) outputs.push_back(n);
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> readers(last.nodes.size());
  std::size_t output = 0;
  for (std::size_t n = 0; n < last.nodes.size(); ++n) {
    const auto& inputs = last.nodes[n].inputs;
    for (std::size_t slot = 0; slot < inputs.size(); ++slot)
      readers[inputs[slot]].emplace_back(n, slot);
    output += last.nodes[n].output ? 1 : 0;
  }
  const bool same_outputs = output == outputs.size();
  std::vector<std::size_t> to(last.nodes.size(), none);
  for (std::size_t n = last.nodes.size(); n-- > 0;) {  // who reads it is known already
    const auto& node = last.nodes[n];
    if (node.output) --output;
    if (const auto at = places.find(node.name); at != places.end()) {
      to[n] = at->second;
      continue;
    }
    for (const auto& [reader, slot] : readers[n])
      if (const auto stays = places.find(last.nodes[reader].name); stays != places.end()) {
        to[n] = read_in_place(last, next, reader, slot, stays->second);
        break;
      }
    if (to[n] == none && node.output && same_outputs) to[n] = outputs[output];
    if (to[n] == none && !readers[n].empty()) to[n] = to[readers[n].front().first];
  }
  return to;
}

}  // namespace detail

NVDLAC_IMPL void lineage::begin(network_form of_file) {
  layers_.clear();
  for (const auto& n : of_file.nodes)
    if (!n.inputs.empty()) layers_.push_back({n.name, n.kind, n.name});
  last_ = std::move(of_file);
}

NVDLAC_IMPL void lineage::follow(network_form next) {
  const auto to = detail::followed(last_, next);
  const auto places = detail::places_in(last_);
  for (auto& l : layers_) {
    const auto at = places.find(l.now);
    if (at == places.end()) continue;
    l.now = to[at->second] == next.nodes.size() ? "" : next.nodes[to[at->second]].name;
  }
  last_ = std::move(next);
}

}  // namespace nvdlac::report
