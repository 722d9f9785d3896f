// SPDX-License-Identifier: Apache-2.0
#pragma once
// Convolutions one behind the other.
#include <optional>
#include <string_view>
#include <utility>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// The one convolution that computes `second` of what `first` gives of an input of this shape, where
// one of both looks at a single element: nothing, where it would take more products, or where
// `second` pads what `first` has a bias for.
std::optional<net::convolution> composed(const net::convolution& first,
                                         const net::convolution& second, net::shape in);

// Two convolutions without a function between them, one of which is 1x1, become one where that is
// less work: an expansion that only a projection reads, say.
struct compose_convolutions {
  static constexpr std::string_view name = "compose_convolutions";
  static constexpr std::string_view description =
      "make two convolutions in a row, one of them 1x1, one, where that takes fewer products";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order()) {
      const auto* second = as_alone<net::convolution>(g, n);
      if (second == nullptr) continue;
      const auto from = g.inputs(n).front();
      const auto* first = as_alone<net::convolution>(g, from);
      if (first == nullptr || !r.only_feeds(from, n)) continue;
      const auto source = g.inputs(from).front();
      auto both = composed(*first, *second, g[source].shape);
      if (!both) continue;
      g[n].op = *std::move(both);
      r.set_inputs(n, {source});
    }
    r.finish();
  }
};

}  // namespace nvdlac::pass

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/pass/compose_convolutions.ipp>
#endif
