// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <variant>

#include <nvdlac/error.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quant/sharing.hpp>

namespace nvdlac::quant {

// A table that a user gives, for the network `g` that passes made of `original`. The table may name
// layers of either: where passes fused layers, the tensor that remains is that of the last one, so
// its scale counts. Throws, all together: layers of the table that neither network has, layers of
// `g` that the table lacks (poolings, those that share their input's scale and softmax need none).
template <class Graph>
scale_table adopt(const scale_table& table, const Graph& original, const Graph& g) {
  diagnostics found;
  check(table, found);
  std::map<std::string, const scale_table::entry*> given;
  for (const auto& e : table.entries) given.emplace(e.layer, &e);
  std::map<std::string, typename Graph::id> before, after;
  for (typename Graph::id n = 0; n < original.size(); ++n) before.emplace(original[n].name, n);
  for (typename Graph::id n = 0; n < g.size(); ++n) after.emplace(g[n].name, n);
  for (const auto& [layer, entry] : given)
    if (!before.contains(layer) && !after.contains(layer))
      found.add({.file = table.file, .layer = layer,
                 .reason = "is in the scale table but not in the network"});

  scale_table result{.method = table.method};
  for (const auto n : g.order()) {
    auto entry = given.find(g[n].name);
    if (auto b = before.find(g[n].name); b != before.end()) {
      auto readers = original.consumers(b->second);
      while (readers.size() == 1 && !after.contains(original[readers[0]].name)) {
        if (auto later = given.find(original[readers[0]].name); later != given.end()) entry = later;
        readers = original.consumers(readers[0]);
      }
    }
    if (entry != given.end())
      result.entries.push_back({g[n].name, entry->second->scale, entry->second->means});
    else if (!shared_factor(g, n) && !std::holds_alternative<net::softmax>(g[n].op) &&
             !std::holds_alternative<net::pool>(g[n].op))
      found.add({.file = table.file, .layer = g[n].name,
                 .reason = "the scale table does not list it",
                 .remedy = "calibrate with this network"});
  }
  found.check();
  return result;
}

}  // namespace nvdlac::quant
