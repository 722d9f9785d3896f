// SPDX-License-Identifier: Apache-2.0
// Random networks with random schedules: the loadable on the simulator, its trace and the exact
// integer reference agree in every byte.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/lower.hpp>

#include "../nightly.hpp"
#include "../random_graph.hpp"
#include "../scheduled.hpp"

using namespace nvdlac;

namespace {

// How many tiles more than stages there are.
template <class Hw>
std::size_t expect_exact(std::uint64_t seed, random_limits limits) {
  const auto g = random_graph::make(seed, limits);
  const auto s = random_schedule<Hw>(lower::lower<Hw>(g, "network"), seed);
  expect_exact_with<Hw>(g, s, seed);
  std::size_t tiles = 0;
  for (const auto& t : s.choices.tiles) tiles += t.rows.size();
  return tiles;
}

}  // namespace

TEST_CASE("random networks with random schedules are exact") {
  std::size_t tiles = 0;
  for (std::uint64_t seed = 0; seed < drawn(100U); ++seed) {
    tiles += expect_exact<nv_small>(seed, {});
    tiles += expect_exact<nv_large>(seed, {});
  }
  for (std::uint64_t seed = 100; seed < 100 + drawn(10U); ++seed) {
    tiles += expect_exact<nv_small>(seed, {.layers = 6, .channels = 64, .side = 40});
    tiles += expect_exact<nv_large>(seed, {.layers = 6, .channels = 64, .side = 40});
  }
  CHECK(tiles > occurring(100U));
}
