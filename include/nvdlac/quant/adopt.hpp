// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/elementwise.hpp>
#include <nvdlac/net/standard_operators.hpp>
#include <nvdlac/quant/rules.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quant/tensor_rt_table.hpp>

namespace nvdlac::quant {

// Ranges that follow from those that are known.

using known_ranges = std::map<std::string, value_range>;

namespace detail {

// Behind n is only a function that keeps its values, cuts them off or brings them together with
// others: its range.
template <class Graph>
std::optional<value_range> range_behind(const Graph& g, typename Graph::id n,
                                        const known_ranges& known) {
  const auto readers = g.consumers(n);
  if (readers.size() != 1 || g[n].output) return std::nullopt;
  const auto r = readers[0];
  const bool takes =
      joins(g, r) || ask_rule(g[r].op, [](auto rule, const auto&) { return rule.clips; });
  const auto factor = takes ? std::optional(1.0) : shared_factor(g, r);
  const auto behind = known.find(g[r].name);
  if (!factor || behind == known.end()) return std::nullopt;
  return behind->second.over(*factor);
}

// Returns the range that follows from the operator alone.
template <class Graph>
std::optional<value_range> inherent_range(const Graph& g, typename Graph::id n) {
  if (const auto most = counts(g, n))
    return value_range::up_to(std::max(1.0, static_cast<double>(*most)));
  return ask_rule(g[n].op, [](auto rule, const auto& op) { return rule.inherent_scale(op); });
}

// The largest magnitude that the operator of n gives for inputs up to these: a bound that is
// reached, or nothing where it would be far from the values.
template <class Graph>
std::optional<double> bound_of(const Graph& g, typename Graph::id n,
                               const std::vector<double>& in) {
  if (const auto factor = shared_factor(g, n)) return in[0] * *factor;
  return ask_rule(g[n].op, [&](auto rule, const auto& op) { return rule.bound(op, in); });
}

// The range of what nvdlac made as a part of a sum, as of the halves of a window: twice the sum's,
// as parts may be larger than their sum, and the parts of a part reach as far as that.
template <class Graph, class Made>
std::optional<value_range> range_in_sum(const Graph& g, typename Graph::id n,
                                        const known_ranges& known, Made made) {
  const auto readers = g.consumers(n);
  const bool is_sum = std::holds_alternative<net::add>(g[n].op);
  if (!made(g[n].name) || readers.size() != 1 || !(is_sum || net::has_filters(g[n].op)))
    return std::nullopt;
  const auto r = readers[0];
  const auto* filters = std::get_if<net::convolution>(&g[r].op);  // a sum joined them
  const bool joins = filters != nullptr && filters->with_second == net::combination::sum &&
                     g.inputs(r).size() > 1 && g.inputs(r)[1] == n;
  const auto range = known.find(g[r].name);
  if (range == known.end() || !(joins || std::holds_alternative<net::add>(g[r].op)))
    return std::nullopt;
  return made(g[r].name) ? range->second : range->second.times(2);
}

template <class Graph>
bool has_own_range(const Graph& g, typename Graph::id n) {
  return ask_rule(g[n].op, [](auto rule, const auto& op) { return rule.has_own_range(op); });
}

}  // namespace detail

// Adds ranges that follow from known ones: of constants, clippings and counts, and of what only a
// function reads that keeps its values, cuts them off or joins them with others, which is the range
// behind it. Layers that nvdlac `made` have no range of their own in any table: where that is not
// enough, they have the bound of their values.
template <class Graph, class Made>
void derive_ranges(known_ranges& known, const Graph& g, Made made) {
  const auto learn = [&](typename Graph::id n, std::optional<value_range> range) {
    if (range && representable_scale(range->step())) known.emplace(g[n].name, *range);
  };
  const auto order = g.order();
  const auto backwards = [&] {
    for (auto n = order.rbegin(); n != order.rend(); ++n) {
      if (known.contains(g[*n].name)) continue;
      const auto own = detail::inherent_range(g, *n);
      learn(*n, own ? own : detail::range_behind(g, *n, known));
    }
  };
  backwards();
  bool more = false;
  for (const auto n : order) {
    if (known.contains(g[n].name) || !(made(g[n].name) || detail::has_own_range(g, n))) continue;
    std::vector<double> in;
    for (const auto i : g.inputs(n))
      if (const auto k = known.find(g[i].name); k != known.end())
        in.push_back(k->second.largest());
    if (in.empty() || in.size() != g.inputs(n).size()) continue;
    const auto bound = detail::bound_of(g, n, in);
    if (bound) learn(n, value_range::up_to(*bound));
    more = more || bound;
  }
  if (more) backwards();
  for (auto n = order.rbegin(); n != order.rend(); ++n)
    if (!known.contains(g[*n].name)) learn(*n, detail::range_in_sum(g, *n, known, made));
}

// Adds such ranges to the table of a model that is quantised. Tables without entries stay so.
template <class Graph, class Made>
void complete(scale_table& table, const Graph& g, Made made) {
  if (table.entries.empty()) return;
  known_ranges known;
  std::map<std::string, std::optional<double>> lows, highs;
  for (const auto& e : table.entries) {
    known.emplace(e.layer, e.range);
    lows.emplace(e.layer, e.low);
    highs.emplace(e.layer, e.high);
  }
  derive_ranges(known, g, made);
  table.entries.clear();
  for (typename Graph::id n = 0; n < g.size(); ++n)
    if (const auto e = known.find(g[n].name); e != known.end())
      table.entries.push_back({.layer = g[n].name, .range = e->second, .low = lows[g[n].name],
                               .high = highs[g[n].name]});
}

namespace detail {

// The entries of a table as they apply to the networks before and behind the passes.
template <class Graph>
class adoption {
 public:
  using id = typename Graph::id;

  adoption(const scale_table& table, const Graph& original, const Graph& g)
      : original_(original), g_(g) {
    for (const auto& e : table.entries) given_.emplace(e.layer, &e);
    for (id n = 0; n < original.size(); ++n) before_.emplace(original[n].name, n);
    for (id n = 0; n < g.size(); ++n) after_.emplace(g[n].name, n);
  }

  bool is_original(const std::string& layer) const { return before_.contains(layer); }

  // Layers of the table that neither network has are told to `warn`, or are errors without it.
  void judge_unknown(const scale_table& table, const std::function<void(const problem&)>& warn,
                     diagnostics& found) const {
    for (const auto& e : table.entries) {
      if (before_.contains(e.layer) || after_.contains(e.layer)) continue;
      const problem unknown{.file = table.file, .layer = e.layer,
                            .reason = "is in the scale table but not in the network"};
      if (warn) warn(unknown);
      else found.add(unknown);
    }
  }

  // The entry for node n of the network behind the passes; it has no layer if the table has none.
  // A tensor that a vanished concat joined with others has the concat's only where none is its own.
  // Where passes fused layers, the tensor of the last one remains and its scale counts; where that
  // one keeps the values of those before it, their scale counts.
  scale_table::entry entry(id n) const {
    auto found = given_.find(g_[n].name);
    const auto b = before_.find(g_[n].name);
    double factor = 1;
    if (b != before_.end()) {
      auto readers = original_.consumers(b->second);
      while (readers.size() == 1 && !after_.contains(original_[readers[0]].name) &&
             (found == given_.end() || !joins(original_, readers[0]))) {
        if (auto later = given_.find(original_[readers[0]].name); later != given_.end())
          found = later;
        readers = original_.consumers(readers[0]);
      }
      for (auto at = b->second; found == given_.end() && !shared_factor(g_, n);) {
        const auto shared = shared_factor(original_, at);
        if (!shared) break;
        factor *= *shared;
        at = original_.inputs(at)[0];
        found = given_.find(original_[at].name);
      }
    }
    if (found == given_.end()) return {};
    auto low = found->second->low, high = found->second->high;
    if (low) *low *= factor;
    if (high) *high *= factor;
    const bool is_own = found->first == g_[n].name;  // whose filters it tells of
    return {g_[n].name, found->second->range.times(factor), found->second->means, low, high,
            found->second->reach, is_own ? found->second->drift : std::vector<double>(),
            found->second->measured};
  }

 private:
  const Graph &original_, &g_;
  std::map<std::string, const scale_table::entry*> given_;
  std::map<std::string, id> before_, after_;
};

}  // namespace detail

namespace detail {

// The scales of a network whose channels were brought to one range are of no other one.
void refuse_equalised(const scale_table& table, diagnostics& found);

}  // namespace detail

// A table that a user gives, for the network `g` that passes made of `original`. The table may name
// layers of either. Layers that the passes made get scales that follow from the others. Throws, all
// together: layers of `g` that the table lacks (poolings, those that share their input's scale and
// softmax need none). Layers of the table that neither network has are told to `warn`, or are
// errors, too, without it.
template <class Graph>
scale_table adopt(const scale_table& of_file, const Graph& original, const Graph& g,
                  const std::function<void(const problem&)>& warn = {}) {
  const auto table = named_by_number(of_file, original);
  diagnostics found;
  check(table, found);
  detail::refuse_equalised(table, found);
  const detail::adoption<Graph> from(table, original, g);
  from.judge_unknown(table, warn, found);

  known_ranges known;
  std::map<std::string, scale_table::entry> given;
  for (const auto n : g.order())
    if (auto e = from.entry(n); !e.layer.empty()) {
      known.emplace(e.layer, e.range);
      given.emplace(e.layer, std::move(e));
    }
  auto all = known;
  derive_ranges(all, g, [&](const std::string& layer) { return !from.is_original(layer); });
  scale_table result{.method = table.method};
  for (const auto n : g.order()) {
    const auto& layer = g[n].name;
    const bool must_list = from.is_original(layer) && !counts(g, n) && !detail::has_own_range(g, n);
    const auto& ranges = must_list ? known : all;
    const auto range = ranges.find(layer);
    if (range != ranges.end())
      result.entries.push_back({layer, range->second, given[layer].means, given[layer].low,
                                given[layer].high, given[layer].reach, given[layer].drift,
                                given[layer].measured});
    else if (!shared_factor(g, n) &&
             ask_rule(g[n].op, [](auto rule, const auto&) { return rule.needs_entry; }))
      found.add(not_listed(table, layer));
  }
  found.check();
  return result;
}

// A calibration of `g` in which the scales of a table stand, see `adopt`, wherever that has any,
// and means of channels and drifts that it has. Throws for what is wrong with the table.
template <class Graph>
scale_table completed(scale_table calibrated, const scale_table& of_file, const Graph& original,
                      const Graph& g, const std::function<void(const problem&)>& warn = {}) {
  const auto table = named_by_number(of_file, original);
  diagnostics found;
  check(table, found);
  detail::refuse_equalised(table, found);
  const detail::adoption<Graph> from(table, original, g);
  from.judge_unknown(table, warn, found);
  found.check();
  std::map<std::string, scale_table::entry*> by_layer;
  for (auto& e : calibrated.entries) by_layer.emplace(e.layer, &e);
  for (typename Graph::id n = 0; n < g.size(); ++n) {
    const auto given = from.entry(n);
    const auto e = by_layer.find(given.layer);
    if (e == by_layer.end()) continue;
    e->second->range = given.range;
    e->second->low = given.low;
    e->second->high = given.high;
    if (!given.means.empty()) e->second->means = given.means;
    e->second->reach = given.reach;
    e->second->drift = given.drift;
    e->second->measured = given.measured;
  }
  return calibrated;
}

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/adopt.ipp>
#endif
