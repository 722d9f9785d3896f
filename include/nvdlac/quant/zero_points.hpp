// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which int8 tensors use all 256 integers for values that are not negative: -128 stands for 0. The
// convolution or sum that gives one subtracts 128, and saturates where it would have a ReLU; the
// convolutions that read it pad with -128, and have 128 times the sum of their weights in their
// biases.
#include <algorithm>
#include <cstdint>
#include <ranges>
#include <type_traits>
#include <variant>
#include <vector>

#include <nvdlac/net/has_filters.hpp>
#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/sharing.hpp>
#include <nvdlac/type_list.hpp>

namespace nvdlac::quant {

namespace detail {

template <class Graph>
class zero_point_rules {
 public:
  using id = typename Graph::id;

  // All that may, and then without those whose neighbours forbid it, until none does.
  zero_point_rules(const Graph& g, const net::layer_precisions& p,
                   const std::vector<bool>& averaged)
      : g_(g), precision_(p), averaged_(averaged), chosen_(g.size(), true) {
    const auto order = g.order();
    bool changed = true;
    const auto look_at = [&](id n) {
      if (!chosen_[n] || (gives(n) && is_readable(n))) return;
      chosen_[n] = false;
      changed = true;
    };
    while (changed) {
      changed = false;
      std::ranges::for_each(order, look_at);
      std::ranges::for_each(order | std::views::reverse, look_at);
    }
  }

  const std::vector<bool>& chosen() const { return chosen_; }

 private:
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
    const auto inputs = g_.inputs(n);
    return std::all_of(inputs.begin(), inputs.end(), [&](id i) { return chosen_[i]; }) &&
           std::visit([](const auto& op) { return keeps_zero(op); }, g_[n].op);
  }
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
  // A clipping that no other layer has beside it takes the scale of its producer.
  bool clips(id n) const {
    const auto* clip = std::get_if<net::clip>(&g_[n].op);
    if (clip == nullptr || clip->low > 0 || !(clip->high > 0)) return false;
    const id before = g_.inputs(n)[0];
    return chosen_[before] && g_.consumers(before).size() == 1 && requantises(g_, before) &&
           !std::holds_alternative<net::pool>(g_[before].op) &&
           precision_(g_[before].name) == precision_(g_[n].name);
  }
  // Whether r takes its inputs so. A sum has its ReLU before it subtracts anything; a softmax
  // compares them with each other, wherever they count from.
  bool takes(id r) const {
    if (const auto* sum = std::get_if<net::add>(&g_[r].op))
      return (chosen_[r] || !sum->relu) && sum->coefficients[0] != 0 && sum->coefficients[1] != 0;
    if (std::holds_alternative<net::softmax>(g_[r].op)) return true;
    return has_filters(r) || (!averaged_.empty() && averaged_[r]) ||
           (chosen_[r] && !std::holds_alternative<net::scale>(g_[r].op));
  }
  bool is_readable(id n) const {
    const auto readers = g_.consumers(n);
    return !g_[n].output && precision_(g_[n].name) == hw::precision::int8 && !readers.empty() &&
           std::all_of(readers.begin(), readers.end(), [&](id r) {
             return precision_(g_[r].name) == hw::precision::int8 && takes(r);
           });
  }

  const Graph& g_;
  const net::layer_precisions& precision_;
  const std::vector<bool>& averaged_;
  std::vector<bool> chosen_;
};

}  // namespace detail

// The integer that stands for 0 in the tensor of each node; `averaged` are computed by CONV.
template <class Graph>
std::vector<std::int32_t> zero_points(const Graph& g, const net::layer_precisions& p,
                                      const std::vector<bool>& averaged = {}) {
  const detail::zero_point_rules<Graph> rules(g, p, averaged);
  std::vector<std::int32_t> result;
  for (const bool chosen : rules.chosen()) result.push_back(chosen ? -128 : 0);
  return result;
}

}  // namespace nvdlac::quant
