// SPDX-License-Identifier: Apache-2.0
#pragma once
// Int8 tensors that use all 256 integers for values that are not symmetric. Where none is negative
// -128 stands for 0: the convolution or sum that gives one subtracts 128, and saturates where it
// would have a ReLU; its readers pad with -128; their biases have 128 times the sum of weights.
// Where values reach below 0 less far than above, as behind a leaky ReLU, or above less far than
// below, as the logits of rare classes, an integer between does. Layers of 16 bits read them
// converted, which counts from 0 again.
#include <algorithm>
#include <cstdint>
#include <ranges>
#include <variant>
#include <vector>

#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/standard_operators.hpp>
#include <nvdlac/quant/rules.hpp>
#include <nvdlac/quant/scale_table.hpp>

namespace nvdlac::quant {

// The integer for 0 of a tensor that reaches `below` 0 so many times as far as above: the lowest
// one with which it keeps all its values.
std::int32_t zero_of_range(double below);

// The steps from the integer for 0 up to the range of a tensor that is told by 127 of them, or down
// to where 128 of those reach.
constexpr double steps_from(std::int32_t zero) {
  return zero > 0 ? (zero + 128) * 127 / 128.0 : 127 - zero;
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
      lopsided_[n] = !chosen_[n] && below[n] > 0 &&
                     (below[n] <= furthest_below ||
                      (below[n] * furthest_below >= 1 &&
                       !std::holds_alternative<net::prelu>(g[n].op)));
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
  // The answers to a rule about its node and the neighbours.
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

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/zero_points.ipp>
#endif
