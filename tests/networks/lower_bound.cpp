// SPDX-License-Identifier: Apache-2.0
// No program is predicted to take fewer cycles than the lower bound of its network.
#include <cstdint>

#include <doctest/doctest.h>

#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/cost/lower_bound.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/hw/configurations/nv_small_256.hpp>

#include "compiled.hpp"
#include "nightly.hpp"
#include "random_graph.hpp"
#include "winograd_graph.hpp"

using namespace nvdlac;

namespace {

template <class Hw>
void compare(const quantised::graph& g) {
  const compiled chip(hardware<Hw>(), g);
  auto m = cost::memory_of(Hw::spec);
  m.read_latency = 16;
  const auto least = cost::lower_bound_of(g, Hw::spec, m);
  const auto predicted = cost::cycles(chip.program().tasks, Hw::spec, m, cost::host{.access = 0});
  CHECK(least.cycles() <= predicted.totals.cycles);
}

}  // namespace

TEST_CASE("programs of random networks take no less than their lower bound") {
  for (unsigned seed = 1; seed <= drawn(150u); ++seed) {
    CAPTURE(seed);
    const auto g = random_graph::make(seed, {.layers = 8, .side = 24});
    compare<nv_small>(g);
    compare<nv_small_256>(g);
    compare<nv_large>(g);
    compare<nv_full>(g);
  }
}

TEST_CASE("nor do those in Winograd's mode") {
  using enum hw::precision;
  for (unsigned seed = 1; seed <= drawn(40u); ++seed) {
    CAPTURE(seed);
    for (const auto p : {int8, int16, fp16}) compare<nv_full>(winograd_graph::make(seed, p, {}));
  }
}
