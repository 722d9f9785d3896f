// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/choose/map_order.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/lower/map_order.hpp>
#include <nvdlac/net/box.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/plan/verify.hpp>
#include <nvdlac/quantised/graph.hpp>

#include "../net/random.hpp"
#include "../sim/run_program.hpp"

using namespace nvdlac;

namespace {

// A vector by itself or of parts, the map that a reshape makes of it, and a convolution.
struct decoder {
  quantised::graph g{};
  quantised::graph::id vector = 0, map = 0;

  decoder(randomness& random, std::int32_t inputs, net::shape target,
          std::vector<std::int32_t> parts, bool table = false)
      : random_(random) {
    const auto data = g.add("data", quantised::input{.shape = {inputs, 1, 1}});
    for (std::size_t i = 0; i < parts.size(); ++i)
      vector = g.add("fc" + std::to_string(i), filters(parts[i], inputs), {data});
    if (parts.size() > 1) {
      std::vector<quantised::graph::id> all;
      for (std::size_t i = 0; i < parts.size(); ++i) all.push_back(data + 1 + i);
      quantised::concat join;
      join.multiplier.assign(parts.size(), std::nullopt);
      vector = g.add("vector", join, all);
    }
    if (table) {
      quantised::lookup op;
      op.values = random.integers<std::int8_t>(256, -127, 127);
      vector = g.add("table", std::move(op), {vector});
    }
    map = g.add("map", quantised::move{.target = target, .boxes = {reshaping(target)}}, {vector});
    g[g.add("conv", filters(8, target.c), {map})].output = true;
    net::infer_shapes(g);
  }

 private:
  static net::box reshaping(net::shape target) {
    return {.loops = {{{target.c, {1, 0, 0}, {target.h * target.w, 0, 0}},
                       {target.h, {0, 1, 0}, {target.w, 0, 0}},
                       {target.w, {0, 0, 1}, {1, 0, 0}}}}};
  }
  quantised::convolution filters(std::int32_t kernels, std::int32_t channels) {
    const auto k = static_cast<std::size_t>(kernels);
    quantised::convolution op{.kernels = kernels, .window = {}};
    op.weights =
        random_.integers<std::int8_t>(k * static_cast<std::size_t>(channels), -127, 127);
    op.bias = random_.integers<std::int16_t>(k, -500, 500);
    op.multiplier = random_.integers<std::int16_t>(k, 2000, 4000);
    op.slope = random_.integers<std::int16_t>(k, 0, 4000);
    op.slope_shift = 12;
    op.shift = 22;
    return op;
  }

  randomness& random_;
};

template <class Hw>
std::size_t check_exact(const quantised::graph& g, const quantised::graph& reference) {
  auto lowered = lower::lower<Hw>(g, "decoder");
  const auto layers = lowered.layers.size();
  const auto program = plan::make_program<Hw>(std::move(lowered));
  CHECK(plan::verify(program).empty());
  randomness random(11);
  const std::vector<quantised::feed> feeds{random.int8(g.shape(0))};
  program_run<Hw> run(program, 1);
  CHECK(run.run(feeds)[0] == quantised::evaluate(reference, std::span(feeds))[0].values);
  return layers;
}

template <class Hw>
void check_in_place(net::shape target, std::vector<std::int32_t> parts, bool table = false) {
  CAPTURE(target.c);
  randomness random(5);
  const decoder d(random, 24, target, std::move(parts), table);
  const auto ordered = choose::in_map_order(Hw::spec, d.g);
  REQUIRE(ordered);
  CHECK(net::verify(*ordered).empty());
  const auto lanes = static_cast<std::int32_t>(Hw::spec.memory_atom);
  const auto& boxes = std::get<quantised::move>((*ordered)[d.map].op).boxes;
  CHECK(lower::keeps_map_order({boxes.data(), boxes.size()}, target, ordered->shape(d.vector),
                               lanes));
  CHECK((*ordered)[d.vector].name.ends_with("/rows"));
  CHECK(!choose::in_map_order(Hw::spec, *ordered));  // it is already
  const auto moved = check_exact<Hw>(d.g, d.g);
  const auto kept = check_exact<Hw>(*ordered, d.g);
  CHECK(kept < moved);
}

}  // namespace

TEST_CASE("vectors are made in the order of the map that they become, by one layer or several") {
  for (const net::shape target : {net::shape{16, 3, 5}, net::shape{8, 7, 7}, net::shape{20, 4, 4},
                                  net::shape{6, 2, 9}, net::shape{64, 1, 6}}) {
    const auto all = static_cast<std::int32_t>(target.size());
    check_in_place<nv_small>(target, {all});
    if (target.c >= 20) check_in_place<nv_large>(target, {all});
  }
  check_in_place<nv_small>({32, 4, 4}, {256, 256});
  check_in_place<nv_small>({32, 4, 4}, {128, 384});
  check_in_place<nv_large>({64, 4, 4}, {512, 512});
  check_in_place<nv_large>({64, 4, 4}, {1024}, true);
}

TEST_CASE("vectors keep their order where the map's cannot be had, or costs more") {
  randomness random(6);
  const auto changes = [&](net::shape target, std::vector<std::int32_t> parts,
                           const auto& alter, std::int32_t inputs = 24) {
    decoder d(random, inputs, target, std::move(parts));
    alter(d);
    return choose::in_map_order(nv_small::spec, d.g).has_value();
  };
  const auto nothing = [](const decoder&) {};
  CHECK(changes({16, 4, 4}, {256}, nothing));
  CHECK(changes({1, 16, 16}, {256}, nothing));
  CHECK(!changes({1, 16, 16}, {256}, nothing, 64));   // eight times as many kernels
  CHECK(!changes({16, 4, 4}, {100, 156}, nothing));   // parts that no surfaces are
  CHECK(!changes({16, 4, 4}, {256}, [](decoder& d) { d.g[d.vector].output = true; }));
  CHECK(!changes({16, 4, 4}, {256}, [](decoder& d) { d.g[d.map].output = true; }));
  CHECK(!changes({16, 4, 4}, {256}, [](decoder& d) {
    d.g[d.g.add("twice", quantised::reshape{{256, 1, 1}}, {d.vector})].output = true;
  }));
  CHECK(!changes({16, 4, 4}, {256}, [](decoder& d) {
    auto& weights = std::get<quantised::convolution>(d.g[d.vector].op).weights;
    weights = net::only_size{weights.size()};
  }));
}
