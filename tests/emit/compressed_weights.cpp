// SPDX-License-Identifier: Apache-2.0
// Weights without their zeros: bytes by the formula, the same results, and programs whose streams
// do not fit together.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <variant>

#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/plan/validate.hpp>
#include <nvdlac/plan/verify.hpp>
#include <nvdlac/runtime/loaded_program.hpp>

#include "disagreement.hpp"
#include "loadable_of.hpp"
#include "plan/example.hpp"
#include "planned.hpp"
#include "pruned.hpp"
#include "random_graph.hpp"
#include "wide_graph.hpp"

using namespace nvdlac;
using quantised::graph;

namespace {

constexpr auto& spec = nv_full::spec;
using program = plan::program<nv_full>;

// A fire module and a layer as those of VGG behind it, without zeros.
graph fire() {
  const auto filter = [](std::int32_t channels, std::int32_t kernels, net::square window = {}) {
    auto c = example::convolution(channels, kernels, window);
    for (std::size_t i = 0; i < c.weights.size(); ++i)
      if (c.weights[i] == 0) c.weights[i] = 1;
    c.shift = 22;
    return c;
  };
  graph g;
  const auto in = g.add("in", quantised::input{.shape = {64, 14, 14}});
  const auto squeeze = g.add("squeeze", filter(64, 32), {in});
  const auto one = g.add("one", filter(32, 128), {squeeze});
  const auto three = g.add("three", filter(32, 128, {.kernel = 3, .pad = 1}), {squeeze});
  const auto both = g.add("both", quantised::concat{.multiplier = {std::nullopt, std::nullopt}},
                          {one, three});
  g[g.add("vgg", filter(256, 160, {.kernel = 3, .pad = 1}), {both})].output = true;
  net::infer_shapes(g);
  return g;
}

program built(const graph& g, std::set<std::string> without = {}) {
  return {planned(hardware<nv_full>(), g, {.without = std::move(without)})};
}

template <class Visit>
void each_convolution(const program& p, Visit visit) {
  for (const auto& t : p.tasks)
    for (const auto& op : t.operations)
      if (const auto* c = std::get_if<layer::convolution>(&op.layer.what)) visit(*c);
}

// Bytes of a layer's weights: the elements that are not 0, a bit for each element, and a word for
// each kernel group, each rounded.
std::uint64_t bytes_by_formula(const quantised::convolution& c) {
  const std::uint64_t elements = c.weights.size();
  std::uint64_t there = 0;
  for (std::size_t i = 0; i < elements; ++i) there += c.weights[i] != 0;
  const auto groups = ceil_div(static_cast<std::uint64_t>(c.kernels), spec.kernel_group());
  return align_up(there, 128) + align_up(ceil_div(elements, 8), 128) + align_up(4 * groups, 128);
}

// Traces may differ: of compressed weights no kernels come ahead.
std::uint64_t cycles_of_loadable(const program& p) {
  auto memory = cost::memory_of(spec);
  memory.weights_ahead = cost::kernels_ahead::none;
  return cost::cycles(p, memory).totals.cycles;
}

// The error of a program's loadable on the simulator; empty if there is none.
std::string simulated(const program& p) {
  try {
    const auto& t = hardware<nv_full>();
    const auto file = emit::read_loadable(cli::loadable_of(t, p), {});
    const auto machine = t.simulate(runtime::load(file, t.spec()), {});
    machine->infer_any({net::int8_tensor{{64, 14, 14}}});
    return {};
  } catch (const std::exception& e) {
    return e.what();
  }
}

}  // namespace

TEST_CASE("of 66 % zeros the weights have the bytes of the formula") {
  const auto g = pruned(fire(), 66, 17);
  const auto plain = built(g, {"compress", "order"}), now = built(g, {"order"});
  std::uint64_t expected = 0, found = 0;
  for (graph::id n = 0; n < g.size(); ++n)
    if (const auto* c = g.get_if<quantised::convolution>(n)) expected += bytes_by_formula(*c);
  each_convolution(now, [&](const layer::convolution& c) {
    CHECK(c.is_compressed());
    found += c.weights.size + c.mask.size + align_up(c.group_sizes.size, 128);
    CHECK(layer::clients_of(layer::any{c}, spec.atom()).weights ==
          c.weights.size + c.mask.size + c.group_sizes.size);
  });
  CHECK(found == expected);
  each_convolution(plain, [](const layer::convolution& c) { CHECK_FALSE(c.is_compressed()); });
  const auto before = cost::cycles(plain).totals, after = cost::cycles(now).totals;
  CHECK(after.cycles < before.cycles);
  CHECK(now.weights_size < plain.weights_size * 55 / 100);
  const auto feeds = [](const auto& network, std::uint64_t seed) {
    return random_graph::feeds(network, seed);
  };
  CHECK(disagreement(hardware<nv_full>(), g, feeds) == "");
}

TEST_CASE("weights without zeros stay as they are") {
  const auto plain = built(fire(), {"compress"}), now = built(fire());
  each_convolution(now, [](const layer::convolution& c) { CHECK_FALSE(c.is_compressed()); });
  CHECK(now.weights_size == plain.weights_size);
}

TEST_CASE("random networks with zeros agree with the reference, and become no slower") {
  using enum hw::precision;
  int compressed = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const auto p = std::array{int8, int8, int16, fp16}[seed % 4];
    const random_limits limits{.layers = 6, .channels = seed % 5 == 0 ? 200 : 90};
    const auto dense = p == int8 ? random_graph::make(seed, limits)
                                 : wide_graph::make(seed, p, limits);
    if (wide_graph::is_too_large<nv_full>(dense)) continue;
    const auto g = pruned(dense, 30 + static_cast<unsigned>(seed % 3) * 33, seed);
    const auto plain = built(g, {"compress"}), now = built(g);
    each_convolution(now, [&](const layer::convolution& c) { compressed += c.is_compressed(); });
    CHECK(cycles_of_loadable(now) <= cycles_of_loadable(plain));
    CHECK(now.weights_size <= plain.weights_size);
    const auto feeds = [](const auto& network, std::uint64_t input) {
      return wide_graph::feeds(network, input);
    };
    CHECK(disagreement(hardware<nv_full>(), g, feeds) == "");
  }
  CHECK(compressed > 100);
}

TEST_CASE("checker and simulator find each mutation of compressed weights") {
  const auto good = built(pruned(fire(), 66, 17), {"order"});
  REQUIRE(plan::verify(good).empty());
  REQUIRE(plan::validate(good).empty());
  REQUIRE(simulated(good).empty());
  struct mutation {
    const char *checked, *refused;
    std::function<void(layer::convolution&, std::uint8_t* content)> harm;
  };
  for (const auto& m : std::initializer_list<mutation>{
           {"the mask of", "CDMA.D_WMB_BYTES", [](auto& c, auto*) { c.mask.size -= 128; }},
           {"the sizes of", "", [](auto& c, auto*) { c.group_sizes.size -= 4; }},
           {"but its mask has", "kernel group 1",
            [](auto& c, auto* content) { ++content[c.group_sizes.at.offset + 4]; }},
           {"but its mask has", "kernel group 0",
            [](auto& c, auto* content) { content[c.mask.at.offset] ^= 1; }},
           {"the weights have", "CDMA.D_WEIGHT_BYTES",
            [](auto& c, auto*) { c.weights.size += 128; }},
           {"the weights have", "CDMA.D_WEIGHT_BYTES",
            [](auto& c, auto*) { c.weights.size -= 128; }},
           {"the mask's start", "", [](auto& c, auto*) { c.mask.at.offset += 16; }},
           {"the start of the groups' sizes", "",
            [](auto& c, auto*) { c.group_sizes.at.offset += 16; }},
           {"does not fit 0 banks", "", [](auto& c, auto*) { c.weight_banks = 0; }},
           {"the CBUF has 15 banks", "masks", [](auto& c, auto*) {
              c.weight_banks = static_cast<std::uint8_t>(16 - c.data_banks);
            }}}) {
    CAPTURE(m.checked);
    auto broken = good;
    auto& c = example::layer<layer::convolution>(broken, "vgg");
    m.harm(c, example::buffer(broken, c.weights).content.data());
    CHECK(example::reported(plan::verify(broken), m.checked));
    const auto said = simulated(broken);
    CAPTURE(said);
    CHECK(said.find(m.refused) != std::string::npos);
    if (*m.refused == '\0' && c.weight_banks != 0) continue;  // what the loadable's reader allows
    CHECK(!said.empty());
  }
}
