// SPDX-License-Identifier: Apache-2.0
#pragma once
// Large windows over few channels.
#include <cstdint>
#include <string_view>
#include <utility>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// A convolution whose window keeps the size, as one over four lines beside each other as channels.
struct folded_window {
  static constexpr std::int32_t lines = 4;

  net::convolution fold{};  // the lines of each channel become channels
  net::convolution window{};
  net::move unfold{};       // and channels the lines of the result

  // Whether it pays: a step of the MACs takes an atom of channels and gives a group of kernels,
  // 8 of each at least, of which a large window over one or two channels wastes most.
  static bool pays(const net::convolution& c, net::shape in);
  // Of a convolution for which it does.
  static folded_window of(const net::convolution& c, net::shape in);
};

// The windows of spatial attention, 7x7 over a mean and a maximum, say.
struct fold_windows {
  static constexpr std::string_view name = "fold_windows";
  static constexpr std::string_view description =
      "compute windows of 7 x 7 and more over one or two channels four lines at a time";

  template <class Graph>
  static void run(Graph& g) {
    if constexpr (contains<net::move, typename Graph::operators>) {
      rewriter<Graph> r(g);
      for (const auto n : g.order()) {
        const auto* c = as_alone<net::convolution>(g, n);
        if (c == nullptr) continue;
        const auto from = g.inputs(n).front();
        const net::shape in = g[from].shape;
        // Pixels have ways of their own.
        if (is_input(g, from) || !folded_window::pays(*c, in)) continue;
        auto f = folded_window::of(*c, in);
        const net::shape few{f.fold.kernels, in.h / folded_window::lines, in.w};
        const net::shape result{f.window.kernels, few.h, few.w};
        const auto folded = r.add(g[n].name + "/folded", std::move(f.fold), {from});
        g[folded].shape = few;
        const auto window = r.add(g[n].name + "/window", std::move(f.window), {folded});
        g[window].shape = result;
        g[n].op = std::move(f.unfold);
        r.set_inputs(n, {window});
      }
      r.finish();
    }
  }
};

}  // namespace nvdlac::pass

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/pass/fold_windows.ipp>
#endif
