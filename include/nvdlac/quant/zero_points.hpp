// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which int8 tensors use all 256 integers for values that are not symmetric. Where none is negative
// -128 stands for 0: the convolution or sum that gives one subtracts 128, and saturates where it
// would have a ReLU; the convolutions that read it pad with -128, and have 128 times the sum of
// their weights in their biases. Where values reach below 0 less far than above, as behind a leaky
// ReLU, an integer between does.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ranges>
#include <type_traits>
#include <variant>
#include <vector>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/net/has_filters.hpp>
#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/activation.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quant/sharing.hpp>

namespace nvdlac::quant {

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
    settle(chosen_, [&](id n) { return gives(n); });
    for (id n = 0; n < below.size(); ++n)
      lopsided_[n] = !chosen_[n] && below[n] > 0 && below[n] <= furthest_below;
    settle(lopsided_, [&](id n) { return gives_lopsided(n); });
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
      if (!set[n] || (gives_so(n) && is_readable(n, set))) return;
      set[n] = false;
      changed = true;
    };
    while (changed) {
      changed = false;
      std::ranges::for_each(order, look_at);
      std::ranges::for_each(order | std::views::reverse, look_at);
    }
  }
  bool has_filters(id n) const { return net::has_filters(g_[n].op); }
  // Whether n can give its values so, and has none below 0.
  bool gives(id n) const {
    const auto& op = g_[n].op;
    if (has_filters(n)) {
      const auto* conv = std::get_if<net::convolution>(&op);
      const auto* fc = std::get_if<net::fully_connected>(&op);
      if (conv ? conv->relu : fc->relu) return true;
      const auto readers = g_.consumers(n);
      return readers.size() == 1 && cuts(readers[0]);
    }
    const auto* sum = std::get_if<net::add>(&op);
    const auto* scale = std::get_if<net::scale>(&op);
    return (sum && sum->relu) || (scale && scale->relu) || cuts(n) || clips(n) || keeps(n);
  }
  // Whether n has no value below 0, -128 being 0, if its inputs have none.
  bool keeps(id n) const {
    return all_inputs_are(n, chosen_) &&
           std::visit([](const auto& op) { return keeps_zero(op); }, g_[n].op);
  }
  bool all_inputs_are(id n, const std::vector<bool>& set) const {
    const auto inputs = g_.inputs(n);
    return std::all_of(inputs.begin(), inputs.end(), [&](id i) { return set[i]; });
  }
  // Whether n can give values on both sides of an integer for 0 of its own, which those that move
  // or choose among the integers of a tensor share with it.
  bool gives_lopsided(id n) const {
    const auto& op = g_[n].op;
    if (std::holds_alternative<net::activation>(op)) return true;
    if (std::holds_alternative<net::prelu>(op)) return joins_convolution(g_, n);
    if (const auto* conv = std::get_if<net::convolution>(&op)) return !conv->relu;
    if (const auto* fc = std::get_if<net::fully_connected>(&op)) return !fc->relu;
    if (const auto* sum = std::get_if<net::add>(&op))
      return !sum->relu && sum->coefficients[0] != 0 && sum->coefficients[1] != 0;
    if (is_averaged(n)) return true;
    return all_inputs_are(n, lopsided_) &&
           (std::holds_alternative<net::clip>(op)
                ? gives_its_scale(n)
                : std::visit([](const auto& o) { return keeps_zero(o); }, op));
  }
  bool is_averaged(id n) const { return !averaged_.empty() && averaged_[n]; }
  template <class Op>
  static bool keeps_zero(const Op& op) {
    if constexpr (std::is_same_v<Op, net::add>)
      return op.coefficients[0] > 0 && op.coefficients[1] > 0;
    else if constexpr (std::is_same_v<Op, net::move>)
      return op.fill >= 0;
    else
      return contains<Op, type_list<net::pool, net::concat, net::identity, net::reshape,
                                    net::flatten>>;
  }
  // Values below 0 become 0. A clipping has a scale of its own, which its producer must be able to
  // give to it alone.
  bool cuts(id n) const {
    if (std::holds_alternative<net::relu>(g_[n].op)) return chosen_[g_.inputs(n)[0]];
    const auto* clip = std::get_if<net::clip>(&g_[n].op);
    if (clip == nullptr || clip->low != 0 || !(clip->high > 0)) return false;
    const id before = g_.inputs(n)[0];
    return has_filters(before) && g_.consumers(before).size() == 1;
  }
  bool clips(id n) const {
    const auto* clip = std::get_if<net::clip>(&g_[n].op);
    return clip != nullptr && clip->low <= 0 && clip->high > 0 && chosen_[g_.inputs(n)[0]] &&
           gives_its_scale(n);
  }
  // Whether clipping n has what it reads at its own scale: no other layer reads that beside it.
  bool gives_its_scale(id n) const {
    const id before = g_.inputs(n)[0];
    return g_.consumers(before).size() == 1 && requantises(g_, before) &&
           !std::holds_alternative<net::pool>(g_[before].op) &&
           precision_(g_[before].name) == precision_(g_[n].name);
  }
  // Whether r takes its inputs so. A sum has its ReLU before it subtracts anything; a softmax
  // compares them with each other, wherever they count from; a table has them in its entries.
  bool takes(id r, const std::vector<bool>& set) const {
    const auto& op = g_[r].op;
    if (const auto* sum = std::get_if<net::add>(&op))
      return (chosen_[r] || !sum->relu) && sum->coefficients[0] != 0 && sum->coefficients[1] != 0;
    if (std::holds_alternative<net::softmax>(op) || std::holds_alternative<net::activation>(op))
      return true;
    return has_filters(r) || is_averaged(r) ||
           (set[r] && !std::holds_alternative<net::scale>(op) &&
            !std::holds_alternative<net::prelu>(op));
  }
  bool is_readable(id n, const std::vector<bool>& set) const {
    const auto readers = g_.consumers(n);
    return !g_[n].output && precision_(g_[n].name) == hw::precision::int8 && !readers.empty() &&
           std::all_of(readers.begin(), readers.end(), [&](id r) {
             return precision_(g_[r].name) == hw::precision::int8 && takes(r, set);
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
