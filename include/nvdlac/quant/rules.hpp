// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include <nvdlac/quant/clipping.hpp>
#include <nvdlac/quant/elementwise.hpp>
#include <nvdlac/quant/filters.hpp>
#include <nvdlac/quant/inputs.hpp>
#include <nvdlac/quant/lookup.hpp>
#include <nvdlac/quant/moving.hpp>
#include <nvdlac/quant/pooling.hpp>

// The rules of nvdlac's own operators, and which tensors of a network share a scale as they say.

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

// Whether the node can give its tensor at any scale.
template <class Graph>
bool requantises(const Graph& g, typename Graph::id n, hw::precision p = hw::precision::int8) {
  return ask_rule(g[n].op, [&](auto rule, const auto& op) {
    return rule.requantises(op, reading_of(g, n, p));
  });
}

}  // namespace nvdlac::quant
