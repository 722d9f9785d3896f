// SPDX-License-Identifier: Apache-2.0
#pragma once
// The scales of results, and what stands for 0 in them.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/standard_operators.hpp>
#include <nvdlac/quant/lookup.hpp>
#include <nvdlac/quant/rules.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::quant {

// The same network with its outputs in this order, which is that of their ids. Ids ascend from
// producers to consumers, so that all who walk the network meet its outputs in one order: an output
// has the place of the one that it stands for, or one behind its producers and the outputs before
// it. Outputs that depend on later ones have their places alone. Inputs keep their order.
inline quantised::graph with_outputs_in_order(
    const quantised::graph& from, const std::vector<quantised::graph::id>& wanted) {
  using id = quantised::graph::id;
  const auto places = from.outputs();
  if (wanted == places) return from;
  std::vector<id> place(from.size()), at_place(from.size());
  std::vector<std::vector<id>> behind(from.size());
  std::vector<std::size_t> awaits(from.size());
  for (id n = 0; n < from.size(); ++n) {
    place[n] = n;
    behind[n].assign(from.consumers(n).begin(), from.consumers(n).end());
  }
  for (std::size_t i = 0; i < places.size(); ++i) place[wanted[i]] = places[i];
  for (id n = 0; n < from.size(); ++n) at_place[place[n]] = n;
  for (const auto& in_order : {wanted, net::input_nodes(from)})
    for (std::size_t i = 1; i < in_order.size(); ++i)
      behind[in_order[i - 1]].push_back(in_order[i]);
  for (const auto& nodes : behind)
    for (const id n : nodes) ++awaits[n];

  std::set<id> ready;  // their places
  for (id n = 0; n < from.size(); ++n)
    if (awaits[n] == 0) ready.insert(place[n]);
  std::vector<id> order;
  while (!ready.empty()) {
    const id n = at_place[*ready.begin()];
    ready.erase(ready.begin());
    order.push_back(n);
    for (const id next : behind[n])
      if (--awaits[next] == 0) ready.insert(place[next]);
  }
  if (order.size() != from.size()) order = at_place;

  std::vector<id> new_id(from.size());
  quantised::graph result;
  for (const id old : order) {
    new_id[old] = result.add(from[old].name, from[old].op);
    result[new_id[old]] = from[old];
  }
  for (const id old : order) {
    std::size_t slot = 0;
    for (const id i : from.inputs(old)) result.connect(new_id[i], new_id[old], slot++);
  }
  return result;
}

// At which scale a tensor is given, and how far it reaches below 0 as a part of what it reaches
// above; 1: as far, or not known.
struct output_scale {
  double scale = 1, below = 1;
};

namespace detail {

// The producer above one input of a concat or a clipping that may take its scale, and what that
// means for it: nobody else reads the tensors on the way. What is to be clipped may saturate before
// a maximum, but not before an average.
template <class Graph>
void pass_upwards(const Graph& g, const net::layer_precisions& p, typename Graph::id n,
                  output_scale as, std::vector<std::optional<output_scale>>& wanted,
                  bool clipped = false) {
  while (g.consumers(n).size() == 1 && !(clipped && g[n].output)) {
    const auto* pool = std::get_if<net::pool>(&g[n].op);
    if (clipped && pool != nullptr && pool->kind == net::pool_kind::average) return;
    if (const auto factor = shared_factor(g, n, p(g[n].name))) {
      as.scale /= *factor;
      n = g.inputs(n)[0];
    } else {
      if (requantises(g, n, p(g[n].name))) wanted[n] = as;
      return;
    }
  }
}

}  // namespace detail

// The scale at which each node shall give its tensor: the table's, that of a concat, a move, a
// clipping or a PReLU for the producers that only it reads, the input's where the integers stay.
// Averages that CONV computes have their own, unless the table lacks them. Reports other layers
// that the table lacks.
template <class Graph>
std::vector<output_scale> output_scales(const Graph& g, const scale_table& table,
                                        const net::layer_precisions& p, diagnostics& found) {
  std::map<std::string, output_scale> known;
  for (const auto& e : table.entries)
    known.emplace(e.layer, output_scale{e.scale, e.low ? -*e.low / (127 * e.scale) : 1});
  const auto order = g.order();
  const auto factor_of = [&](auto n) { return shared_factor(g, n, p(g[n].name)); };
  std::vector<output_scale> scales(g.size());
  for (const auto n : order) {
    if (factor_of(n)) continue;
    const auto fixed = ask_rule(g[n].op, [](auto rule, const auto&) { return rule.fixed_scale; });
    if (fixed) scales[n].scale = *fixed;
    else if (const auto entry = known.find(g[n].name); entry != known.end())
      scales[n] = entry->second;
    else if (!ask_rule(g[n].op, [](auto rule, const auto&) { return rule.needs_entry; }))
      scales[n].scale = 0;  // that of its input
    else found.add(not_listed(table, g[n].name));
  }
  std::vector<std::optional<output_scale>> wanted(g.size());
  for (auto n = order.rbegin(); n != order.rend(); ++n) {
    if (wanted[*n]) scales[*n] = *wanted[*n];
    if (ask_rule(g[*n].op, [](auto rule, const auto&) { return rule.clips; }))
      detail::pass_upwards(g, p, g.inputs(*n)[0], scales[*n], wanted, true);
    if (joins_convolution(g, *n)) wanted[g.inputs(*n)[0]] = scales[*n];
    if (!joins(g, *n)) continue;
    for (const auto i : g.inputs(*n)) detail::pass_upwards(g, p, i, scales[*n], wanted);
  }
  for (const auto n : order)
    if (const auto factor = factor_of(n)) {
      const auto in = scales[g.inputs(n)[0]];
      scales[n] = {in.scale * *factor, in.below};
    } else if (!wanted[n] && !g.inputs(n).empty()) {
      const auto in = scales[g.inputs(n)[0]];
      const double own = scales[n].scale > 0 ? scales[n].scale : in.scale;
      const auto scale = ask_rule(g[n].op, [&](auto rule, const auto& op) {
        return rule.settled_scale(op, reading_of(g, n, p(g[n].name)), in.scale, own);
      });
      if (scale) scales[n] = {*scale, *scale == in.scale ? in.below
                                                         : scales[n].below * own / *scale};
    }
  return scales;
}

// Which int8 tensors use all 256 integers for values that are not symmetric. Where none is negative
// -128 stands for 0: the convolution or sum that gives one subtracts 128, and saturates where it
// would have a ReLU; the convolutions that read it pad with -128, and have 128 times the sum of
// their weights in their biases. Where values reach below 0 less far than above, as behind a leaky
// ReLU, an integer between does. Layers of 16 bits read them converted, which counts from 0 again.

// The integer for 0 of a tensor that reaches `below` 0 a part of what it reaches above: the lowest
// one with which it keeps all its values.
inline std::int32_t zero_of_range(double below) {
  return -128 + static_cast<std::int32_t>(std::ceil(255 * below / (1 + below) * (1 - 1e-12)));
}

namespace detail {

template <class Graph>
class zero_point_rules {
 public:
  using id = typename Graph::id;

  // First the tensors without negative values, then among the others those that reach `below` 0 a
  // part of what they reach above.
  zero_point_rules(const Graph& g, const net::layer_precisions& p,
                   const std::vector<bool>& averaged, const std::vector<double>& below)
      : g_(g), precision_(p), averaged_(averaged), chosen_(g.size(), true),
        lopsided_(g.size(), false) {
    settle(chosen_, [](auto rule, auto& op, auto& at) { return rule.is_positive(op, at); });
    for (id n = 0; n < below.size(); ++n)
      lopsided_[n] = !chosen_[n] && below[n] > 0 && below[n] <= furthest_below;
    settle(lopsided_, [](auto rule, auto& op, auto& at) { return rule.is_lopsided(op, at); });
  }

  bool is_from_zero(id n) const { return chosen_[n]; }
  bool is_lopsided(id n) const { return lopsided_[n]; }

 private:
  // All of the set that may be so, without those whose neighbours forbid it, until none does.
  template <class Gives>
  void settle(std::vector<bool>& set, const Gives& gives_so) {
    const auto order = g_.order();
    bool changed = true;
    const auto look_at = [&](id n) {
      if (!set[n] || (ask(n, set, gives_so) && is_readable(n, set))) return;
      set[n] = false;
      changed = true;
    };
    while (changed) {
      changed = false;
      std::ranges::for_each(order, look_at);
      std::ranges::for_each(order | std::views::reverse, look_at);
    }
  }
  // What a rule asks about its node and the neighbours.
  struct view {
    const zero_point_rules& rules;
    id node;
    const std::vector<bool>& set;  // those that are looked at: positive or lopsided

    bool is_in_set() const { return set[node]; }
    bool is_positive() const { return rules.chosen_[node]; }
    bool inputs_are_positive() const { return rules.all_inputs_are(node, rules.chosen_); }
    bool inputs_are_lopsided() const { return rules.all_inputs_are(node, rules.lopsided_); }
    template <class Op>
    bool keeps_zero(const Op& op) const { return rule<Op>::keeps_zero(op); }
    // Whether CONV computes the average.
    bool is_averaged() const { return !rules.averaged_.empty() && rules.averaged_[node]; }
    bool joins_convolution() const { return quant::joins_convolution(rules.g_, node); }
    // Whether nothing but what makes 0 of its values below 0 reads the tensor.
    bool is_cut() const {
      const auto readers = rules.g_.consumers(node);
      return readers.size() == 1 && rules.ask(readers[0], set, [](auto rule, auto& op, auto& at) {
               return rule.cuts(op, at);
             });
    }
    // Whether it alone reads a layer of CONV.
    bool ends_convolution() const {
      const id before = rules.g_.inputs(node)[0];
      return net::has_filters(rules.g_[before].op) && rules.g_.consumers(before).size() == 1;
    }
    // Whether a clipping has what it reads at its own scale: no other layer reads that beside it.
    bool gives_its_scale() const {
      const auto& g = rules.g_;
      const id before = g.inputs(node)[0];
      return g.consumers(before).size() == 1 && requantises(g, before) &&
             !std::holds_alternative<net::pool>(g[before].op) &&
             rules.precision_(g[before].name) == rules.precision_(g[node].name);
    }
  };
  template <class Ask>
  bool ask(id n, const std::vector<bool>& set, Ask what) const {
    const view at{*this, n, set};
    return ask_rule(g_[n].op, [&](auto rule, const auto& op) { return what(rule, op, at); });
  }
  bool all_inputs_are(id n, const std::vector<bool>& set) const {
    const auto inputs = g_.inputs(n);
    return std::all_of(inputs.begin(), inputs.end(), [&](id i) { return set[i]; });
  }
  bool is_readable(id n, const std::vector<bool>& set) const {
    const auto readers = g_.consumers(n);
    return !g_[n].output && precision_(g_[n].name) == hw::precision::int8 && !readers.empty() &&
           std::all_of(readers.begin(), readers.end(), [&](id r) {
             return precision_(g_[r].name) != hw::precision::int8 ||
                    ask(r, set, [](auto rule, auto& op, auto& at) {
                      return rule.takes_zero(op, at);
                    });
           });
  }

  const Graph& g_;
  const net::layer_precisions& precision_;
  const std::vector<bool>& averaged_;
  std::vector<bool> chosen_;    // -128 is 0
  std::vector<bool> lopsided_;  // a number above it is
};

}  // namespace detail

// The integer that stands for 0 in the tensor of each node; `averaged` are computed by CONV, and
// reach `below` 0 a part of what they reach above; without it no tensor counts from between.
template <class Graph>
std::vector<std::int32_t> zero_points(const Graph& g, const net::layer_precisions& p,
                                      const std::vector<bool>& averaged = {},
                                      const std::vector<double>& below = {}) {
  const detail::zero_point_rules<Graph> rules(g, p, averaged, below);
  std::vector<std::int32_t> result(g.size(), 0);
  for (typename Graph::id n = 0; n < g.size(); ++n)
    if (rules.is_from_zero(n)) result[n] = -128;
    else if (rules.is_lopsided(n)) result[n] = zero_of_range(below[n]);
  return result;
}

}  // namespace nvdlac::quant
