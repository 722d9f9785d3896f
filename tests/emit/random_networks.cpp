// SPDX-License-Identifier: Apache-2.0
// Random networks: the loadable on the simulator, its trace and the exact integer reference agree
// in every byte.
#include <exception>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/emit/cpp.hpp>
#include <nvdlac/net/integer/evaluate.hpp>

#include "compiled.hpp"
#include "random_graph.hpp"
#include "shrink.hpp"

using namespace nvdlac;

namespace {

// What is wrong with the network's program; empty if nothing is.
std::string disagreement(const cli::target& hardware, std::uint64_t seed,
                         const net::integer::graph& g) {
  try {
    compiled network(hardware, g);
    std::vector<net::integer::feed> feeds;
    for (std::uint64_t input = 0; input < 3; ++input) {
      feeds = random_graph::feeds(g, 10 * seed + input);
      if (network.infer(feeds) != net::integer::evaluate(g, feeds))
        return "the loadable differs from the reference";
    }
    return network.trace_differences(feeds) == 0 ? "" : "the trace differs from the loadable";
  } catch (const std::exception& e) {
    return e.what();
  }
}

// Of a network that fails, the smallest piece that still does is printed.
template <class Hw>
void expect_agreement(std::uint64_t seed, const net::integer::graph& g) {
  const auto& target = hardware<Hw>();
  if (const auto why = disagreement(target, seed, g); !why.empty()) {
    const auto least = shrinking::shrink(
        g, [&](const auto& smaller) { return disagreement(target, seed, smaller) == why; });
    FAIL_CHECK(type_name<Hw>() << ", seed " << seed << ": " << why << '\n'
                               << emit::write_cpp(least, {.constants = true}));
  }
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
  for (std::uint64_t seed = 0; seed < 80; ++seed) everywhere(seed, {});
}

TEST_CASE("loadable, trace and reference agree where tables are looked up") {
  for (std::uint64_t seed = 1000; seed < 1020; ++seed) {
    const auto g = random_graph::make(seed, {.lookups = true});
    expect_agreement<nv_small_256_full>(seed, g);
    expect_agreement<nv_medium_1024_full>(seed, g);
    expect_agreement<nv_large>(seed, g);
    expect_agreement<nv_full>(seed, g);
  }
}

TEST_CASE("loadable, trace and reference agree where layers must be split") {
  for (std::uint64_t seed = 0; seed < 8; ++seed)
    everywhere(seed, {.layers = 4, .channels = 200, .side = 60});
}
