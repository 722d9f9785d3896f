// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <variant>

#include <nvdlac/quantised/graph.hpp>

// The network with so many of a hundred weights of each convolution set to 0.
inline nvdlac::quantised::graph pruned(nvdlac::quantised::graph g, unsigned zeros,
                                       std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto prune = [&](auto& weights) {
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (random() % 100 < zeros) weights[i] = 0;
  };
  for (nvdlac::quantised::graph::id n = 0; n < g.size(); ++n)
    if (auto* c = std::get_if<nvdlac::quantised::convolution>(&g[n].op)) {
      prune(c->weights);
      prune(c->wide_weights);
    }
  return g;
}
