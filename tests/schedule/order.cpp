// SPDX-License-Identifier: Apache-2.0
// The order of hardware layers: engines beside each other, and data that stay in the CBUF.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/plan/validate.hpp>
#include <nvdlac/plan/verify.hpp>
#include <nvdlac/schedule/draft.hpp>
#include <nvdlac/schedule/standard.hpp>

#include "../random_graph.hpp"

using namespace nvdlac;
using net::square;
using quantised::graph;

namespace {

quantised::convolution filter(std::int32_t kernels, std::int32_t channels, square window = {}) {
  const auto k = static_cast<std::size_t>(kernels);
  quantised::convolution c{.kernels = kernels, .window = window};
  c.weights.assign(k * static_cast<std::size_t>(channels * window.kernel * window.kernel), 1);
  c.bias.assign(k, 0);
  c.multiplier.assign(k, 1);
  return c;
}

// Branches of convolutions by one, and one with a pooling before it, of one tensor.
graph inception(net::shape in) {
  graph g;
  const auto data = g.add("data", quantised::input{.shape = in});
  const auto narrow = g.add("narrow", filter(16, in.c), {data});
  const auto wide = g.add("wide", filter(32, in.c), {data});
  const auto deep = g.add("deep", filter(32, 32, {.kernel = 3, .pad = 1}), {wide});
  const auto pool = g.add("pool", quantised::pool{.window = square{.kernel = 3, .pad = 1}}, {data});
  const auto behind = g.add("behind", filter(16, in.c), {pool});
  const auto all = quantised::concat{.multiplier = {std::nullopt, std::nullopt, std::nullopt}};
  g[g.add("all", all, {narrow, deep, behind})].output = true;
  net::infer_shapes(g);
  return g;
}

template <class Hw>
plan::program<Hw> planned(const graph& g, bool ordered) {
  auto layers = lower::lower<Hw>(g, "network");
  if (ordered) schedule::order::run(Hw::spec, layers);
  return plan::make_program<Hw>(std::move(layers));
}

template <class Hw>
std::string problems(const plan::program<Hw>& p) {
  std::string found;
  for (const auto& list : {plan::validate(p), plan::verify(p)})
    for (const auto& problem : list) found += to_string(problem) + "\n";
  return found;
}

const plan::operation& called(const plan::program_data& p, std::string_view name) {
  const auto& ops = p.tasks.at(0).operations;
  const auto found = std::ranges::find_if(
      ops, [&](const plan::operation& op) { return std::string_view(op.layer.name) == name; });
  REQUIRE(found != ops.end());
  return *found;
}

std::uint64_t memory_of(const plan::program_data& p) {
  auto all = p.features_size;
  for (const auto& b : p.buffers)
    if (b.memory != plan::memory::features) all += b.size;
  return all;
}

template <class Hw>
void expect_better(const graph& g) {
  const auto before = planned<Hw>(g, false), now = planned<Hw>(g, true);
  CHECK(problems(now) == "");
  const auto old = cost::cycles<Hw>(before).totals, quick = cost::cycles<Hw>(now).totals;
  CHECK(quick.cycles <= old.cycles + old.cycles / 200);
  if (quick.cycles >= old.cycles)
    CHECK(quick.read + quick.written <= old.read + old.written);
  CHECK(memory_of(now) <= memory_of(before) + memory_of(before) / 4);
}

}  // namespace

TEST_CASE("a pooling runs beside the convolutions that do not need it") {
  const auto g = inception({64, 14, 14});
  const auto before = planned<nv_small>(g, false), now = planned<nv_small>(g, true);
  CHECK(problems(now) == "");
  const auto start = [](const plan::program<nv_small>& p) {
    const auto layers = cost::cycles<nv_small>(p).layers;
    const auto& ops = p.tasks.at(0).operations;
    return layers.at(static_cast<std::size_t>(&called(p, "pool") - ops.data())).start;
  };
  CHECK(start(before) > 10'000);
  CHECK(start(now) == 0);
  CHECK(called(now, "pool").dependency_count == 0);
  CHECK(cost::cycles<nv_small>(now).totals.cycles < cost::cycles<nv_small>(before).totals.cycles);
}

TEST_CASE("convolutions that read the same keep it in the CBUF") {
  const auto now = planned<nv_small>(inception({64, 14, 14}), true);
  const auto of = [&](std::string_view name) {
    return std::get<layer::convolution>(called(now, name).layer.what);
  };
  const auto narrow = of("narrow/y0"), wide = of("wide/y0"), deep = of("deep/y0");
  CHECK(narrow.skip_data_release);
  CHECK_FALSE(narrow.data_reuse);
  CHECK(wide.data_reuse);
  CHECK_FALSE(wide.skip_data_release);
  CHECK_FALSE(deep.data_reuse);
  CHECK(narrow.data_banks == wide.data_banks);
  CHECK(narrow.weight_banks == wide.weight_banks);
  CHECK(layer::clients_of(layer::any{wide}, nv_small::spec.atom()).data == 0);
}

TEST_CASE("convolutions in parts keep each part for all that read it") {
  const auto now = planned<nv_small>(inception({192, 28, 28}), true);
  CHECK(problems(now) == "");
  std::string before;  // the part that was computed last
  int shared = 0;
  for (const auto& op : now.tasks.at(0).operations) {
    const auto* c = std::get_if<layer::convolution>(&op.layer.what);
    if (c == nullptr || c->input.shape.c != 192) continue;
    const std::string name(std::string_view(op.layer.name));
    const bool wide = name.starts_with("wide");
    CHECK(c->data_reuse == wide);
    if (wide) CHECK(before == "narrow" + name.substr(4));
    shared += wide;
    before = name;
  }
  CHECK(shared >= 4);
}

TEST_CASE("passes of the same kernels keep their weights in the CBUF") {
  const auto now = planned<nv_small>(inception({192, 28, 28}), true);
  std::vector<layer::convolution> passes;
  for (const auto& op : now.tasks.at(0).operations)
    if (const auto* c = std::get_if<layer::convolution>(&op.layer.what);
        c != nullptr && std::string_view(op.layer.name).starts_with("behind"))
      passes.push_back(*c);
  REQUIRE(passes.size() >= 4);
  for (std::size_t i = 0; i < passes.size(); ++i) {
    CHECK(passes[i].weight_reuse == (i > 0));
    CHECK(passes[i].skip_weight_release == (i + 1 < passes.size()));
    CHECK_FALSE(passes[i].data_reuse);
    CHECK(passes[i].data_banks == passes[0].data_banks);
  }
}

namespace {

// A convolution by channels, and one of all of them, both in image mode in passes of columns.
graph by_columns() {
  graph g;
  const auto data = g.add("data", quantised::input{.shape = {32, 16, 16}});
  auto deep = filter(32, 1, {.kernel = 3, .pad = 1});
  deep.groups = 32;
  const auto by_channel = g.add("deep", deep, {data});
  g[g.add("wide", filter(64, 32), {by_channel})].output = true;
  net::infer_shapes(g);
  return g;
}

}  // namespace

TEST_CASE("a pass of some columns runs when these are there") {
  const auto now = planned<nv_small>(by_columns(), true);
  CHECK(problems(now) == "");
  const auto times = cost::cycles<nv_small>(now).layers;
  const auto& ops = now.tasks[0].operations;
  const auto of = [&](std::string_view name) {
    return times.at(static_cast<std::size_t>(&called(now, name) - ops.data()));
  };
  CHECK(of("wide/x0").start < of("deep/g24/x8").computed);
  CHECK(of("wide/x0").loaded < of("deep/g24/x8").done);
}

TEST_CASE("in the order of need passes whose results are needed first come first") {
  auto l = lower::lower<nv_small>(by_columns(), "network");
  const schedule::draft d(nv_small::spec, l);
  const auto by_need = d.named(d.numbers().by_need(d.numbers().plain()));
  CHECK(by_need.order ==
        std::vector<std::string>{"deep/g0/x0", "deep/g8/x0", "deep/g16/x0", "deep/g24/x0",
                                 "deep/g0/x8", "deep/g8/x8", "deep/g16/x8", "deep/g24/x8",
                                 "wide/x0", "wide/x8"});
  schedule::order::apply(d, by_need, l);
  CHECK(problems(plan::make_program<nv_small>(std::move(l))) == "");
}

TEST_CASE("weights that the CBUF does not hold come again for each tile, where a policy wants it") {
  graph g;
  auto last = g.add("data", quantised::input{.shape = {128, 28, 28}});
  for (const auto* name : {"first", "second", "third"})
    last = g.add(name, filter(128, 128, {.kernel = 3, .pad = 1}), {last});
  g[last].output = true;
  net::infer_shapes(g);
  auto l = lower::lower<nv_small>(g, "network");
  const schedule::draft d(nv_small::spec, l);
  const auto& numbers = d.numbers();
  CHECK(numbers.tiled(numbers.plain(), {.streams = true}) == numbers.plain());
  auto tiles = numbers.tiled(numbers.plain(), {.streams = true, .heavy = true});
  for (const auto& cuts : tiles.cuts) CHECK(cuts.size() == 1);
  tiles.kept = true;
  const auto before = d.price(schedule::standard{}(d)), now = d.price(d.named(tiles));
  CHECK(now.cycles + 30'000 < before.cycles);
  CHECK(now.moved > before.moved + 3 * 128 * 128 * 9);
  schedule::order::apply(d, d.named(tiles), l);
  CHECK(problems(plan::make_program<nv_small>(std::move(l))) == "");
}

TEST_CASE("random networks become no slower, and little larger") {
  for (std::uint64_t seed = 500; seed < 600; ++seed) {
    INFO("seed " << seed);
    const auto g = random_graph::make(seed);
    expect_better<nv_small>(g);
    expect_better<nv_large>(g);
    expect_better<nv_full>(g);
  }
  for (std::uint64_t seed = 600; seed < 610; ++seed) {
    INFO("seed " << seed);
    expect_better<nv_small>(random_graph::make(seed, {.layers = 5, .channels = 200, .side = 60}));
  }
}
