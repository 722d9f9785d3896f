// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::quant {

// The same network with its outputs in this order. They have ascending ids: they swap places where
// theirs do not.
inline quantised::graph with_outputs_in_order(
    const quantised::graph& from, const std::vector<quantised::graph::id>& wanted) {
  using id = quantised::graph::id;
  const auto places = from.outputs();
  std::vector<id> new_id(from.size()), old_id(from.size());
  for (id n = 0; n < from.size(); ++n) new_id[n] = n;
  for (std::size_t i = 0; i < places.size(); ++i) new_id[wanted[i]] = places[i];
  for (id n = 0; n < from.size(); ++n) old_id[new_id[n]] = n;
  quantised::graph result;
  for (const id old : old_id) result[result.add(from[old].name, from[old].op)] = from[old];
  for (const id old : old_id) {
    std::size_t slot = 0;
    for (const id i : from.inputs(old)) result.connect(new_id[i], new_id[old], slot++);
  }
  return result;
}

}  // namespace nvdlac::quant
