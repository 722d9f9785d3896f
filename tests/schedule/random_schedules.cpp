// SPDX-License-Identifier: Apache-2.0
// Random networks with random schedules: the loadable on the simulator, its trace and the exact
// integer reference agree in every byte.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/compile.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/schedule/choices_json.hpp>
#include <nvdlac/schedule/draft.hpp>
#include <nvdlac/schedule/search.hpp>

#include "../random_graph.hpp"
#include "exact.hpp"

using namespace nvdlac;

namespace {

// Some changes, whatever they cost.
template <class Hw>
schedule::saved random_schedule(const quantised::graph& g, std::uint64_t seed) {
  const auto l = lower::lower<Hw>(g, "network");
  const schedule::draft d(Hw::spec, l);
  auto now = schedule::detail::rate(d.numbers(), d.numbered({.kept = true}));
  for (std::uint64_t n = 0; n < 24 && !now.pieces.empty(); ++n) {
    const auto change = schedule::detail::draw(d.numbers(), now, 100 * seed + n)();
    now = schedule::detail::rate(d.numbers(),
                                 schedule::detail::changed(d.numbers(), now.what, change));
  }
  now.what.beside = seed % 2 == 0;
  return {.network = "network", .configuration = std::string(hw::name<Hw>()),
          .choices = d.named(now.what)};
}

// How many tiles more than stages there are.
template <class Hw>
std::size_t expect_exact(std::uint64_t seed, random_limits limits) {
  const auto g = random_graph::make(seed, limits);
  const auto s = random_schedule<Hw>(g, seed);
  expect_exact_with<Hw>(g, s, seed);
  std::size_t tiles = 0;
  for (const auto& t : s.choices.tiles) tiles += t.rows.size();
  return tiles;
}

}  // namespace

TEST_CASE("random networks with random schedules are exact") {
  std::size_t tiles = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    tiles += expect_exact<nv_small>(seed, {});
    tiles += expect_exact<nv_large>(seed, {});
  }
  for (std::uint64_t seed = 100; seed < 110; ++seed) {
    tiles += expect_exact<nv_small>(seed, {.layers = 6, .channels = 64, .side = 40});
    tiles += expect_exact<nv_large>(seed, {.layers = 6, .channels = 64, .side = 40});
  }
  CHECK(tiles > 100);
}
