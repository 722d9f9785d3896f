// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/quant/clipping.hpp>
#include <nvdlac/quant/elementwise.hpp>
#include <nvdlac/quant/filters.hpp>
#include <nvdlac/quant/host.hpp>
#include <nvdlac/quant/inputs.hpp>
#include <nvdlac/quant/lookup.hpp>
#include <nvdlac/quant/lrn.hpp>
#include <nvdlac/quant/moving.hpp>
#include <nvdlac/quant/pooling.hpp>
#include <nvdlac/quant/prelu.hpp>

// The rules of nvdlac's own operators, and what they say of scales: which tensors share one, and
// which layers need one.

namespace nvdlac::quant {

template <class Graph>
reading reading_of(const Graph& g, typename Graph::id n,
                   hw::precision p = hw::precision::int8) {
  const auto inputs = g.inputs(n);
  return {inputs.empty() ? net::shape{} : g[inputs[0]].shape, inputs.size(), p};
}

// For an operator whose output has its input's scale times a factor: that factor.
template <class Graph>
std::optional<double> shared_factor(const Graph& g, typename Graph::id n,
                                    hw::precision p = hw::precision::int8) {
  return ask_rule(g[n].op, [&](auto rule, const auto& op) {
    return rule.shared_factor(op, reading_of(g, n, p));
  });
}

// Whether the node brings several tensors together, which are best computed at its scale.
template <class Graph>
bool joins(const Graph& g, typename Graph::id n) {
  return ask_rule(g[n].op, [&](auto rule, const auto& op) {
    return rule.joins(op, reading_of(g, n));
  });
}

// Whether the node can give its tensor at any scale: not where it shares that of its input.
template <class Graph>
bool requantises(const Graph& g, typename Graph::id n, hw::precision p = hw::precision::int8) {
  return !shared_factor(g, n, p) && ask_rule(g[n].op, [&](auto rule, const auto& op) {
    return rule.requantises(op, reading_of(g, n, p));
  });
}

// Whether a layer in this precision needs the ranges of its tensors: in fp16 only tables do.
template <class Graph>
bool needs_scales(const Graph& g, typename Graph::id n, const net::layer_precisions& p) {
  return p(g[n].name) != hw::precision::fp16 ||
         ask_rule(g[n].op, [](auto rule, const auto&) { return rule.needs_ranges; });
}
template <class Graph>
bool needs_scales(const Graph& g, const net::layer_precisions& p) {
  bool needed = false;
  for (typename Graph::id n = 0; n < g.size(); ++n) needed = needed || needs_scales(g, n, p);
  return needed;
}

}  // namespace nvdlac::quant
