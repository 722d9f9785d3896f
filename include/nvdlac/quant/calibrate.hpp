// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/channel_means.hpp>
#include <nvdlac/quant/evaluate_samples.hpp>
#include <nvdlac/quant/observer.hpp>
#include <nvdlac/quant/own_steps.hpp>
#include <nvdlac/quant/rules.hpp>
#include <nvdlac/quant/sample_stream.hpp>
#include <nvdlac/quant/scale_table.hpp>

namespace nvdlac::quant {

namespace detail {

void require_finite(const net::float_tensor& t, const std::string& layer, std::size_t sample);

// The nodes whose tensors the user reads, as they are or behind a softmax: their values are
// compared with one another, and values that saturate would all be equal.
template <class Graph>
std::vector<bool> compared(const Graph& g) {
  std::vector<bool> result(g.size(), false);
  const auto order = g.order();
  for (auto n = order.rbegin(); n != order.rend(); ++n) {
    result[*n] = result[*n] || g[*n].output;
    const bool softmax = std::holds_alternative<net::softmax>(g[*n].op);
    if (softmax || (result[*n] && shared_factor(g, *n))) result[g.inputs(*n)[0]] = true;
  }
  return result;
}

// How far a tensor is expected to reach above 0 of which samples show this highest value, where its
// range tells how far it reaches below. The highest values of logits, say, are the few of the right
// classes, which other samples exceed.
double highest_expected(double highest, double range);

}  // namespace detail

// The range of every node's tensor, from samples that are preprocessed as the network expects; each
// sample holds one tensor per network input, in the order of the input nodes. `g` has its shapes.
// progress(done, all) is called after every sample, and at the end counted(layer, magnitudes) for
// every tensor whose observer counted its values. So many threads work on samples; the result does
// not depend on their number. A tensor of zeros gets the scale of values up to 1, as those of most
// networks are; tensors that share their values with their input share its scale; inputs, outputs
// and constants keep their whole range. Throws for values that are not finite.
template <observer Observer = default_observer,
          class Progress = decltype([](std::size_t, std::size_t) {}),
          class Counted = decltype([](const std::string&, const magnitudes&) {}), class Graph>
scale_table calibrate(const Graph& g, const sample_stream& samples, Progress progress = {},
                      const Observer& prototype = {}, Counted counted = {},
                      std::size_t threads = 1) {
  if (samples.size == 0)
    throw error(
        problem{.reason = "there are no calibration samples", .remedy = "give at least one"});
  std::vector<std::optional<Observer>> observers(g.size());
  std::vector<min_max> all(g.size());
  std::vector<std::optional<channel_means>> means(g.size());
  std::vector<std::optional<channel_reach>> reaches(g.size());
  for (const auto n : g.order()) {
    if (!shared_factor(g, n)) observers[n] = prototype;
    if (weights_read(g, n)) means[n].emplace();
    if (std::holds_alternative<net::input>(g[n].op) || g[n].output || may_give_own_steps(g, n) ||
        averages_own_steps(g, n))
      reaches[n].emplace();
  }

  evaluate_samples(g, samples, threads,
                   [&](auto n, const net::float_tensor& t, std::size_t sample) {
                     detail::require_finite(t, g[n].name, sample);
                     if (observers[n]) observers[n]->observe(t.values);
                     all[n].observe(t.values);
                     if (means[n]) means[n]->observe(t);
                     if (reaches[n]) reaches[n]->observe(t);
                   },
                   progress);

  scale_table table{.method = std::string(prototype.name)};
  const auto compared = detail::compared(g);
  std::vector<value_range> ranges(g.size(), value_range::up_to(1));
  for (const auto n : g.order()) {
    const bool whole = compared[n] || ask_rule(g[n].op, [](auto rule, const auto&) {
                         return rule.keeps_whole_range;
                       });
    const double range = whole ? all[n].range() : observers[n] ? observers[n]->range() : 0;
    if (!observers[n]) ranges[n] = ranges[g.inputs(n)[0]].times(*shared_factor(g, n));
    else if (range != 0) ranges[n] = value_range::up_to(range);  // which is checked as all are
    table.entries.push_back(
        {g[n].name, ranges[n], means[n] ? means[n]->values() : std::vector<double>{}});
    table.entries.back().measured = true;
    const double reaches_to = ranges[n].largest();
    table.entries.back().note_ends(
        all[n].lowest,
        compared[n] ? reaches_to : detail::highest_expected(all[n].highest, reaches_to));
    if (reaches[n] && averages_own_steps(g, n)) {
      const auto& filters = g[filters_above(g, n)].name;
      const auto from = std::ranges::find(table.entries, filters, &scale_table::entry::layer);
      if (!from->reach.empty()) table.entries.back().reach = reaches[n]->of_computed(reaches_to);
    } else if (reaches[n] && may_give_own_steps(g, n)) {
      auto reach = reaches[n]->of_computed(reaches_to);
      if (give_own_steps(g, n, reach, reaches_to)) table.entries.back().reach = std::move(reach);
    } else if (reaches[n]) {
      table.entries.back().reach = reaches[n]->values(reaches_to);
    }
    if (observers[n])
      if (const auto* counts = counts_of(*observers[n])) counted(g[n].name, *counts);
  }
  return table;
}

// Calibration by samples that are all there.
template <observer Observer = default_observer,
          class Progress = decltype([](std::size_t, std::size_t) {}), class Graph>
scale_table calibrate(const Graph& g, std::span<const std::vector<net::float_tensor>> samples,
                      Progress progress = {}, const Observer& prototype = {}) {
  const sample_stream all{samples.size(), [samples](const auto& visit) {
                            for (const auto& s : samples) visit(s);
                          }};
  return calibrate<Observer>(g, all, progress, prototype);
}

// Calibration of a network with one input.
template <observer Observer = default_observer,
          class Progress = decltype([](std::size_t, std::size_t) {}), class Graph>
scale_table calibrate(const Graph& g, std::span<const net::float_tensor> samples,
                      Progress progress = {}, const Observer& prototype = {}) {
  const sample_stream all{samples.size(), [samples](const auto& visit) {
                            for (const auto& s : samples) visit({s});
                          }};
  return calibrate<Observer>(g, all, progress, prototype);
}

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/calibrate.ipp>
#endif
