// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "random_graph.hpp"
#include "shrink.hpp"

using namespace nvdlac;
using namespace nvdlac::net;

namespace {

// A pooling or an average somewhere behind a convolution.
bool pools_a_convolution(const quantised::graph& g) {
  std::vector<bool> behind(g.size(), false);
  for (const auto n : g.order()) {
    behind[n] = g.get_if<quantised::convolution>(n) != nullptr;
    for (const auto i : g.inputs(n)) behind[n] = behind[n] || behind[i];
    if ((g.get_if<quantised::pool>(n) || g.get_if<quantised::average>(n)) && behind[n]) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a failing network shrinks to what it needs to fail") {
  int shrunk = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto g = random_graph::make(seed);
    if (!pools_a_convolution(g)) continue;
    const auto least = shrinking::shrink(g, pools_a_convolution);
    CAPTURE(seed);
    CHECK(pools_a_convolution(least));
    CHECK(least.size() <= 5);  // an input, the convolution, what changes its shape, the pooling
    shrunk += least.size() < g.size();
    // It is a network: it computes.
    const auto feeds = random_graph::feeds(least, seed);
    CHECK(quantised::evaluate(least, std::span<const quantised::feed>(feeds)).size() == 1);
  }
  CHECK(shrunk > 20);
}
