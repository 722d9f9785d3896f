// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quant/sharing.hpp>

namespace nvdlac::quant {

namespace detail {

// The scale that follows from the operator alone.
inline std::optional<double> inherent_scale(const net::graph::any_operator& any) {
  double range = 0;
  if (const auto* k = std::get_if<net::constant>(&any)) {
    for (const float v : k->value.values) range = std::max(range, std::fabs(double{v}));
    if (range == 0) return 1.0;
  } else if (const auto* c = std::get_if<net::clip>(&any)) {
    range = std::max(std::fabs(double{c->low}), std::fabs(double{c->high}));
  }
  return range > 0 && std::isfinite(range) ? std::optional(range / 127) : std::nullopt;
}

}  // namespace detail

// Adds to the scales that a quantised model gives those that follow from them: of constants and of
// clippings, and of what only a function reads that keeps its values or cuts them off, which is the
// scale behind it. Tables without entries stay so.
inline void complete(scale_table& table, const net::graph& g) {
  if (table.entries.empty()) return;
  std::map<std::string, double> known;
  for (const auto& e : table.entries) known.emplace(e.layer, e.scale);
  const auto order = g.order();
  for (auto n = order.rbegin(); n != order.rend(); ++n) {
    if (known.contains(g[*n].name)) continue;
    std::optional<double> scale = detail::inherent_scale(g[*n].op);
    if (const auto readers = g.consumers(*n); !scale && readers.size() == 1 && !g[*n].output) {
      const auto r = readers[0];
      const auto factor = std::holds_alternative<net::clip>(g[r].op) ? 1.0 : shared_factor(g, r);
      if (const auto behind = known.find(g[r].name); factor && behind != known.end())
        scale = behind->second / *factor;
    }
    if (scale && representable_scale(*scale)) known.emplace(g[*n].name, *scale);
  }
  table.entries.clear();
  for (net::graph::id n = 0; n < g.size(); ++n)
    if (const auto e = known.find(g[n].name); e != known.end())
      table.entries.push_back({g[n].name, e->second});
}

}  // namespace nvdlac::quant
