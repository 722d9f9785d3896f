// SPDX-License-Identifier: Apache-2.0
// The secondary memory: what the compiler places there, what a user may, and random networks with
// random placements, whose loadables and traces are exact.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/compile_options.hpp>
#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/hw/configurations/nv_medium_1024_full.hpp>
#include <nvdlac/hw/configurations/nv_small_256_full.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/plan/placement.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/schedule/choices_json.hpp>
#include <nvdlac/schedule/draft.hpp>
#include <nvdlac/schedule/search.hpp>
#include <nvdlac/schedule/standard.hpp>

#include "../nightly.hpp"
#include "../random_graph.hpp"
#include "../scheduled.hpp"
#include "planned.hpp"

using namespace nvdlac;

namespace {

constexpr std::uint64_t kilobytes = 1024;

// The memory of the specification but of a latency as SRAM on the chip has it.
template <class Hw>
cost::cvsram on_chip(std::uint64_t bytes, bool weights) {
  auto m = cost::cvsram_of(Hw::spec, bytes);
  m.read_latency = 64;
  m.weights = weights;
  return m;
}

template <class Hw>
schedule::draft draft_of(const plan::lowered& l, const cost::cvsram& beside) {
  return {Hw::spec, l, cost::memory_of(Hw::spec, beside)};
}

// Half of what may stand there, as long as it has room.
template <class Hw>
schedule::saved random_placement(const quantised::graph& g, std::uint64_t seed,
                                 const cost::cvsram& beside) {
  const auto l = lower::lower<Hw>(g, "network");
  const auto d = draft_of<Hw>(l, beside);
  std::mt19937_64 random(seed);
  auto now = d.place(schedule::standard{}(d), {});
  for (const auto& name : d.movable()) {
    if (random() % 2 == 0) continue;
    auto more = now;
    more.cvsram.push_back(name);
    try {
      now = d.place(now, more.cvsram);
    } catch (const error&) {  // there is no room
      continue;
    }
  }
  return {.network = "network", .configuration = std::string(hw::name<Hw>()), .choices = now};
}

// How many buffers stand there.
template <class Hw>
std::size_t expect_exact(std::uint64_t seed, random_limits limits, std::uint64_t bytes) {
  const auto g = random_graph::make(seed, limits);
  const auto beside = on_chip<Hw>(bytes, seed % 3 != 0);
  const auto s = random_placement<Hw>(g, seed, beside);
  expect_exact_with<Hw>(g, s, seed, beside);
  return s.choices.cvsram.size();
}

quantised::convolution convolution_of(std::int32_t from, std::int32_t to) {
  const auto k = static_cast<std::size_t>(to);
  quantised::convolution c{.kernels = to,
                           .window = {.kernel_h = 3, .kernel_w = 3, .pad_top = 1, .pad_left = 1,
                                      .pad_bottom = 1, .pad_right = 1}};
  c.weights.assign(k * static_cast<std::size_t>(from) * 9, std::int8_t{1});
  c.bias.assign(k, 1);
  c.multiplier.assign(k, 100);
  c.shift = 16;
  return c;
}
// A chain of convolutions whose weights are much and whose maps are little.
quantised::graph chain() {
  quantised::graph g;
  auto last = g.add("in", quantised::input{{64, 8, 8}});
  for (int i = 0; i < 4; ++i)
    last = g.add("conv" + std::to_string(i), convolution_of(64, 64), {last});
  g[last].output = true;
  net::infer_shapes(g);
  return g;
}

// Convolutions on maps of 16x16 whose weights are many times 64 KiB each.
quantised::graph heavy() {
  quantised::graph g;
  auto last = g.add("in", quantised::input{{128, 16, 16}});
  last = g.add("first", convolution_of(128, 128), {last});
  last = g.add("second", convolution_of(128, 160), {last});
  g[last].output = true;
  net::infer_shapes(g);
  return g;
}

template <class Hw>
std::uint64_t cycles_with(const quantised::graph& g, const cost::cvsram& beside) {
  const auto p = built<Hw>(g, {.cvsram = beside});
  CHECK(p.cvsram.size <= beside.bytes);
  return cost::cycles(p, cost::memory_of(Hw::spec, beside)).totals.cycles;
}

}  // namespace

TEST_CASE("random networks with random placements in CVSRAM are exact") {
  std::size_t placed = 0;
  for (std::uint64_t seed = 0; seed < drawn(60U); ++seed) {
    placed += expect_exact<nv_large>(seed, {}, 64 * kilobytes);
    placed += expect_exact<nv_full>(seed, {}, 64 * kilobytes);
    placed += expect_exact<nv_small_256_full>(seed, {}, 64 * kilobytes);
    placed += expect_exact<nv_medium_1024_full>(seed, {}, 64 * kilobytes);
  }
  for (std::uint64_t seed = 100; seed < 105; ++seed)
    placed += expect_exact<nv_large>(seed, {.layers = 6, .channels = 64, .side = 40},
                                     128 * kilobytes);
  CHECK(placed > occurring(300U));
}

TEST_CASE("CVSRAM is used for what wins cycles, and never for more bytes than there are") {
  const auto g = chain();
  const auto none = cycles_with<nv_large>(g, {});
  std::uint64_t before = none;
  for (const std::uint64_t bytes : {16 * kilobytes, 64 * kilobytes, 512 * kilobytes}) {
    const auto now = cycles_with<nv_large>(g, on_chip<nv_large>(bytes, true));
    CHECK(now <= before);
    before = now;
  }
  CHECK(before * 10 < none * 8);
  // Maps alone, which come as fast from DRAM when no weights come, win less; without the option
  // nothing changes.
  const auto maps = cycles_with<nv_large>(g, on_chip<nv_large>(512 * kilobytes, false));
  CHECK(maps <= none);
  CHECK(before < maps);
  CHECK(built<nv_large>(g).cvsram == plan::cvsram_pool{});
}

TEST_CASE("weights that stand in CVSRAM leave the pool of DRAM") {
  const auto g = chain();
  const auto plain = built<nv_large>(g);
  const auto p = built<nv_large>(g, {.cvsram = on_chip<nv_large>(512 * kilobytes, true)});
  CHECK(p.cvsram.weights > 0);
  CHECK(p.weights_size + p.cvsram.weights == plain.weights_size);
  CHECK(p.cvsram.size >= p.cvsram.weights);
  const auto again = built<nv_large>(g, {.cvsram = on_chip<nv_large>(512 * kilobytes, true)});
  CHECK(emit::loadable(again) == emit::loadable(p));
}

TEST_CASE("a placement is kept in a file, and what does not fit is said") {
  const auto l = lower::lower<nv_large>(chain(), "network");
  const auto beside = on_chip<nv_large>(256 * kilobytes, false);
  const auto d = draft_of<nv_large>(l, beside);
  const auto movable = d.movable();
  REQUIRE(movable.size() == 3);  // the maps between the convolutions
  const auto c = d.place({}, movable);
  CHECK(c.cvsram == movable);
  CHECK(d.price(c).cvsram > 0);
  CHECK(d.price({}).cvsram == 0);
  const schedule::saved s{.network = "n", .configuration = "nv_large", .choices = c};
  CHECK(schedule::read_choices(schedule::write_choices(s)).choices == c);
  CHECK(schedule::write_choices({}).find("cvsram") == std::string::npos);
  CHECK(complaint([&] { (void)d.place({}, {"in"}); }).find("may stand in CVSRAM") !=
        std::string::npos);
  CHECK(complaint([&] { (void)d.place({}, {movable[0], movable[0]}); }).find("listed twice") !=
        std::string::npos);
  const schedule::draft without(nv_large::spec, l);
  CHECK(complaint([&] { (void)without.numbered(c); }).find("give --cvsram") != std::string::npos);
  const auto small = draft_of<nv_large>(l, on_chip<nv_large>(32, false));
  const auto said = complaint([&] { (void)small.numbered(c); });
  CHECK(said.find("bytes of CVSRAM, of which there are 32") != std::string::npos);
  CHECK(small.place(schedule::choices{}).cvsram.empty());
}

TEST_CASE("a configuration without CVSRAM says so") {
  const auto why = complaint([] {
    (void)built<nv_small>(chain(), {.cvsram = {.bytes = 1024}});
  });
  CHECK(why.find("nv_small has no secondary memory (CVSRAM)") != std::string::npos);
  const auto order = complaint([] {
    (void)built<nv_large>(chain(), {.without = {"order"}, .cvsram = {.bytes = 1024}});
  });
  CHECK(order.find("without the step 'order' nothing is placed in CVSRAM") != std::string::npos);
}

TEST_CASE("a search moves buffers between the memories and keeps within their bytes") {
  const auto l = lower::lower<nv_large>(chain(), "network");
  const auto d = draft_of<nv_large>(l, on_chip<nv_large>(64 * kilobytes, true));
  const auto found = schedule::search(d, {}, {.trials = 400});
  CHECK(found.after.cycles < found.before.cycles);
  CHECK(!found.choices.cvsram.empty());
  CHECK(found.after.cvsram <= 64 * kilobytes);
  CHECK(schedule::search(d, {}, {.trials = 400, .threads = 2}).choices == found.choices);
}

TEST_CASE("a layer's weights stand in CVSRAM in place of many small buffers") {
  const auto l = lower::lower<nv_large>(chain(), "network");
  // Exactly the weights of one layer.
  const auto d = draft_of<nv_large>(l, on_chip<nv_large>(64 * 64 * 9, true));
  const auto now = d.place(schedule::standard{}(d));
  REQUIRE(now.cvsram.size() == 1);
  CHECK(now.cvsram[0].ends_with("/weights"));
}

TEST_CASE("weights that have no room as a whole stand in CVSRAM pass by pass") {
  const auto g = heavy();
  const auto beside = on_chip<nv_full>(128 * kilobytes, true);
  schedule::saved found;
  const compile_options options{
      .scheduled = [&](const schedule::saved& s, const schedule::price&, const schedule::price&) {
        found = s;
      },
      .cvsram = beside};
  const auto p = built<nv_full>(g, options);
  REQUIRE(found.choices.lowering.pass_weights != 0);
  CHECK(found.choices.lowering.pass_weights < beside.bytes);
  std::size_t near = 0, far = 0;
  for (const auto& b : p.buffers)
    if (b.memory == plan::memory::weights && b.name.view().starts_with("first/k"))
      ++(b.cvsram ? near : far);
  CHECK(near + far > 1);
  // A schedule without passes takes more cycles.
  auto whole = found;
  whole.choices = {};
  const auto memory = cost::memory_of(nv_full::spec, beside);
  const auto cycles = [&](const auto& of) { return cost::cycles(of, memory).totals.cycles; };
  CHECK(cycles(p) < cycles(built<nv_full>(g, {.schedule = whole, .cvsram = beside})));
  // A saved schedule makes the same again.
  const auto again = schedule::read_choices(schedule::write_choices(found));
  CHECK(again.choices == found.choices);
  CHECK(emit::loadable(built<nv_full>(g, {.schedule = again, .cvsram = beside})) ==
        emit::loadable(p));
  expect_exact_with<nv_full>(g, found, 1, beside);
  expect_exact_with<nv_medium_1024_full>(
      g, {.network = "network", .configuration = "nv_medium_1024_full",
          .choices = {.lowering = {.pass_weights = 64 * kilobytes}}},
      2, on_chip<nv_medium_1024_full>(128 * kilobytes, true));
}

TEST_CASE("random networks whose layers have passes of few weights are exact") {
  for (std::uint64_t seed = 200; seed < 200 + drawn(20U); ++seed) {
    const auto g = random_graph::make(seed, {});
    for (const std::uint64_t bytes : {1024u, 4096u}) {
      const schedule::choices c{.lowering = {.pass_weights = bytes}, .kept = true};
      expect_exact_with<nv_large>(g, {.network = "network", .configuration = "nv_large",
                                      .choices = c},
                                  seed, on_chip<nv_large>(64 * kilobytes, true));
      expect_exact_with<nv_full>(g, {.network = "network", .configuration = "nv_full",
                                     .choices = c},
                                 seed, on_chip<nv_full>(64 * kilobytes, true));
    }
  }
}

TEST_CASE("a program with CVSRAM takes no fewer cycles than what it moves") {
  const auto g = heavy();
  for (const std::uint64_t bytes : {64 * kilobytes, 128 * kilobytes, 256 * kilobytes}) {
    const auto beside = on_chip<nv_full>(bytes, true);
    const auto memory = cost::memory_of(nv_full::spec, beside);
    const auto e = cost::cycles(built<nv_full>(g, {.cvsram = beside}), memory);
    std::uint64_t read = 0;
    for (const auto& l : e.layers) read += l.moved.read(false);
    CHECK(e.totals.cycles >=
          cost::bus(nv_full::spec, memory).cycles(read / nv_full::spec.memory_atom));
  }
}
