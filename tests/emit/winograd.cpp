// SPDX-License-Identifier: Apache-2.0
// Random networks of convolutions in Winograd's mode: the loadable on the simulator and the exact
// reference agree in every bit.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/compile.hpp>
#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/runtime/session.hpp>
#include <nvdlac/runtime/written_cube.hpp>

#include "forced.hpp"
#include "winograd_graph.hpp"

using namespace nvdlac;

namespace {

// nv_full with half the buffer, and with MAC cells of half the channels.
struct half_buffer {
  static constexpr hw::spec spec = [] {
    auto s = nv_full::spec;
    s.cbuf_banks = 8;
    return s;
  }();
};
struct narrow_cells {
  static constexpr hw::spec spec = [] {
    auto s = nv_full::spec;
    s.mac_atomic_c = 32;
    s.cbuf_entry = 64;
    s.weight_compression = s.rubik = false;
    return s;
  }();
};

template <class Hw>
void expect_agreement_of(const quantised::graph& g, std::uint64_t seed,
                         const compile_options& options = {}) {
  const auto program = build<Hw>(g, options);
  runtime::session<Hw> session(emit::loadable(program));
  for (std::uint64_t input = 0; input < 2; ++input) {
    const auto feeds = winograd_graph::feeds(g, 10 * seed + input);
    CHECK((session.infer_any(feeds) ==
           quantised::evaluate_any(g, std::span<const quantised::feed>(feeds),
                                   quantised::order_of(Hw::spec))));
  }
}
template <class Hw>
void expect_agreement(std::uint64_t seed, hw::precision p, winograd_graph::limits limits = {}) {
  INFO(std::string(hw::name_of(p)) << ", seed " << seed);
  const auto g = winograd_graph::make(seed, p, limits);
  if (winograd_graph::runs_on<Hw>(g)) expect_agreement_of<Hw>(g, seed);
}

// Two convolutions of 3x3 that the MACs limit, and an input.
struct trained_network {
  net::graph graph{};
  sample picture{net::float_tensor{{64, 56, 56}}};

  trained_network() {
    std::mt19937 random(5);
    const auto noise = [&](std::size_t n, float size) {
      std::vector<float> v(n);
      for (auto& x : v) x = size * (static_cast<float>(random() % 2001) / 1000 - 1);
      return v;
    };
    picture[0].values = noise(picture[0].values.size(), 1);
    const auto filters = [&] {
      return net::convolution{.kernels = 64,
                              .window = net::square{.kernel = 3, .pad = 1},
                              .weights = noise(64 * 64 * 9, 0.07F),
                              .bias = noise(64, 0.1F),
                              .relu = true};
    };
    const auto in = graph.add("in", net::input{{64, 56, 56}}, {});
    const auto first = graph.add("first", filters(), {in});
    graph[graph.add("second", filters(), {first})].output = true;
    net::infer_shapes(graph);
  }
  template <class Hw>
  auto integers(hw::precision p, winograd_use use) const {
    const std::vector<sample> samples{picture};
    return prepare_for<Hw>(graph, std::span<const sample>(samples),
                           {.precision = p, .winograd = use})
        .integers;
  }
};

std::size_t count_of_winograd(const quantised::graph& g) {
  std::size_t n = 0;
  for (quantised::graph::id i = 0; i < g.size(); ++i)
    if (const auto* c = g.get_if<quantised::convolution>(i)) n += c->winograd;
  return n;
}

}  // namespace

TEST_CASE("a compilation chooses Winograd's mode where it may and it is faster") {
  using enum hw::precision;
  const trained_network n;
  CHECK(count_of_winograd(n.integers<nv_full>(int16, winograd_use::off)) == 0);
  CHECK(count_of_winograd(n.integers<nv_full>(int8, winograd_use::wide)) == 0);
  CHECK(count_of_winograd(n.integers<nv_full>(int8, winograd_use::all)) == 2);
  CHECK(count_of_winograd(n.integers<nv_full>(fp16, winograd_use::wide)) == 2);
  CHECK(count_of_winograd(n.integers<nv_large>(int8, winograd_use::all)) == 0);
  const auto direct = n.integers<nv_full>(int16, winograd_use::off);
  const auto integers = n.integers<nv_full>(int16, winograd_use::wide);
  CHECK(count_of_winograd(integers) == 2);
  const auto program = build<nv_full>(integers);
  CHECK(cost::cycles<nv_full>(program).totals.cycles <
        cost::cycles<nv_full>(build<nv_full>(direct)).totals.cycles);
  runtime::session<nv_full> session(emit::loadable(program));
  const std::vector<quantised::feed> feeds{quantised::feed_of(
      quantised::numbers_of(n.picture[0], program.inputs[0].scale, int16))};
  CHECK((session.infer_any(feeds) ==
         quantised::evaluate_any(integers, std::span<const quantised::feed>(feeds))));
}

TEST_CASE("loadable and reference agree in Winograd's mode") {
  for (const auto p : {hw::precision::int8, hw::precision::int16, hw::precision::fp16})
    for (std::uint64_t seed = 0; seed < 20; ++seed) expect_agreement<nv_full>(seed, p);
}

TEST_CASE("loadable and reference agree in Winograd's mode on configurations of one's own") {
  for (const auto p : {hw::precision::int8, hw::precision::int16, hw::precision::fp16})
    for (std::uint64_t seed = 100; seed < 110; ++seed) {
      expect_agreement<half_buffer>(seed, p);
      expect_agreement<narrow_cells>(seed, p);
    }
}

TEST_CASE("loadable and reference agree in Winograd's mode where layers are cut") {
  for (const auto p : {hw::precision::int8, hw::precision::int16})
    for (std::uint64_t seed = 200; seed < 203; ++seed)
      expect_agreement<half_buffer>(seed, p, {.layers = 2, .channels = 200, .side = 50});
  expect_agreement<half_buffer>(203, hw::precision::fp16,
                                {.layers = 2, .channels = 130, .side = 40});
}

TEST_CASE("with zeros left out, CVSRAM and random schedules on a configuration of one's own") {
  forced<half_buffer>::uses all;
  for (std::uint64_t seed = 1100; seed < 1120; ++seed)
    for (const auto p : {hw::precision::int8, hw::precision::int16, hw::precision::fp16}) {
      INFO(std::string(hw::name_of(p)) << ", seed " << seed);
      const forced<half_buffer> f(seed, p, all);
      if (f.is_possible)
        expect_agreement_of<half_buffer>(f.network, seed,
                                         {.schedule = f.schedule, .cvsram = f.beside});
    }
  CHECK(all.winograd > 60);
  CHECK(all.compressed > 60);
  CHECK(all.in_cvsram > 60);
}
