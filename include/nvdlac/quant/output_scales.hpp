// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/quant/multipliers.hpp>
#include <nvdlac/quant/own_steps.hpp>
#include <nvdlac/quant/pooling.hpp>
#include <nvdlac/quant/rules.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::quant {

// The network with its outputs in this order, which is that of their ids. Ids ascend from
// producers to consumers, so that all who walk the network meet its outputs in one order: an output
// has the place of the one that it stands for, or one behind its producers and the outputs before
// it. Outputs that depend on later ones have their places alone. Inputs keep their order.
quantised::graph with_outputs_in_order(const quantised::graph& from,
                                       const std::vector<quantised::graph::id>& wanted);

// At which scale a tensor is given, how far it reaches below 0 as a part of what it reaches above
// (1: as far, or not known; more: the scale is that of what is below), and how many times as far
// its numbers of 16 bits reach.
struct output_scale {
  double scale = 1, below = 1, room = 1;
  bool own_steps = false;  // a concat whose inputs keep their scales
};

namespace detail {

// output_scale::below of a tensor as the table tells it, and at a scale so many times as large.
inline double below_of(const scale_table::entry& e) {
  const double range = e.range.largest();
  if (e.low) return -*e.low / range;
  return e.high ? std::max(1.0, range * 128 / 127 / *e.high) : 1;
}
inline double below_at(double below, double by) {
  return below > 1 ? std::max(1.0, below * by) : below / by;
}

// The producer above one input of a concat or a clipping that may take its scale, and what that
// means for it: nobody else reads the tensors on the way. An output keeps its own scale, as the
// user reads it, and what is averaged has a scale that holds its own range. `known` are the scales
// of the tensors' own ranges, by name. With a scale of 0 the producer keeps its own.
template <class Graph>
void pass_upwards(const Graph& g, const net::layer_precisions& p, typename Graph::id n,
                  output_scale as, const std::map<std::string, output_scale>& known,
                  std::vector<std::optional<output_scale>>& wanted) {
  const auto saturates = [&](auto at) {
    if (as.scale == 0) return false;
    const auto own = known.find(g[at].name);
    return own == known.end() || own->second.scale > as.scale * (1 + 1e-9);
  };
  while (g.consumers(n).size() == 1 && !g[n].output) {
    const auto factor = shared_factor(g, n, p(g[n].name));
    if (!factor) {
      if (requantises(g, n, p(g[n].name))) wanted[n] = as;
      return;
    }
    as.scale /= *factor;
    const auto* pool = std::get_if<net::pool>(&g[n].op);
    n = g.inputs(n)[0];
    if (pool != nullptr && pool->kind == net::pool_kind::average && saturates(n)) return;
  }
}

// The scale of the tensor that n gives, which may be that of what it reads.
template <class Graph>
output_scale scale_of(const Graph& g, const net::layer_precisions& p, typename Graph::id n,
                      const std::vector<output_scale>& scales) {
  double by = 1;
  while (const auto factor = shared_factor(g, n, p(g[n].name))) {
    by *= *factor;
    n = g.inputs(n)[0];
  }
  return {scales[n].scale * by, scales[n].below, scales[n].room};
}

// Whether a function is a straight line from some point on, on both sides: its tables hold beyond
// the calibrated range what they are made for, which those of a logarithm or a power do not.
constexpr bool ends_straight(net::function f) {
  using enum net::function;
  switch (f) {
    case sigmoid: case tanh: case elu: case selu: case celu: case swish: case hard_swish:
    case mish: case gelu: case gelu_tanh: case softplus: case softsign: case erf: return true;
    default: return false;
  }
}

// Whether n scales all channels alike: its result saturates just where what it reads does.
template <class Graph>
bool saturates_with_input(const Graph& g, typename Graph::id n) {
  const auto* s = std::get_if<net::scale>(&g[n].op);
  return s != nullptr && std::ranges::all_of(s->factor, [&](float f) {
           return f == s->factor[0];
         });
}

// Marks the tensor of n as one that has no room, those whose numbers it keeps, and what it alone
// reads if that gains nothing by room of its own.
template <class Graph>
void take_room(const Graph& g, const net::layer_precisions& p, typename Graph::id n,
               std::vector<double>& most) {
  if (most[n] == 1) return;
  most[n] = 1;
  const bool own = requantises(g, n, p(g[n].name));
  if (own && !saturates_with_input(g, n)) return;
  for (const auto i : g.inputs(n))
    if (!own || (g.consumers(i).size() == 1 && !g[i].output)) take_room(g, p, i, most);
}

// How many times as far as its calibrated range each tensor reaches in 16 bits, at most: those that
// tables read which hold nothing beyond it have no room.
template <class Graph>
std::vector<double> most_room(const Graph& g, const net::layer_precisions& p) {
  std::vector<double> most(g.size(), beyond_calibration);
  for (typename Graph::id n = 0; n < g.size(); ++n)
    if (const auto* a = std::get_if<net::activation>(&g[n].op))
      if (!ends_straight(a->function)) take_room(g, p, g.inputs(n)[0], most);
  return most;
}

// How many times as far as its calibrated range the tensor of n reaches in 16 bits, of which `most`
// are wanted: no further than its operator gives for inputs that reach so far.
template <class Graph>
double room_of(const Graph& g, const net::layer_precisions& p, typename Graph::id n, double most,
               const std::vector<output_scale>& scales) {
  if (most == 1 || p(g[n].name) == hw::precision::int8) return 1;
  std::vector<double> in;
  for (const auto i : g.inputs(n)) {
    const auto s = scale_of(g, p, i, scales);
    in.push_back(s.scale > 0 ? range_of_scale(s.scale) * s.room
                             : std::numeric_limits<double>::infinity());
  }
  const auto bound = ask_rule(g[n].op, [&](auto rule, const auto& op) {
    const auto fixed = rule.inherent_scale(op);
    return fixed ? std::optional(range_of_scale(*fixed)) : rule.bound(op, in);
  });
  const double range = range_of_scale(scales[n].scale);
  return bound ? std::clamp(*bound / range, 1.0, most) : most;
}

// Whether the inputs of a concat keep their scales, and then, what they have in common.
template <class Graph>
std::optional<output_scale> common_of_own_steps(const Graph& g, const net::layer_precisions& p,
                                                typename Graph::id n,
                                                const std::vector<output_scale>& scales) {
  if (!std::holds_alternative<net::concat>(g[n].op)) return std::nullopt;
  output_scale common{.scale = 0, .below = 0, .room = 0};
  const auto together = [](double a, double b) { return b > 1 ? 1 : std::max(a, b); };
  std::vector<double> own;
  for (const auto i : g.inputs(n)) {
    const auto s = scale_of(g, p, i, scales);
    if (!(s.scale > 0)) return std::nullopt;
    own.push_back(s.scale);
    common.below = together(common.below, s.below);
  }
  if (!keeps_own_steps(g, n, p, own, scales[n].scale)) return std::nullopt;
  return common;
}

// The scale of the average n whose channels keep steps of their own: that of the mean which reaches
// furthest in the steps of its channel, where the table tells how far they do.
template <class Graph>
double scale_of_own_means(const Graph& g, const scale_table& table, typename Graph::id n,
                          const std::vector<output_scale>& scales) {
  const auto reach_of = [&](typename Graph::id m) {
    const auto e = std::ranges::find(table.entries, g[m].name, &scale_table::entry::layer);
    return e == table.entries.end() ? std::vector<double>{} : e->reach;
  };
  const auto from = filters_above(g, n);
  const double in = scales[g.inputs(n)[0]].scale;
  const auto reach = reach_of(n), reach_before = reach_of(from);
  if (reach.empty() || reach.size() != reach_before.size()) return in;
  const auto gains = gains_of(reach_before, range_of_scale(scales[from].scale));
  double furthest = 0;
  for (std::size_t c = 0; c < reach.size(); ++c)
    furthest = std::max(furthest, reach[c] / gains[c]);
  if (!(furthest > 0)) return in;
  const auto& op = std::get<net::pool>(g[n].op);
  return std::min(in, scale_of_average(op, g[g.inputs(n)[0]].shape, in, scale_of_range(furthest)));
}

// Gives n, whose channels keep steps of their own, a scale that holds each: the table tells the
// range of the channel that reaches furthest.
template <class Graph>
void hold_own_steps(const Graph& g, const scale_table& table, const net::layer_precisions& p,
                    typename Graph::id n, const std::vector<bool>& own,
                    std::vector<output_scale>& scales) {
  if (net::has_filters(g[n].op) || joins_convolution(g, n)) return;
  if (shared_factor(g, n, p(g[n].name))) return;
  const bool averages = std::holds_alternative<net::pool>(g[n].op);
  if (averages) scales[n].scale = scale_of_own_means(g, table, n, scales);
  for (const auto i : g.inputs(n))
    if (own[i] && (averages ? scales[n].scale == scales[i].scale
                            : scales[i].scale > scales[n].scale)) {
      scales[n].scale = scales[i].scale;
      scales[n].room = scales[i].room;
    }
  scales[n].below = 1;
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
  const auto most = detail::most_room(g, p);
  for (const auto& e : table.entries)
    known.emplace(e.layer, output_scale{.scale = e.range.step(),
                                        .below = detail::below_of(e),
                                        .room = e.measured ? beyond_calibration : 1});
  const auto order = g.order();
  const auto factor_of = [&](auto n) { return shared_factor(g, n, p(g[n].name)); };
  std::vector<output_scale> scales(g.size());
  for (const auto n : order) {
    if (factor_of(n)) continue;
    const auto fixed = ask_rule(g[n].op, [](auto rule, const auto&) { return rule.fixed_scale; });
    if (fixed) scales[n].scale = *fixed;
    else if (const auto entry = known.find(g[n].name); entry != known.end()) {
      scales[n] = entry->second;
      scales[n].room = detail::room_of(g, p, n, std::min(scales[n].room, most[n]), scales);
    } else if (!ask_rule(g[n].op, [](auto rule, const auto&) { return rule.needs_entry; }))
      scales[n].scale = 0;  // that of its input
    else found.add(not_listed(table, g[n].name));
  }
  std::vector<std::optional<output_scale>> wanted(g.size());
  for (auto n = order.rbegin(); n != order.rend(); ++n) {
    if (wanted[*n]) {
      const auto own = scales[*n];
      scales[*n] = *wanted[*n];
      if (scales[*n].scale == 0) {
        scales[*n].scale = own.scale;
        scales[*n].room = own.room;
      }
    }
    if (ask_rule(g[*n].op, [](auto rule, const auto&) { return rule.clips; }))
      detail::pass_upwards(g, p, g.inputs(*n)[0], scales[*n], known, wanted);
    if (joins_convolution(g, *n)) wanted[g.inputs(*n)[0]] = scales[*n];
    if (!joins(g, *n)) continue;
    const auto apart = detail::common_of_own_steps(g, p, *n, scales);
    scales[*n].own_steps = apart.has_value();
    if (apart) scales[*n].below = apart->below;
    for (const auto i : g.inputs(*n))
      detail::pass_upwards(g, p, i, apart ? *apart : scales[*n], known, wanted);
  }
  const auto own_steps = own_steps_of_filters(g, table, p);
  for (const auto n : order) {
    if (const auto factor = factor_of(n)) {
      const auto in = scales[g.inputs(n)[0]];
      scales[n] = {in.scale * *factor, in.below, in.room};
    } else if (!wanted[n] && !g.inputs(n).empty()) {
      const auto in = scales[g.inputs(n)[0]];
      const double own = scales[n].scale > 0 ? scales[n].scale : in.scale;
      const auto scale = ask_rule(g[n].op, [&](auto rule, const auto& op) {
        return rule.settled_scale(op, reading_of(g, n, p(g[n].name)), in.scale, own);
      });
      if (scale && *scale == in.scale) scales[n] = {*scale, in.below, in.room};
      else if (scale) scales[n] = {*scale, detail::below_at(scales[n].below, *scale / own),
                                   scales[n].room};
    }
    if (own_steps[n]) detail::hold_own_steps(g, table, p, n, own_steps, scales);
  }
  return scales;
}

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/output_scales.ipp>
#endif
