// SPDX-License-Identifier: Apache-2.0
// Random networks in int16 and fp16: the loadable on the simulator, its trace and the exact
// reference agree in every bit.
#include <doctest/doctest.h>

#include <nvdlac/quantised/graph.hpp>

#include "compiled.hpp"
#include "wide_graph.hpp"

using namespace nvdlac;

namespace {

void expect_agreement(std::uint64_t seed, hw::precision p, random_limits limits = {},
                      bool mixed = false) {
  INFO(std::string(hw::name_of(p)) << (mixed ? ", mixed" : "") << ", seed " << seed);
  limits.lookups = true;
  const auto g = mixed ? wide_graph::make_mixed(seed, p, limits)
                       : wide_graph::make(seed, p, limits);
  if (wide_graph::is_too_large<nv_full>(g)) return;
  compiled network(hardware<nv_full>(), g);
  std::vector<quantised::feed> feeds;
  for (std::uint64_t input = 0; input < 2; ++input) {
    feeds = wide_graph::feeds(g, 10 * seed + input);
    CHECK((network.infer_any(feeds) ==
           quantised::evaluate_any(g, std::span<const quantised::feed>(feeds))));
  }
  CHECK(network.trace_differences(feeds) == 0);
}

}  // namespace

TEST_CASE("loadable, trace and reference agree in int16") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) expect_agreement(seed, hw::precision::int16);
  for (std::uint64_t seed = 60; seed < 64; ++seed)
    expect_agreement(seed, hw::precision::int16, {.layers = 4, .channels = 200, .side = 40});
}

TEST_CASE("loadable, trace and reference agree in fp16") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) expect_agreement(seed, hw::precision::fp16);
  for (std::uint64_t seed = 60; seed < 63; ++seed)
    expect_agreement(seed, hw::precision::fp16, {.layers = 4, .channels = 200, .side = 30});
}

TEST_CASE("loadable, trace and reference agree in mixed precisions") {
  for (std::uint64_t seed = 100; seed < 140; ++seed) {
    expect_agreement(seed, hw::precision::int16, {}, true);
    expect_agreement(seed, hw::precision::fp16, {}, true);
  }
}
