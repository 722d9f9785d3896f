// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <ranges>
#include <variant>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/host/expectation.hpp>
#include <nvdlac/host/softmax.hpp>
#include <nvdlac/import/masks.hpp>
#include <nvdlac/net/graph.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import {

namespace detail {

inline constexpr double no_softmax = 0;

NVDLAC_IMPL bool is_softmax(const net::graph& g, net::graph::id n) {
  if (std::holds_alternative<net::softmax>(g[n].op)) return true;
  const auto* call = std::get_if<net::on_host>(&g[n].op);
  return call != nullptr && (call->call.layer == type_name<host::softmax>() ||
                             call->call.layer == type_name<host::expectation>());
}

// The least positive factor by which node n gives on what it reads from `from`; `no_softmax` if it
// does anything else with it.
NVDLAC_IMPL double factor_through(const net::graph& g, net::graph::id n, net::graph::id from) {
  const auto& op = g[n].op;
  if (std::holds_alternative<net::move>(op) || std::holds_alternative<net::concat>(op) ||
      std::holds_alternative<net::reshape>(op) || std::holds_alternative<net::flatten>(op) ||
      std::holds_alternative<net::identity>(op))
    return 1;
  if (const auto* s = std::get_if<net::scale>(&op); s != nullptr && !s->relu)
    return std::max(no_softmax, static_cast<double>(std::ranges::min(s->factor)));
  const auto* a = std::get_if<net::add>(&op);
  if (a == nullptr || a->relu) return no_softmax;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < g.inputs(n).size(); ++k)
    if (g.inputs(n)[k] == from)
      least = std::min(least, static_cast<double>(a->coefficients[k]));
  return std::max(no_softmax, least);
}

// For each node the least factor by which softmaxes, its only readers, read its tensor;
// `no_softmax` where others read it, too.
NVDLAC_IMPL std::vector<double> factors_of_softmax(const net::graph& g,
                                                   const std::vector<bool>& needed) {
  std::vector<double> factors(g.size(), no_softmax);
  for (const auto n : std::views::reverse(g.order())) {
    if (!needed[n] || g[n].output || g.consumers(n).empty()) continue;
    double least = std::numeric_limits<double>::infinity();
    for (const auto reader : g.consumers(n))
      if (needed[reader])
        least = std::min(least, is_softmax(g, reader)
                                    ? 1.0
                                    : factors[reader] * factor_through(g, reader, n));
    factors[n] = least;
  }
  return factors;
}

}  // namespace detail

NVDLAC_IMPL void raise_masks(net::graph& g, const std::vector<bool>& needed) {
  const auto factors = detail::factors_of_softmax(g, needed);
  // Values of which a softmax reads so many times as much.
  const auto raise = [](std::vector<float>& values, double times) {
    constexpr auto none = -std::numeric_limits<double>::infinity();
    double largest = none;
    for (const float v : values) largest = std::max(largest, times * static_cast<double>(v));
    if (!std::isfinite(largest)) return;
    const auto least = static_cast<float>((largest - depth_of_masks) / times);
    for (float& v : values)
      if (times > 0 ? v < least : v > least) v = least;
  };
  for (net::graph::id n = 0; n < g.size(); ++n) {
    const double factor = factors[n];
    if (factor == detail::no_softmax) continue;
    if (auto* s = std::get_if<net::scale>(&g[n].op); s != nullptr && !s->relu)
      raise(s->bias, factor);
    const auto* a = std::get_if<net::add>(&g[n].op);
    if (a == nullptr || a->relu) continue;
    for (std::size_t k = 0; k < 2; ++k)
      if (const auto from = g.inputs(n)[k]; g.uses(from) == 1)
        if (auto* mask = std::get_if<net::constant>(&g[from].op);
            mask != nullptr && a->coefficients[k] != 0)
          raise(mask->value.values, factor * static_cast<double>(a->coefficients[k]));
  }
}

}  // namespace nvdlac::import
