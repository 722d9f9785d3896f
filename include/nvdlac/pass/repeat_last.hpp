// SPDX-License-Identifier: Apache-2.0
#pragma once
// Enlargements by repetition and 1x1 convolutions behind them.
#include <string_view>
#include <utility>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// Whether a move takes whole columns of channels to more places than they come from: each channel
// alike, and nothing but elements of its one input.
bool repeats_places(const net::move& m, net::shape in);

// A 1x1 convolution behind an enlargement that repeats elements, such as of the nearest neighbour,
// computes each of them once, and what it gives is enlarged, if that are no more channels.
struct repeat_last {
  static constexpr std::string_view name = "repeat_last";
  static constexpr std::string_view description =
      "compute 1x1 convolutions before the repetition of elements in front of them";

  template <class Graph>
  static void run(Graph& g) {
    if constexpr (contains<net::move, typename Graph::operators>) {
      rewriter<Graph> r(g);
      for (const auto n : g.order()) {
        const auto* c = as_alone<net::convolution>(g, n);
        if (c == nullptr || c->window != net::window{} || c->groups != 1) continue;
        const auto from = g.inputs(n).front();
        const auto* m = as_alone<net::move>(g, from);
        if (m == nullptr || !r.only_feeds(from, n)) continue;
        const auto source = g.inputs(from).front();
        const net::shape in = g[source].shape;
        if (c->kernels > in.c || !repeats_places(*m, in)) continue;
        exchange(g, r, n, source);
      }
      r.finish();
    }
  }

 private:
  // The convolution keeps its node for the result, so that its name is that of the last step.
  template <class Graph>
  static void exchange(Graph& g, rewriter<Graph>& r, typename Graph::id n,
                       typename Graph::id source) {
    net::convolution c = std::move(*as<net::convolution>(g, n));
    net::move m = *as<net::move>(g, g.inputs(n).front());
    const std::int32_t kernels = c.kernels;
    m.target.c = kernels;
    for (net::box& b : m.boxes.changeable())
      for (net::box_loop& l : b.loops)
        if (l.to.c != 0) l.count = kernels;
    const auto computed = r.add(g[n].name + "/once", std::move(c), {source});
    g[n].op = std::move(m);
    r.set_inputs(n, {computed});
  }
};

}  // namespace nvdlac::pass

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/pass/repeat_last.ipp>
#endif
