// SPDX-License-Identifier: Apache-2.0
#pragma once
// Means of whole pictures and the few features that are made of them.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// The convolutions, one behind the other, that sum the features of all places and their means in
// steps: those of 1x1 `features` of the mean over `in`. None where that is more work than the mean.
std::vector<net::convolution> means_of_features(const net::convolution& features, net::shape in);

// A 1x1 convolution or a fully connected layer of a few kernels behind the mean over all lines and
// columns, such as the first of channel attention: its sums are linear, so that they are computed
// of all places, and the mean is that of a few channels.
struct mean_last {
  static constexpr std::string_view name = "mean_last";
  static constexpr std::string_view description =
      "compute a few features of the mean over a picture before the mean";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order()) {
      if (g.inputs(n).size() != 1) continue;
      const auto mean = g.inputs(n).front();
      const auto* pool = as<net::pool>(g, mean);
      if (pool == nullptr || pool->kind != net::pool_kind::average || !pool->global ||
          pool->keeps_scale || !r.only_feeds(mean, n))
        continue;
      const auto source = g.inputs(mean).front();
      // Pixels have ways of their own.
      if (is_input(g, source) && g[source].shape.c <= most_of_pixels) continue;
      net::convolution features;
      if (const auto* c = as<net::convolution>(g, n))
        features = *c;
      else if (const auto* f = as<net::fully_connected>(g, n))
        features = {.kernels = f->outputs, .weights = f->weights, .bias = f->bias, .relu = f->relu};
      else
        continue;
      auto steps = means_of_features(features, g[source].shape);
      if (steps.empty()) continue;
      auto from = source;
      for (std::size_t i = 0; i + 1 < steps.size(); ++i)
        from = r.add(text(g[n].name, "/level_", i + 1), std::move(steps[i]), {from});
      g[n].op = std::move(steps.back());
      r.set_inputs(n, {from});
    }
    r.finish();
  }

 private:
  static constexpr std::int32_t most_of_pixels = 4;  // channels
};

}  // namespace nvdlac::pass

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/pass/mean_last.ipp>
#endif
