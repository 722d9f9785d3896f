// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers of the host that give whole numbers, such as the place of a maximum.
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/on_host.hpp>

namespace nvdlac::quant {

// The largest number of node n, if it counts.
template <class Graph>
std::optional<std::int64_t> counts(const Graph& g, typename Graph::id n) {
  const auto* op = std::get_if<net::on_host>(&g[n].op);
  if (op == nullptr) return std::nullopt;
  std::vector<net::shape> in;
  for (const auto i : g.inputs(n)) in.push_back(g[i].shape);
  return op->counts_to(in);
}

// Whether numbers of the precision are exact up to `most`.
constexpr bool holds(hw::precision p, std::int64_t most) {
  return most <= (p == hw::precision::int8 ? 127 : p == hw::precision::int16 ? 32767 : 2048);
}

}  // namespace nvdlac::quant
