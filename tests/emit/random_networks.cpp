// SPDX-License-Identifier: Apache-2.0
// Random networks: the loadable on the simulator, its trace and the exact integer reference agree
// in every byte.
#include <doctest/doctest.h>

#include "disagreement.hpp"
#include "nightly.hpp"
#include "random_graph.hpp"

using namespace nvdlac;

namespace {

template <class Hw>
void expect_agreement(std::uint64_t seed, const quantised::graph& g) {
  const auto feeds = [&](const auto& network, std::uint64_t input) {
    return random_graph::feeds(network, 10 * seed + input);
  };
  if (const auto why = disagreement(hardware<Hw>(), g, feeds); !why.empty())
    FAIL_CHECK(type_name<Hw>() << ", seed " << seed << ": " << why << '\n'
                               << smallest_failure(hardware<Hw>(), g, feeds, why));
}

void everywhere(std::uint64_t seed, random_limits limits) {
  const auto g = random_graph::make(seed, limits);
  expect_agreement<nv_small>(seed, g);
  expect_agreement<nv_small_256>(seed, g);
  expect_agreement<nv_small_256_full>(seed, g);
  expect_agreement<nv_medium_512>(seed, g);
  expect_agreement<nv_medium_1024_full>(seed, g);
  expect_agreement<nv_large>(seed, g);
  expect_agreement<nv_full>(seed, g);
}

}  // namespace

TEST_CASE("loadable, trace and reference agree") {
  for (std::uint64_t seed = 0; seed < drawn(80U); ++seed) everywhere(seed, {});
}

TEST_CASE("loadable, trace and reference agree where tables are looked up") {
  for (std::uint64_t seed = 1000; seed < 1000 + drawn(20U); ++seed) {
    const auto g = random_graph::make(seed, {.lookups = true});
    expect_agreement<nv_small_256_full>(seed, g);
    expect_agreement<nv_medium_1024_full>(seed, g);
    expect_agreement<nv_large>(seed, g);
    expect_agreement<nv_full>(seed, g);
  }
}

TEST_CASE("loadable, trace and reference agree where layers must be split") {
  for (std::uint64_t seed = 0; seed < drawn(9U); ++seed)
    everywhere(seed, {.layers = 4, .channels = 200, .side = 60});
}
