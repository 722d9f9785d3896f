// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <ranges>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/host/comparison.hpp>
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

// The convolution that gives a plane to several channels, if the node is one.
NVDLAC_IMPL const net::convolution* repeated_plane(const net::graph& g, net::graph::id n) {
  const auto* c = std::get_if<net::convolution>(&g[n].op);
  const bool repeats = c != nullptr && g.inputs(n).size() == 1 && c->window == net::window{} &&
                       std::cmp_equal(c->weights.size(), c->kernels) && c->bias.empty() &&
                       !c->relu && g[g.inputs(n)[0]].shape.c == 1;
  return repeats ? c : nullptr;
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
  if (const auto* c = repeated_plane(g, n))
    return std::max(no_softmax, static_cast<double>(std::ranges::min(c->weights)));
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

// Between which numbers a tensor's values lie.
struct reach {
  double least = 0, most = 1;
  bool assumed = false;  // as a mask's do, of an input
};

NVDLAC_IMPL std::optional<reach> reach_of(const net::graph& g, net::graph::id n,
                                          const std::vector<std::optional<reach>>& known) {
  const auto& op = g[n].op;
  if (std::holds_alternative<net::input>(op)) return reach{0, 1, true};
  if (std::holds_alternative<net::softmax>(op)) return reach{};
  if (const auto* f = std::get_if<net::activation>(&op)) {
    if (f->function == net::function::sigmoid) return reach{};
    return std::nullopt;
  }
  if (const auto* call = std::get_if<net::on_host>(&op)) {
    if (call->call.layer == type_name<host::compare>() || is_softmax(g, n)) return reach{};
    return std::nullopt;
  }
  std::optional<reach> all;
  for (const auto from : g.inputs(n)) {
    if (!known[from]) return std::nullopt;
    const auto& r = *known[from];
    all = all ? reach{std::min(all->least, r.least), std::max(all->most, r.most),
                      all->assumed || r.assumed}
              : r;
  }
  if (!all) return std::nullopt;
  if (const auto* s = std::get_if<net::scale>(&op)) {
    const auto r = *all;
    std::optional<reach> scaled;
    for (std::size_t c = 0; c < std::max(s->factor.size(), s->bias.size()); ++c) {
      const double f{s->factor_of(c)}, b{s->bias_of(c)};
      const auto [least, most] = std::minmax({f * r.least + b, f * r.most + b});
      scaled = scaled ? reach{std::min(scaled->least, least), std::max(scaled->most, most),
                              r.assumed}
                      : reach{least, most, r.assumed};
    }
    return scaled;
  }
  const bool multiplies = std::holds_alternative<net::multiply>(op);
  if (multiplies) return all->least >= 0 && all->most <= 1 ? all : std::nullopt;
  if (std::holds_alternative<net::move>(op)) {  // which may fill with 0
    all->least = std::min(all->least, 0.0);
    all->most = std::max(all->most, 0.0);
    return all;
  }
  const bool keeps = std::holds_alternative<net::concat>(op) ||
                     std::holds_alternative<net::reshape>(op) ||
                     std::holds_alternative<net::flatten>(op) ||
                     std::holds_alternative<net::identity>(op);
  return keeps ? all : std::nullopt;
}

// Whether all that reads the tensor adds it to others, before or behind moves and factors.
NVDLAC_IMPL std::vector<bool> is_added(const net::graph& g, const std::vector<bool>& needed) {
  std::vector<bool> added(g.size(), false);
  for (const auto n : std::views::reverse(g.order())) {
    if (!needed[n] || g.consumers(n).empty()) continue;
    added[n] = std::ranges::all_of(g.consumers(n), [&](auto reader) {
      return !needed[reader] || std::holds_alternative<net::add>(g[reader].op) ||
             (!is_softmax(g, reader) && added[reader]);
    });
  }
  return added;
}

// Raises the factors of what lies in this reach, of which a softmax reads so many times as much:
// the largest value stays as it is, and the least one is as far below it as masks are.
NVDLAC_IMPL void raise_factors(net::scale& s, const reach& in, double times) {
  const auto size = std::max(s.factor.size(), s.bias.size());
  const double width = in.most - in.least, least = in.assumed ? factor_of_masks : 0;
  for (std::size_t c = 0; c < size; ++c) {
    const double f{s.factor_of(c)}, depth = std::fabs(f) * width * times;
    if (!std::isfinite(depth) || depth <= depth_of_masks || std::fabs(f) * width < least) continue;
    const double own = f * depth_of_masks / depth, at = f > 0 ? in.most : in.least;
    s.factor.resize(size, s.factor[0]);
    s.bias.resize(size, s.bias.empty() ? 0.0F : s.bias[0]);
    s.bias[c] = static_cast<float>(double{s.bias[c]} + (f - own) * at);
    s.factor[c] = static_cast<float>(own);
  }
}

// The number that a choice by a condition gives where it hides what a softmax reads.
NVDLAC_IMPL void raise_choice(net::on_host& choice, double times) {
  for (auto& p : choice.call.parameters)
    if (p.name == "number" && !p.values.empty())
      p.values[0] = std::max(p.values[0], -depth_of_masks / times);
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
  const auto added = detail::is_added(g, needed);
  std::vector<std::optional<detail::reach>> reaches(g.size());
  for (const auto n : g.order()) {
    const auto& in = g.inputs(n);
    auto* const s = std::get_if<net::scale>(&g[n].op);
    if (factors[n] != detail::no_softmax && added[n] && s != nullptr && !s->relu && reaches[in[0]])
      detail::raise_factors(*s, *reaches[in[0]], factors[n]);
    reaches[n] = detail::reach_of(g, n, reaches);
  }
  for (net::graph::id n = 0; n < g.size(); ++n) {
    const double factor = factors[n];
    if (factor == detail::no_softmax) continue;
    if (auto* s = std::get_if<net::scale>(&g[n].op); s != nullptr && !s->relu)
      raise(s->bias, factor);
    if (auto* h = std::get_if<net::on_host>(&g[n].op);
        h != nullptr && h->call.layer == type_name<host::where>())
      detail::raise_choice(*h, factor);
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
