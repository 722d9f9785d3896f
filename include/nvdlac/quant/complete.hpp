// SPDX-License-Identifier: Apache-2.0
#pragma once
// Scales that follow from those that are known.
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/rules.hpp>
#include <nvdlac/quant/scale_table.hpp>

namespace nvdlac::quant {

using known_scales = std::map<std::string, double>;

namespace detail {

// Behind n is only a function that keeps its values, cuts them off or brings them together with
// others: its scale.
template <class Graph>
std::optional<double> scale_behind(const Graph& g, typename Graph::id n,
                                   const known_scales& known) {
  const auto readers = g.consumers(n);
  if (readers.size() != 1 || g[n].output) return std::nullopt;
  const auto r = readers[0];
  const bool takes =
      joins(g, r) || ask_rule(g[r].op, [](auto rule, const auto&) { return rule.clips; });
  const auto factor = takes ? std::optional(1.0) : shared_factor(g, r);
  const auto behind = known.find(g[r].name);
  if (!factor || behind == known.end()) return std::nullopt;
  return behind->second / *factor;
}

// The largest magnitude that the operator of n gives for inputs up to these: a bound that is
// reached, or nothing where it would be far from the values.
template <class Graph>
std::optional<double> bound_of(const Graph& g, typename Graph::id n,
                               const std::vector<double>& in) {
  if (const auto factor = shared_factor(g, n)) return in[0] * *factor;
  return ask_rule(g[n].op, [&](auto rule, const auto& op) { return rule.bound(op, in); });
}

}  // namespace detail

// Adds scales that follow from known ones: of constants and of clippings, and of what only a
// function reads that keeps its values, cuts them off or joins them with others, which is the scale
// behind it. Layers that nvdlac `made` have no scale of their own in any table: where that is not
// enough, they have the bound of their values.
template <class Graph, class Made>
void derive_scales(known_scales& known, const Graph& g, Made made) {
  const auto learn = [&](typename Graph::id n, std::optional<double> scale) {
    if (scale && representable_scale(*scale)) known.emplace(g[n].name, *scale);
  };
  const auto order = g.order();
  const auto backwards = [&] {
    for (auto n = order.rbegin(); n != order.rend(); ++n) {
      if (known.contains(g[*n].name)) continue;
      const auto own = ask_rule(
          g[*n].op, [](auto rule, const auto& op) { return rule.inherent_scale(op); });
      learn(*n, own ? own : detail::scale_behind(g, *n, known));
    }
  };
  backwards();
  bool more = false;
  for (const auto n : order) {
    if (known.contains(g[n].name) || !made(g[n].name)) continue;
    std::vector<double> in;
    for (const auto i : g.inputs(n))
      if (const auto k = known.find(g[i].name); k != known.end()) in.push_back(127 * k->second);
    if (in.empty() || in.size() != g.inputs(n).size()) continue;
    const auto bound = detail::bound_of(g, n, in);
    if (bound) learn(n, *bound / 127);
    more = more || bound;
  }
  if (more) backwards();
}

// The same for the table of a model that is quantised. Tables without entries stay so.
template <class Graph, class Made>
void complete(scale_table& table, const Graph& g, Made made) {
  if (table.entries.empty()) return;
  known_scales known;
  std::map<std::string, std::optional<double>> lows;
  for (const auto& e : table.entries) {
    known.emplace(e.layer, e.scale);
    lows.emplace(e.layer, e.low);
  }
  derive_scales(known, g, made);
  table.entries.clear();
  for (typename Graph::id n = 0; n < g.size(); ++n)
    if (const auto e = known.find(g[n].name); e != known.end())
      table.entries.push_back({.layer = g[n].name, .scale = e->second, .low = lows[g[n].name]});
}

}  // namespace nvdlac::quant
