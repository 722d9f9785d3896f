// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <set>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/quant/output_scales.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL quantised::graph with_outputs_in_order(
    const quantised::graph& from, const std::vector<quantised::graph::id>& wanted) {
  using id = quantised::graph::id;
  const auto places = from.outputs();
  if (wanted == places) return from;
  std::vector<id> place(from.size()), at_place(from.size());
  std::vector<std::vector<id>> behind(from.size());
  std::vector<std::size_t> awaits(from.size());
  for (id n = 0; n < from.size(); ++n) {
    place[n] = n;
    behind[n].assign(from.consumers(n).begin(), from.consumers(n).end());
  }
  for (std::size_t i = 0; i < places.size(); ++i) place[wanted[i]] = places[i];
  for (id n = 0; n < from.size(); ++n) at_place[place[n]] = n;
  for (const auto& in_order : {wanted, net::input_nodes(from)})
    for (std::size_t i = 1; i < in_order.size(); ++i)
      behind[in_order[i - 1]].push_back(in_order[i]);
  for (const auto& nodes : behind)
    for (const id n : nodes) ++awaits[n];

  std::set<id> ready;  // their places
  for (id n = 0; n < from.size(); ++n)
    if (awaits[n] == 0) ready.insert(place[n]);
  std::vector<id> order;
  while (!ready.empty()) {
    const id n = at_place[*ready.begin()];
    ready.erase(ready.begin());
    order.push_back(n);
    for (const id next : behind[n])
      if (--awaits[next] == 0) ready.insert(place[next]);
  }
  if (order.size() != from.size()) order = at_place;

  std::vector<id> new_id(from.size());
  quantised::graph result;
  for (const id old : order) {
    new_id[old] = result.add(from[old].name, from[old].op);
    result[new_id[old]] = from[old];
  }
  for (const id old : order) {
    std::size_t slot = 0;
    for (const id i : from.inputs(old)) result.connect(new_id[i], new_id[old], slot++);
  }
  return result;
}

}  // namespace nvdlac::quant
