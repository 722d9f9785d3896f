// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/quant/named_scales.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL scale_table named_by_tensor(scale_table table, std::span<const named_tensor> tensors) {
  std::set<std::string> listed;
  std::map<std::string, std::size_t> entries;
  for (std::size_t i = 0; i < table.entries.size(); ++i) {
    listed.insert(table.entries[i].layer);
    entries.emplace(table.entries[i].layer, i);
  }
  std::set<std::size_t> further;
  for (const auto& [tensor, layer] : tensors) {
    const auto e = entries.find(tensor);
    if (e == entries.end()) continue;
    if (listed.insert(layer).second) table.entries[e->second].layer = layer;
    else further.insert(e->second);
  }
  std::size_t i = 0;
  std::erase_if(table.entries, [&](const auto&) { return further.contains(i++); });
  return table;
}

}  // namespace nvdlac::quant
