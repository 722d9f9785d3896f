// SPDX-License-Identifier: Apache-2.0
// Choices that a schedule tells lowering: passes of convolutions, and poolings that stay apart.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/cost/memory.hpp>
#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/layer/host.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/schedule/choices_json.hpp>
#include <nvdlac/schedule/draft.hpp>
#include <nvdlac/schedule/search.hpp>

#include "../random_graph.hpp"
#include "../scheduled.hpp"
#include "planned.hpp"

using namespace nvdlac;

namespace {

// A convolution of 24 x 24 pixels with a pooling behind it, and one of 1x1 behind that.
quantised::graph three_layers() {
  constexpr net::square three{.kernel = 3, .pad = 1}, halves{.kernel = 2, .stride = 2};
  quantised::graph g;
  const auto in = g.add("in", quantised::input{{32, 24, 24}});
  const auto wide = g.add("wide", kernels_of(64, 32, three), {in});
  const auto pool = g.add("pool", quantised::pool{.window = halves}, {wide});
  const auto flat = g.add("flat", kernels_of(40, 64), {pool});
  g[flat].output = true;
  net::infer_shapes(g);
  return g;
}

template <class Hw>
plan::lowered given(const quantised::graph& g, const plan::lowering_choices& c) {
  return lower::lower<Hw>(g, "network", {}, {}, true, c, "s.json");
}
template <class Hw = nv_small>
plan::lowered given(const plan::passes& p) {
  return given<Hw>(three_layers(), {.passes = {p}});
}
std::vector<const layer::convolution*> convolutions_of(const plan::lowered& l,
                                                       std::string_view name) {
  std::vector<const layer::convolution*> all;
  for (const auto& one : l.layers)
    if (const auto* c = std::get_if<layer::convolution>(&one.what);
        c != nullptr && one.name.view().starts_with(name))
      all.push_back(c);
  return all;
}

template <class Hw = nv_small>
std::string refusal(const plan::passes& p) {
  return complaint([&] { (void)given<Hw>(p); });
}
bool says(const std::string& text, std::string_view part) {
  INFO(text);
  return text.find(part) != text.npos;
}

// Random layers and a random schedule of them.
template <class Hw>
schedule::saved random_layers(const quantised::graph& g, std::uint64_t seed) {
  const auto l = lower::lower<Hw>(g, "network");
  const schedule::draft d(Hw::spec, l, cost::memory_of(Hw::spec), [&](const auto& c) {
    return lower::lower<Hw>(g, "network", lower::contents::none(), {}, true, c);
  });
  return random_schedule<Hw>(d, seed, true);
}

// How many layers were told something.
template <class Hw>
std::size_t expect_exact(std::uint64_t seed, random_limits limits) {
  const auto g = random_graph::make(seed, limits);
  const auto s = random_layers<Hw>(g, seed);
  expect_exact_with<Hw>(g, s, seed);
  return s.choices.lowering.passes.size() + s.choices.lowering.unfused.size();
}

}  // namespace

TEST_CASE("a convolution has the passes that it is told") {
  const auto all = given({.layer = "wide", .kernels = 16});
  REQUIRE(convolutions_of(all, "wide").size() == 4);
  for (const auto* c : convolutions_of(all, "wide")) CHECK(c->output.c == 16);
  CHECK(all.layers[3].name == "wide/k16");

  const auto columns = given({.layer = "flat", .columns = 4, .image = false});
  REQUIRE(convolutions_of(columns, "flat").size() == 3);
  for (const auto* c : convolutions_of(columns, "flat")) CHECK(c->output.w == 4);

  const auto lines = given({.layer = "wide", .rows = 5});
  REQUIRE(convolutions_of(lines, "wide").size() == 3);
  CHECK(convolutions_of(lines, "wide")[0]->output.h == 10);  // two for each of the pooling's
  CHECK(convolutions_of(lines, "wide")[2]->output.h == 4);

  const auto banks = given({.layer = "wide", .data_banks = 20, .weight_banks = 5});
  REQUIRE(convolutions_of(banks, "wide").size() == 1);
  CHECK(convolutions_of(banks, "wide")[0]->data_banks == 20);
  CHECK(convolutions_of(banks, "wide")[0]->weight_banks == 5);

  // Passes that lowering makes of itself are told again.
  const auto now = lower::lower<nv_small>(three_layers(), "network");
  REQUIRE(now.convolutions.size() == 2);
  const auto &wide = now.convolutions[0].now, &flat = now.convolutions[1].now;
  const auto again = given<nv_small>(three_layers(), {.passes = {wide, flat}});
  REQUIRE(again.layers.size() == now.layers.size());
  for (std::size_t i = 0; i < now.layers.size(); ++i)
    CHECK(again.layers[i].name == now.layers[i].name);
}

TEST_CASE("a kernel of one line that steps over lines reads those or all, as it is told") {
  quantised::graph g;
  const auto conv = g.add("conv", kernels_of(40, 32, {.stride = 2}),
                          {g.add("in", quantised::input{{32, 12, 12}})});
  g[conv].output = true;
  net::infer_shapes(g);
  for (const bool all : {false, true}) {
    const auto lowered = given<nv_large>(g, {.all_lines = all});
    REQUIRE(convolutions_of(lowered, "conv").size() == 1);
    const auto& c = *convolutions_of(lowered, "conv")[0];
    CHECK(c.window.stride_h == (all ? 2 : 1));
    CHECK(c.input.shape.h == (all ? 11 : 6));  // the last one of 12 is not needed
    const schedule::saved s{.network = "network", .configuration = "nv_large",
                            .choices = {.lowering = {.all_lines = all}, .kept = true}};
    expect_exact_with<nv_large>(g, s, 1);
  }
}

TEST_CASE("a feature cube is read as an image, or not, as it is told") {
  quantised::graph g;
  const auto in = g.add("in", quantised::input{{8, 24, 24}});
  g[g.add("conv", kernels_of(8, 8, {.kernel = 3, .pad = 1}), {in})].output = true;
  net::infer_shapes(g);
  const auto format = [&](const plan::passes& p) {
    return convolutions_of(given<nv_small>(g, {.passes = {p}}), "conv")[0]->format;
  };
  using layer::pixel_format;
  CHECK(format({.layer = "conv", .data_banks = 16}) == pixel_format::a8b8g8r8);
  CHECK(format({.layer = "conv", .image = false}) == pixel_format::feature);
  CHECK(format({.layer = "conv", .columns = 12}) == pixel_format::a8b8g8r8);
  for (const std::int32_t columns : {6, 12})
    for (const bool image : {false, true}) {
      const plan::passes p{.layer = "conv", .columns = columns, .image = image};
      expect_exact_with<nv_small>(g, {.network = "network", .configuration = "nv_small",
                                      .choices = {.lowering = {.passes = {p}}}},
                                  1);
    }
}

TEST_CASE("passes that are not possible are refused with layer, reason and remedy") {
  for (const auto& [p, reason] : std::vector<std::pair<plan::passes, std::string_view>>{
           {{.layer = "wide", .kernels = 12}, "whole kernel groups that fill whole atoms: of 8"},
           {{.layer = "wide", .rows = -1}, "a number below 0"},
           {{.layer = "wide", .data_banks = 2}, "has data of a pass in "},
           {{.layer = "wide", .data_banks = 40}, "more banks than the CBUF has, which are 32"},
           {{.layer = "wide", .data_banks = 20, .weight_banks = 20}, "more banks than the CBUF"},
           {{.layer = "flat", .data_banks = 31, .weight_banks = 2}, "more banks than the CBUF"},
           {{.layer = "flat", .rows = 11, .columns = 11, .image = false},
            "a single pixel to a pass"},
           {{.layer = "wide", .image = true}, "cannot be read as an image"},
           {{.layer = "pool", .kernels = 16}, "is no convolution of the network"},
           {{.layer = "narrow", .kernels = 16}, "is no convolution of the network"},
       }) {
    CAPTURE(reason);
    const auto said = refusal(p);
    CHECK(says(said, "s.json: layer '" + std::string(p.layer) + "': "));
    CHECK(says(said, reason));
    CHECK(said.ends_with(")"));  // the remedy
  }
  CHECK(says(refusal<nv_large>({.layer = "flat", .image = true}), "cannot be read as an image"));
  // All together.
  const auto said = complaint([] {
    (void)given<nv_small>(three_layers(),
                          {.passes = {{.layer = "wide", .kernels = 4},
                                      {.layer = "flat", .kernels = 4},
                                      {.layer = "flat", .rows = 2}, {.layer = "none"}},
                           .unfused = {"flat"}});
  });
  for (const auto* layer : {"'wide': has", "'flat': has", "'flat': is listed twice",
                            "'none': is no", "'flat': is neither a pooling"})
    CHECK(says(said, layer));
  const auto pictures = complaint([] {
    auto g = three_layers();
    (void)lower::lower<nv_small>(g, "network", {}, {.pictures = 2}, true,
                                 {.passes = {{.layer = "wide", .kernels = 4}}});
  });
  CHECK(std::ranges::count(pictures, '\n') == 0);  // once
}

TEST_CASE("a pooling stays apart that a schedule names") {
  const auto g = three_layers();
  const auto fused = lower::lower<nv_small>(g, "network");
  REQUIRE(fused.fused.size() == 1);
  CHECK(fused.fused[0] == "pool");
  const auto apart = given<nv_small>(g, {.unfused = {"pool"}});
  CHECK(apart.fused.empty());
  REQUIRE(apart.remarks.size() == 1);
  CHECK(apart.remarks[0].text == "reads the result of 'wide' from memory: the schedule says so");
  CHECK(std::ranges::any_of(apart.buffers, [](const auto& b) { return b.name == "wide"; }));
  expect_exact_with<nv_small>(g, {.network = "network", .configuration = "nv_small",
                                  .choices = {.lowering = {.unfused = {"pool"}}}},
                              1);
}

TEST_CASE("random networks with random layers and schedules are exact") {
  std::size_t all = 0;
  for (std::uint64_t seed = 300; seed < 380; ++seed) {
    all += expect_exact<nv_small>(seed, {});
    all += expect_exact<nv_large>(seed, {});
  }
  for (std::uint64_t seed = 380; seed < 390; ++seed) {
    all += expect_exact<nv_small>(seed, {.layers = 6, .channels = 64, .side = 40});
    all += expect_exact<nv_full>(seed, {.layers = 6, .channels = 64, .side = 40});
  }
  CHECK(all > 100);
}

TEST_CASE("a search that changes layers gives what is saved, built again") {
  const auto g = three_layers();
  schedule::saved found;
  schedule::price now, before;
  compile_options options{.optimize = 400, .threads = 2};
  options.scheduled = [&](const auto& s, const auto& n, const auto& b) {
    found = s;
    now = n;
    before = b;
  };
  const auto p = emit::loadable(built<nv_small>(g, options));
  CHECK(now.cycles <= before.cycles);
  const auto again = schedule::read_choices(schedule::write_choices(found));
  CHECK(again.choices == found.choices);
  CHECK(emit::loadable(built<nv_small>(g, {.schedule = again})) == p);
  options.threads = 1;
  CHECK(emit::loadable(built<nv_small>(g, options)) == p);
  expect_exact_with<nv_small>(g, found, 1);
}

TEST_CASE("no weights come ahead in a program for a memory of which that is told") {
  quantised::graph g;
  auto last = g.add("in", quantised::input{{128, 8, 8}});
  for (const auto* name : {"a", "b", "c", "d"})
    last = g.add(name, kernels_of(128, 128, {.kernel = 3, .pad = 1}), {last});
  g[last].output = true;
  net::infer_shapes(g);
  auto memory = cost::memory_of(nv_large::spec);
  memory.read_latency = 64;
  const auto ahead = [&] {
    return plan::differs_in_registers(built<nv_large>(g, {.memory = memory}));
  };
  CHECK(ahead());
  memory.weights_ahead = cost::kernels_ahead::none;
  CHECK_FALSE(ahead());
}
