// SPDX-License-Identifier: Apache-2.0
// Random networks on four configurations: the independent checks find nothing.
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/hw/configurations/nv_small_256.hpp>
#include <nvdlac/plan/validate.hpp>
#include <nvdlac/plan/verify.hpp>

#include "../random_graph.hpp"
#include "example.hpp"

using namespace nvdlac;

namespace {

// The most bytes of feature buffers, each rounded up, that a program holds at one time.
std::uint64_t most_alive(const plan::program_data& p, bytes atom) {
  const auto alive = plan::checker::lifetimes(p, plan::checker::accesses(p, atom));
  std::uint64_t most = 0;
  for (std::size_t t = 0; t < plan::checker::all_operations(p).size(); ++t) {
    std::uint64_t sum = 0;
    for (std::size_t b = 0; b < alive.size(); ++b)
      if (p.buffers[b].memory == plan::memory::features && alive[b].first <= t &&
          t <= alive[b].last)
        sum += align_up(p.buffers[b].size, 32);
    most = std::max(most, sum);
  }
  return most;
}

template <class Hw>
void expect_sound(const quantised::graph& g, std::uint64_t seed) {
  const auto p = plan::make_program<Hw>(lower::lower<Hw>(g, "random"));
  std::string found;
  for (const auto& list : {plan::validate(p), plan::verify(p)})
    for (const auto& problem : list) found += to_string(problem) + "\n";
  INFO(type_name<Hw>() << ", seed " << seed << ":\n" << found);
  CHECK(found.empty());
  CHECK(p.features_bound == most_alive(p, Hw::spec.atom()));
  CHECK(p.features_size >= p.features_bound);
}

void expect_sound_everywhere(std::uint64_t seed, random_limits limits) {
  const auto g = random_graph::make(seed, limits);
  expect_sound<nv_small>(g, seed);
  expect_sound<nv_small_256>(g, seed);
  expect_sound<nv_large>(g, seed);
  expect_sound<nv_full>(g, seed);
}

}  // namespace

TEST_CASE("random networks become sound programs") {
  for (std::uint64_t seed = 0; seed < 150; ++seed) expect_sound_everywhere(seed, {});
}

TEST_CASE("random networks that must be split become sound programs") {
  for (std::uint64_t seed = 0; seed < 25; ++seed)
    expect_sound_everywhere(seed, {.layers = 4, .channels = 200, .side = 60});
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    expect_sound_everywhere(seed, {.layers = 4, .channels = 600, .side = 30});
}

TEST_CASE("deep random networks become sound programs") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) expect_sound_everywhere(seed, {.layers = 60});
}

TEST_CASE("a chain needs no more memory than its largest two neighbours") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::mt19937_64 random(seed);
    quantised::graph g;
    auto last = g.add("in", quantised::input{{8, 12, 12}});
    std::int32_t channels = 8;
    for (int i = 0; i < 12; ++i) {
      const auto kernels = static_cast<std::int32_t>(random() % 40 + 1);
      last =
          g.add("layer" + std::to_string(i), example::convolution(channels, kernels, {}), {last});
      channels = kernels;
    }
    g[last].output = true;
    net::infer_shapes(g);
    const auto p = plan::make_program<nv_small>(lower::lower<nv_small>(g, "chain"));
    CHECK(plan::validate(p).empty());
    CHECK(p.features_size == p.features_bound);
    CHECK(p.features_bound == most_alive(p, {8}));
  }
}

TEST_CASE("the same network becomes the same program") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto one =
        plan::make_program<nv_small>(lower::lower<nv_small>(random_graph::make(seed), "x"));
    const auto two =
        plan::make_program<nv_small>(lower::lower<nv_small>(random_graph::make(seed), "x"));
    REQUIRE(one.buffers.size() == two.buffers.size());
    for (std::size_t i = 0; i < one.buffers.size(); ++i) {
      CHECK(one.buffers[i].name == two.buffers[i].name);
      CHECK(one.buffers[i].offset == two.buffers[i].offset);
      CHECK(one.buffers[i].content == two.buffers[i].content);
    }
    const auto a = plan::checker::all_operations(one), b = plan::checker::all_operations(two);
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      CHECK(a[i]->layer.name == b[i]->layer.name);
      CHECK(a[i]->layer.what == b[i]->layer.what);
      CHECK(a[i]->dependency_count == b[i]->dependency_count);
    }
  }
}
