// SPDX-License-Identifier: Apache-2.0
// Random integer networks, compiled and run on the simulated device, against the integer
// reference: not a bit may differ.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/hw/configurations/nv_small_256.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/plan/plan.hpp>

#include "../random_graph.hpp"
#include "run_program.hpp"

using namespace nvdlac;

namespace {

// A convolution buffer so small that almost every convolution is cut into passes.
struct narrow_buffer {
  static constexpr hw::spec spec = [] {
    auto s = nv_small::spec;
    s.cbuf_banks = 4;
    return s;
  }();
};
struct narrow_buffer_256 {
  static constexpr hw::spec spec = [] {
    auto s = nv_small_256::spec;
    s.cbuf_banks = 3;
    return s;
  }();
};

struct reference {
  quantised::graph graph;
  std::vector<quantised::feed> feeds;
  std::map<std::string, std::vector<std::int8_t>> outputs;

  reference(std::uint64_t seed, random_limits limits)
      : graph(random_graph::make(seed, limits)), feeds(random_graph::feeds(graph, seed)) {
    const auto values = quantised::evaluate(graph, std::span<const quantised::feed>(feeds));
    const auto nodes = graph.outputs();
    for (std::size_t i = 0; i < nodes.size(); ++i)
      outputs[graph[nodes[i]].name] = values[i].values;
  }
};

template <class Hw>
std::map<std::string, std::vector<std::int8_t>> simulated(const plan::program<Hw>& p,
                                                          const reference& r, std::uint64_t seed) {
  program_run<Hw> device(p, seed);
  const auto values = device.run(r.feeds);
  CHECK(device.run(r.feeds) == values);  // and again, without a reset
  std::map<std::string, std::vector<std::int8_t>> outputs;
  for (std::size_t i = 0; i < values.size(); ++i) outputs[p.outputs[i].name] = values[i];
  return outputs;
}

template <class Hw>
void expect_equal(const reference& r, std::uint64_t seed) {
  INFO(type_name<Hw>() << ", seed " << seed);
  const auto p = plan::make_program<Hw>(lower::lower<Hw>(r.graph, "random"));
  const auto got = simulated(p, r, seed);
  REQUIRE(got.size() == r.outputs.size());
  for (const auto& [name, values] : r.outputs) {
    INFO("output " << name);
    CHECK((got.at(name) == values));
  }
}

}  // namespace

// On every configuration: tests/emit/random_networks.cpp.
TEST_CASE("random networks compute the same in a memory of noise") {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    const reference r(seed, {});
    expect_equal<nv_small>(r, seed);
    expect_equal<nv_full>(r, seed);
  }
}

TEST_CASE("networks whose convolutions are split compute the same") {
  for (std::uint64_t seed = 0; seed < 8; ++seed)
    expect_equal<nv_small>(reference(seed, {.layers = 4, .channels = 200, .side = 60}), seed);
}

TEST_CASE("a narrow convolution buffer computes the same or refuses") {
  int ran = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    const reference r(seed, {});
    const auto attempt = [&]<class Hw>() {
      try {
        expect_equal<Hw>(r, seed);
        ++ran;
      } catch (const error& e) {
        INFO(e.what());
        CHECK(std::string(e.what()).find("not fit the convolution buffer") != std::string::npos);
        ++refused;
      }
    };
    attempt.template operator()<narrow_buffer>();
    attempt.template operator()<narrow_buffer_256>();
  }
  CHECK(ran > 3 * refused);
}

TEST_CASE("sums beyond 32 bits saturate before the output converter") {
  quantised::graph g;
  const auto a = g.add("a", quantised::input{{8, 1, 4}});
  const auto b = g.add("b", quantised::input{{8, 1, 4}});
  const converter out{0, 31866, 39};  // of -2^31: -124.48; of the whole sum: -124.72
  const auto sum =
      g.add("sum", quantised::add{.multiplier = 32767, .operand_shift = 24, .out = out}, {a, b});
  const auto scaled = g.add("scaled",
                            quantised::scale{.multiplier = {32767},
                                                .addend = {-32768},
                                                .addend_shift = 16,
                                                .out = out},
                            {a});
  g[sum].output = g[scaled].output = true;
  net::infer_shapes(g);
  const quantised::feed lowest = net::int8_tensor{{8, 1, 4}, std::vector<std::int8_t>(32, -128)};
  const std::vector feeds{lowest, lowest};
  const auto want = quantised::evaluate(g, std::span<const quantised::feed>(feeds));
  const auto p = plan::make_program<nv_small>(lower::lower<nv_small>(g, "sums"));
  const auto got = program_run<nv_small>(p, 1).run(feeds);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(int{want[i].values[0]} == -124);
    CHECK((got[i] == want[i].values));
  }
}

TEST_CASE("wrong weights are seen") {
  const reference r(3, {});
  auto p = plan::make_program<nv_small>(lower::lower<nv_small>(r.graph, "random"));
  REQUIRE(simulated(p, r, 1) == r.outputs);
  int seen = 0, changed = 0;
  for (auto& b : p.buffers)
    if (b.memory == plan::memory::weights && b.name.view().ends_with("/weights")) {
      const auto right = b.content;
      for (auto& byte : b.content) byte ^= 0x20;
      ++changed;
      seen += simulated(p, r, 1) != r.outputs;
      b.content = right;
    }
  CHECK(changed > 0);
  CHECK(seen == changed);
}
