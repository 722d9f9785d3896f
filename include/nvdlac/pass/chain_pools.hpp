// SPDX-License-Identifier: Apache-2.0
#pragma once
// Maxima of large windows out of those of smaller ones.
#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/large_window.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// Whether a pooling of `larger` is one of `rest` behind one of `smaller`, if all of them give what
// has the shape of their input.
constexpr bool is_chained(const net::window& smaller, const net::window& larger,
                          net::window& rest) {
  if (smaller.stride_h != 1 || smaller.stride_w != 1 || larger.stride_h != 1 ||
      larger.stride_w != 1)
    return false;
  rest = {.kernel_h = larger.kernel_h - smaller.kernel_h + 1,
          .kernel_w = larger.kernel_w - smaller.kernel_w + 1,
          .pad_top = larger.pad_top - smaller.pad_top,
          .pad_left = larger.pad_left - smaller.pad_left,
          .pad_bottom = larger.pad_bottom - smaller.pad_bottom,
          .pad_right = larger.pad_right - smaller.pad_right};
  return std::min({rest.pad_top, rest.pad_left, rest.pad_bottom, rest.pad_right}) >= 0 &&
         rest.kernel_h == rest.pad_top + rest.pad_bottom + 1 &&
         rest.kernel_w == rest.pad_left + rest.pad_right + 1 &&
         (rest.kernel_h > 1 || rest.kernel_w > 1);
}

// Poolings of one tensor, such as those of spatial pyramids, in a row: the next one reads the
// result of the one before, whose windows are parts of its own. Only windows that PDP cannot take
// at once gain by it.
struct chain_pools {
  static constexpr std::string_view name = "chain_pools";
  static constexpr std::string_view description =
      "compute maxima of windows beyond PDP's 8 x 8 of those of smaller windows";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order()) {
      auto pools = poolings_of(g, n);
      std::ranges::stable_sort(pools, {}, [](const pooling& p) {
        return p.window.kernel_h * p.window.kernel_w;
      });
      for (std::size_t i = 1; i < pools.size(); ++i)
        if (!pdp_takes(pools[i].window)) chain(g, r, std::span(pools).first(i), pools[i]);
    }
    r.finish();
  }

 private:
  // A node, and what it was before any was chained.
  struct pooling {
    std::size_t node;
    net::pool_kind kind;
    net::window window;
  };

  template <class Graph>
  static std::vector<pooling> poolings_of(const Graph& g, typename Graph::id n) {
    std::vector<pooling> found;
    for (const auto reader : g.consumers(n))
      if (const auto* p = as<net::pool>(g, reader);
          p != nullptr && p->kind != net::pool_kind::average && !p->global &&
          g[reader].shape == g[n].shape)
        found.push_back({reader, p->kind, p->window});
    return found;
  }
  // Behind the largest of the smaller ones.
  template <class Graph>
  static void chain(Graph& g, rewriter<Graph>& r, std::span<const pooling> smaller,
                    const pooling& p) {
    for (std::size_t k = smaller.size(); k-- > 0;) {
      net::window rest;
      if (smaller[k].kind != p.kind || !is_chained(smaller[k].window, p.window, rest)) continue;
      as<net::pool>(g, p.node)->window = rest;
      r.set_inputs(p.node, {smaller[k].node});
      return;
    }
  }
};

}  // namespace nvdlac::pass
