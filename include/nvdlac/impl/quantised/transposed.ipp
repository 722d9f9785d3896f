// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/box.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/transposed.hpp>

namespace nvdlac::quantised {

namespace detail {

// Maps of h x w, one behind the other, each of which becomes one of w x h.
template <class T>
void transpose_maps(net::constants<T>& values, std::int32_t h, std::int32_t w) {
  if (h == 1 || w == 1) return;
  const auto lines = static_cast<std::size_t>(h), columns = static_cast<std::size_t>(w);
  const std::vector<T> from(values.begin(), values.end());
  for (std::size_t first = 0; first < from.size(); first += lines * columns)
    for (std::size_t y = 0; y < lines; ++y)
      for (std::size_t x = 0; x < columns; ++x)
        values[first + x * lines + y] = from[first + y * columns + x];
}

// Turns the operators of a graph; each overload tells whether it could.
class transposer {
 public:
  explicit transposer(const graph& g, graph::id n) : g_(g), n_(n) {}

  bool operator()(input& op) const {
    op.shape = net::transposed(op.shape);
    return true;
  }
  bool operator()(constant& op) const {
    if (!op.values.known() || !op.wide_values.known()) return false;
    transpose_maps(op.values, op.shape.h, op.shape.w);
    transpose_maps(op.wide_values, op.shape.h, op.shape.w);
    op.shape = net::transposed(op.shape);
    return true;
  }
  bool operator()(convolution& op) const {
    if (op.winograd || op.image.is_used() || !sums_alike(op.window)) return false;
    if (!op.weights.known() || !op.wide_weights.known()) return false;
    transpose_maps(op.weights, op.window.kernel_h, op.window.kernel_w);
    transpose_maps(op.wide_weights, op.window.kernel_h, op.window.kernel_w);
    op.window = net::transposed(op.window);
    return true;
  }
  bool operator()(pool& op) const {
    if (op.kind == net::pool_kind::average && !divides_alike(op)) return false;
    op.window = net::transposed(op.window);
    return true;
  }
  bool operator()(average& op) const {
    op.window = net::transposed(op.window);
    return true;
  }
  bool operator()(move& op) const {
    if (!op.boxes.known()) return false;
    const auto turn = [](net::position& p) { std::swap(p.y, p.x); };
    for (net::box& b : op.boxes) {
      turn(b.to);
      turn(b.from);
      for (auto& l : b.loops) {
        turn(l.to);
        turn(l.from);
      }
    }
    op.target = net::transposed(op.target);
    return true;
  }
  bool operator()(reshape&) const { return has_no_maps(); }
  bool operator()(on_host&) const { return has_no_maps(); }
  // Operators that compute element by element, over channels, or each map as it is.
  template <class Op>
  bool operator()(Op&) const {
    return true;
  }

 private:
  // Whether the taps of a window are added in one order: sums of fp16 round, and CSC takes lines,
  // then columns.
  bool sums_alike(const net::window& w) const {
    return g_[n_].precision != hw::precision::fp16 || w.kernel_h == 1 || w.kernel_w == 1;
  }
  // Whether the mean is the same number where lines are divided by first.
  bool divides_alike(const pool& op) const {
    const auto& w = op.window;
    if (g_[n_].precision == hw::precision::fp16) return false;
    if (w.kernel_h == 1 || w.kernel_w == 1) return true;
    const bool has_pads = (w.pad_top | w.pad_left | w.pad_bottom | w.pad_right) != 0;
    return w.kernel_h == w.kernel_w && !op.ceil && (!has_pads || op.count_include_pad);
  }
  bool has_no_maps() const {
    const auto is_vector = [](net::shape s) { return s.h == 1 && s.w == 1; };
    return is_vector(g_[n_].shape) && std::ranges::all_of(g_.inputs(n_), [&](graph::id i) {
             return is_vector(g_[i].shape);
           });
  }

  const graph& g_;
  graph::id n_;
};

}  // namespace detail

NVDLAC_IMPL std::optional<graph> transposed(const graph& g) {
  std::optional<graph> result = g;
  for (graph::id n = 0; n < g.size(); ++n) {
    auto& node = (*result)[n];
    if (!nvdlac::visit(detail::transposer(g, n), node.op)) return std::nullopt;
    node.shape = net::transposed(node.shape);
  }
  return result;
}

}  // namespace nvdlac::quantised
