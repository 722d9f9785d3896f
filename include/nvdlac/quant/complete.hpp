// SPDX-License-Identifier: Apache-2.0
#pragma once
// Scales that follow from those that are known.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quant/sharing.hpp>

namespace nvdlac::quant {

using known_scales = std::map<std::string, double>;

namespace detail {

inline double largest(std::span<const float> values) {
  double top = 0;
  for (const float v : values) top = std::max(top, std::fabs(double{v}));
  return top;
}

// The scale that follows from the operator alone.
template <class Any>
std::optional<double> inherent_scale(const Any& any) {
  double range = 0;
  if (const auto* k = std::get_if<net::constant>(&any)) {
    range = largest(k->value.values);
    if (range == 0) return 1.0;
  } else if (const auto* c = std::get_if<net::clip>(&any)) {
    range = std::max(std::fabs(double{c->low}), std::fabs(double{c->high}));
  }
  return range > 0 && std::isfinite(range) ? std::optional(range / 127) : std::nullopt;
}

// Behind n is only a function that keeps its values, cuts them off or brings them together with
// others: its scale.
template <class Graph>
std::optional<double> scale_behind(const Graph& g, typename Graph::id n,
                                   const known_scales& known) {
  const auto readers = g.consumers(n);
  if (readers.size() != 1 || g[n].output) return std::nullopt;
  const auto r = readers[0];
  const bool takes = std::holds_alternative<net::clip>(g[r].op) || joins(g, r);
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
  const auto& any = g[n].op;
  if (const auto factor = shared_factor(g, n)) return in[0] * *factor;
  if (const auto* sum = std::get_if<net::add>(&any))
    return in[0] * std::fabs(double{sum->coefficients[0]}) +
           in[1] * std::fabs(double{sum->coefficients[1]});
  if (std::holds_alternative<net::multiply>(any)) return in[0] * in[1];
  if (std::holds_alternative<net::extremum>(any) || joins(g, n)) return std::ranges::max(in);
  if (const auto* p = std::get_if<net::prelu>(&any))
    return in[0] * std::max(1.0, largest(p->slope));
  if (const auto* s = std::get_if<net::scale>(&any))
    return in[0] * largest(s->factor) + largest(s->bias);
  if (const auto* f = std::get_if<net::activation>(&any)) {
    double top = 0;
    for (int i = -512; i <= 512; ++i)
      if (const double y = (*f)(in[0] * i / 512); !std::isnan(y)) top = std::max(top, std::fabs(y));
    return top;
  }
  // Averages and interpolations; a trained filter gives much less than it could.
  const auto* conv = std::get_if<net::convolution>(&any);
  if (conv == nullptr || conv->kernels < 1) return std::nullopt;
  const std::size_t taps = conv->weights.size() / static_cast<std::size_t>(conv->kernels);
  double most = 0;
  for (std::size_t k = 0; k < conv->weights.size(); k += taps) {
    double sum = 0;
    for (std::size_t i = k; i < k + taps; ++i) sum += std::fabs(double{conv->weights[i]});
    most = std::max(most, sum);
  }
  if (taps == 0 || !(most <= 1.001)) return std::nullopt;
  return in[0] * most + largest(conv->bias);
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
      const auto own = detail::inherent_scale(g[*n].op);
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
template <class Made>
void complete(scale_table& table, const net::graph& g, Made made) {
  if (table.entries.empty()) return;
  known_scales known;
  std::map<std::string, std::optional<double>> lows;
  for (const auto& e : table.entries) {
    known.emplace(e.layer, e.scale);
    lows.emplace(e.layer, e.low);
  }
  derive_scales(known, g, made);
  table.entries.clear();
  for (net::graph::id n = 0; n < g.size(); ++n)
    if (const auto e = known.find(g[n].name); e != known.end())
      table.entries.push_back({.layer = g[n].name, .scale = e->second, .low = lows[g[n].name]});
}

}  // namespace nvdlac::quant
