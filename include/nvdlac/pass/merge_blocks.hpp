// SPDX-License-Identifier: Apache-2.0
#pragma once
// Convolutions over elements that were laid from blocks of lines and columns into channels.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/sliding.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// Channels that take every stride-th element of another tensor's channels.
struct strided_channels {
  struct origin {
    std::int32_t channel = 0, y = 0, x = 0;  // the element at the first line and column

    bool operator==(const origin&) const = default;
  };
  std::size_t source = 0;  // the node
  std::int32_t stride_h = 1, stride_w = 1;
  std::vector<origin> origins{};  // of each channel
};

// The channels that a move takes, if it only takes such channels of one input.
std::optional<strided_channels> strided_channels_of(const net::move& m, net::shape out);

// The convolution of the source that computes what `c` does of such channels; nothing if they are
// not all elements of its blocks, or where it would read what a padding is to `c`.
std::optional<net::convolution> over_blocks(const net::convolution& c, net::shape in,
                                            const strided_channels& blocks, net::shape source);

// Space to depth, also as strided slices and a concat, and the convolution behind it, become one
// convolution of a larger window and stride.
struct merge_blocks {
  static constexpr std::string_view name = "merge_blocks";
  static constexpr std::string_view description =
      "let a convolution over blocks that were laid as channels stride over them instead";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order()) {
      const auto* c = as_alone<net::convolution>(g, n);
      if (c == nullptr) continue;
      const auto from = g.inputs(n).front();
      if (!r.only_feeds(from, n)) continue;
      const auto blocks = channels_of(g, from);
      if (!blocks) continue;
      auto merged = over_blocks(*c, g[from].shape, *blocks, g[blocks->source].shape);
      if (!merged) continue;
      g[n].op = *std::move(merged);
      r.set_inputs(n, {blocks->source});
    }
    r.finish();
  }

 private:
  template <class Graph>
  static std::optional<strided_channels> channels_of(const Graph& g, typename Graph::id n) {
    if (as<net::concat>(g, n) != nullptr) {
      std::optional<strided_channels> all;
      for (const auto part : g.inputs(n)) {
        auto of = channels_of(g, part);
        if (!of || (all && (of->source != all->source || of->stride_h != all->stride_h ||
                            of->stride_w != all->stride_w)))
          return std::nullopt;
        if (!all) all = std::move(of);
        else all->origins.insert(all->origins.end(), of->origins.begin(), of->origins.end());
      }
      return all;
    }
    if (const auto* m = as<net::move>(g, n)) {
      auto of = strided_channels_of(*m, g[n].shape);
      if (of) of->source = g.inputs(n)[of->source];
      return of;
    }
    const auto* p = as<net::pool>(g, n);  // a window of one element steps over its input
    if (p == nullptr || p->global || p->ceil) return std::nullopt;
    const net::window steps{.stride_h = p->window.stride_h, .stride_w = p->window.stride_w};
    if (p->window != steps) return std::nullopt;
    strided_channels of{g.inputs(n).front(), steps.stride_h, steps.stride_w};
    for (std::int32_t k = 0; k < g[n].shape.c; ++k) of.origins.push_back({.channel = k});
    return of;
  }
};

}  // namespace nvdlac::pass

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/pass/merge_blocks.ipp>
#endif
