// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which int8 tensors use all 256 integers for values that are not negative: -128 stands for 0. The
// convolution that gives one subtracts 128 by its bias, and saturates where it would have a ReLU;
// the ones that read it pad with -128, and have 128 times the sum of their weights in their biases.
#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::quant {

namespace detail {

template <class Graph>
class zero_point_rules {
 public:
  using id = typename Graph::id;

  zero_point_rules(const Graph& g, const net::layer_precisions& p)
      : g_(g), precision_(p), readable_(g.size(), false) {
    const auto order = g.order();
    for (auto n = order.rbegin(); n != order.rend(); ++n) readable_[*n] = is_readable(*n);
  }

  // Whether n gives no value below 0, and only to layers that take it from another integer on.
  bool starts(id n) const {
    if (!readable_[n]) return false;
    const auto* conv = std::get_if<net::convolution>(&g_[n].op);
    const auto* fc = std::get_if<net::fully_connected>(&g_[n].op);
    if ((conv && conv->relu) || (fc && fc->relu)) return true;
    const auto readers = g_.consumers(n);
    return has_filters(n) && readers.size() == 1 && cuts(readers[0]);
  }
  // Whether n gives its input's integers with the same meaning.
  bool keeps(id n) const {
    const auto& op = g_[n].op;
    if (const auto* pool = std::get_if<net::pool>(&op))
      return pool->kind == net::pool_kind::maximum || pool->global ||
             !(pool->ceil || pool->window.pad_top || pool->window.pad_bottom ||
               pool->window.pad_left || pool->window.pad_right);
    if (std::holds_alternative<net::flatten>(op) || std::holds_alternative<net::reshape>(op)) {
      const auto readers = g_.consumers(n);
      return std::all_of(readers.begin(), readers.end(), [&](id r) {
        return std::holds_alternative<net::fully_connected>(g_[r].op);
      });
    }
    return std::holds_alternative<net::identity>(op) || cuts(n);
  }

 private:
  bool has_filters(id n) const {
    return std::holds_alternative<net::convolution>(g_[n].op) ||
           std::holds_alternative<net::fully_connected>(g_[n].op);
  }
  // Values below 0 become 0. A clipping has a scale of its own, which its producer must be able to
  // give to it alone.
  bool cuts(id n) const {
    if (std::holds_alternative<net::relu>(g_[n].op)) return true;
    const auto* clip = std::get_if<net::clip>(&g_[n].op);
    if (clip == nullptr || clip->low != 0 || !(clip->high > 0)) return false;
    const id before = g_.inputs(n)[0];
    return has_filters(before) && g_.consumers(before).size() == 1;
  }
  bool is_readable(id n) const {
    const auto readers = g_.consumers(n);
    return !g_[n].output && precision_(g_[n].name) == hw::precision::int8 && !readers.empty() &&
           std::all_of(readers.begin(), readers.end(), [&](id r) {
             return precision_(g_[r].name) == hw::precision::int8 &&
                    (has_filters(r) || (keeps(r) && readable_[r]));
           });
  }

  const Graph& g_;
  const net::layer_precisions& precision_;
  std::vector<bool> readable_;
};

}  // namespace detail

// The integer that stands for 0 in the tensor of each node.
template <class Graph>
std::vector<std::int32_t> zero_points(const Graph& g, const net::layer_precisions& p) {
  const detail::zero_point_rules<Graph> rules(g, p);
  std::vector<std::int32_t> result(g.size(), 0);
  for (const auto n : g.order())
    if (rules.starts(n)) result[n] = -128;
    else if (rules.keeps(n)) result[n] = result[g.inputs(n)[0]];
  return result;
}

}  // namespace nvdlac::quant
