// SPDX-License-Identifier: Apache-2.0
// The model itself: what it says while compiling, of layers behind and beside each other, and of
// other memories.
#include <doctest/doctest.h>

#include <cstdint>
#include <variant>
#include <vector>

#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>

#include "measured.hpp"

using namespace nvdlac;
using namespace measured;

namespace {

constexpr auto& small = nv_small::spec;

// 16x16x32 by 3x3 to 32 kernels, which the RTL computes in 39,244 cycles with 2 and 3 banks.
convolution usual(std::int32_t data_banks = 2, std::int32_t weight_banks = 3) {
  return {.in = {32, 16, 16}, .out = {32, 16, 16},
          .window = {.kernel_h = 3, .kernel_w = 3, .pad_top = 1, .pad_left = 1, .pad_bottom = 1,
                     .pad_right = 1},
          .data_banks = data_banks, .weight_banks = weight_banks, .weight_bytes = 9216,
          .alu = false};
}

std::vector<layer::any> twice(const convolution& c) {
  auto both = c.layers(small);
  for (const auto& l : c.layers(small)) both.push_back(l);
  return both;
}

constexpr layer::surface cube = layer::packed({64, 8, 8}, {8}, {0, 0});
constexpr layer::pdp pool{.input = cube, .output = layer::packed({64, 1, 1}, {8}, {0, 0}),
                          .window = {.kernel_h = 8, .kernel_w = 8}};

// While compiling.
static_assert(cost::memory_of(small) ==
              cost::memory{.width = 8, .read_latency = 64, .write_latency = 20,
                           .outstanding = 256, .data_turns = 4});
// As many reads as the beats that are let out: on nv_full of two atoms each. Its RTL takes 34,109
// cycles for ad_ae's 8,522 atoms at a latency of 1,200.
static_assert(cost::bus(nv_full::spec, cost::memory_of(nv_full::spec)).cycles(512) == 1214);
static_assert(cost::bus(nv_large::spec, cost::memory_of(nv_large::spec)).cycles(256) == 1038);
static_assert(cost::bus(nv_large::spec, cost::memory_of(nv_large::spec)).cycles_alone(256) == 256);
static_assert(cost::bus(nv_large::spec, cost::memory_of(nv_large::spec)).cycles_alone(257) == 1039);
static_assert(cost::stream_of(layer::any{pool}, small, cost::memory_of(small)).cycles() == 5184);
static_assert([] {
  std::vector<plan::task> tasks(1);
  tasks.front().operations.push_back({.layer = {"pool", layer::any{pool}}});
  const auto e = cost::cycles(tasks, small, cost::memory_of(small));
  return e.totals.cycles == 5184 && e.layers.front().limited_by == cost::limit::latency &&
         e.totals.read == 4096 && e.totals.written == 64;
}());

constexpr cost::host serial{.order = cost::order::serial};

cost::estimate estimate(const std::vector<layer::any>& what, cost::memory m,
                        const cost::host& h = serial) {
  return cost::cycles(program(what), small, m, h);
}

}  // namespace

TEST_CASE("load, compute and drain of a convolution add up") {
  const auto e = estimate(usual().layers(small), memory(small));
  const auto& c = e.layers.front();
  CHECK(c.load() + c.compute() + c.drain() == c.cycles());
  CHECK(c.compute() == c.mac_cycles);
  CHECK(c.mac_cycles == 36864);
  CHECK(c.bound == 36864);
  CHECK(c.limited_by == cost::limit::mac);
  CHECK(c.own() == c.cycles());
  CHECK(c.behind() == 0);
  CHECK(c.waiting() == c.cycles() - 36864);
  CHECK(c.waits_in() == cost::wait::load);
  CHECK(e.totals.limited_by == cost::limit::mac);
  CHECK(e.totals.utilisation() == doctest::Approx(36864.0 / 39244).epsilon(0.001));
}

TEST_CASE("a convolution loads beside the one before it where the CBUF has room") {
  const auto added = [](const convolution& c) {
    const auto one = estimate(c.layers(small), memory(small)).totals.cycles;
    return estimate(twice(c), memory(small), {}).totals.cycles - one;
  };
  // Cycles of the second of two, compared with those that the RTL took.
  const auto enough = static_cast<double>(added(usual(2, 3))),
             double_banks = static_cast<double>(added(usual(4, 6)));
  CHECK(enough == doctest::Approx(38298).epsilon(0.005));
  CHECK(double_banks == doctest::Approx(36929).epsilon(0.005));
  const auto one = estimate(usual().layers(small), memory(small)).totals.cycles;
  CHECK(estimate(twice(usual()), memory(small)).totals.cycles == 2 * one);
}

TEST_CASE("own times add up to the program, and waiting behind another layer is none") {
  auto tasks = program(twice(usual(2, 3)));
  const auto both = cost::cycles(tasks, small, memory(small));
  std::uint64_t own = 0;
  for (const auto& l : both.layers) {
    own += l.own();
    CHECK(l.turn + l.own() == l.done);
    CHECK(l.behind() <= l.cycles());
  }
  CHECK(own == both.totals.cycles);
  const auto& second = both.layers[2];  // convolution, SDP, convolution, SDP
  CHECK(second.start < both.layers[1].done);
  CHECK(second.behind() == both.layers[1].done - second.start);
  CHECK(second.own() == second.cycles() - second.behind());
  CHECK(second.own() >= second.bound);
  CHECK(second.own() < second.bound * 11 / 10);
  CHECK(second.cycles() > second.bound * 18 / 10);
}

TEST_CASE("a short layer beside a long one has its own time before that") {
  std::vector<cost::layer_cycles> layers(3);
  layers[0].done = 500;
  layers[1].start = 20;
  layers[1].done = 100;
  layers[2].start = 150;
  layers[2].done = 450;
  cost::detail::tell_turns(layers);
  CHECK(layers[1].own() == 100);
  CHECK(layers[2].own() == 350);
  CHECK(layers[2].behind() == 0);
  CHECK(layers[0].own() == 50);
  CHECK(layers[0].behind() == 450);
}

TEST_CASE("data come before weights where MCIF takes them so") {
  // First MACs of techniques.md, convolutions of 3x3: D data beats, W1 of the first kernels.
  const auto first = [](net::shape in, std::int32_t kernels, std::uint64_t turns) {
    auto c = usual(static_cast<std::int32_t>(in.size() / 4096), 18);
    c.in = in;
    c.out = {kernels, in.h, in.w};
    c.weight_bytes = static_cast<std::uint64_t>(kernels * in.c * 9);
    auto m = memory(small);
    m.data_turns = turns;
    return static_cast<double>(estimate(c.layers(small), m).layers.front().loaded);
  };
  CHECK(first({64, 16, 16}, 64, 1) == doctest::Approx(4256).epsilon(0.01));
  CHECK(first({64, 16, 16}, 64, 2) == doctest::Approx(3235).epsilon(0.02));
  CHECK(first({64, 16, 16}, 64, 4) == doctest::Approx(2933).epsilon(0.01));
  CHECK(first({128, 14, 14}, 128, 3) == doctest::Approx(4569).epsilon(0.01));
  CHECK(first({32, 14, 56}, 32, 11) == doctest::Approx(4201).epsilon(0.01));
}

TEST_CASE("a layer waits for what it depends on") {
  auto tasks = program(twice(usual(4, 6)));
  auto& ops = tasks.front().operations;
  ops[1].consumers[layer::index(layer::engine_number::convolution)] = {2, plan::event::completed};
  const auto e = cost::cycles(tasks, small, memory(small));
  CHECK(e.layers[2].start == e.layers[1].done);
}

TEST_CASE("registers and interrupts cost what they cost") {
  const auto without = estimate(twice(usual()), memory(small)).totals.cycles;
  const auto with = estimate(twice(usual()), memory(small), measured::bench).totals.cycles;
  CHECK(with - without == 279 + 2 * 44);  // the gap, and the two times that a layer is enabled in
  const cost::host ahead{.access = 2, .interrupt = 55};
  CHECK(estimate(twice(usual(4, 6)), memory(small), ahead).totals.cycles < with);
}

TEST_CASE("a slower memory never makes a program faster") {
  const std::vector<layer::any> all = [] {
    auto l = twice(usual());
    l.emplace_back(sum({32, 16, 16}, small.atom()));
    l.emplace_back(pool);
    return l;
  }();
  std::uint64_t before = 0;
  for (const std::uint64_t latency : {16u, 64u, 128u, 256u, 1024u}) {
    const auto now = estimate(all, {.read_latency = latency}).totals.cycles;
    CHECK(now > before);
    before = now;
  }
  before = 0;
  for (const std::uint64_t width : {8u, 4u, 2u, 1u}) {
    const auto e = estimate(all, {.width = width});
    CHECK(e.totals.cycles > before);
    before = e.totals.cycles;
    for (const auto& l : e.layers) CHECK(l.bound <= l.cycles());
  }
  // Reads that wait for each other.
  CHECK(estimate(all, {.outstanding = 1}).totals.cycles > 10 * estimate(all, {}).totals.cycles / 2);
}

TEST_CASE("pooling behind SDP costs what the RTL took more") {
  const auto behind = [](net::window w, net::shape out) {
    auto l = usual().layers(small);
    std::get<layer::sdp>(l[1]).output = {.shape = {32, 16, 16}};
    const auto alone = estimate(usual().layers(small), memory(small)).totals.cycles;
    l.emplace_back(layer::pdp{.input = {.shape = {32, 16, 16}},
                              .output = layer::packed(out, small.atom(), {0, 0}), .window = w});
    return estimate(l, memory(small)).totals.cycles - alone;
  };
  CHECK(behind({.kernel_h = 2, .kernel_w = 2, .stride_h = 2, .stride_w = 2}, {32, 8, 8}) == 20);
  CHECK(behind({.kernel_h = 3, .kernel_w = 3, .pad_top = 1, .pad_left = 1, .pad_bottom = 1,
                .pad_right = 1}, {32, 16, 16}) == 156);
}

TEST_CASE("operands for each element stall SDP when the memory is far") {
  // Cycles of an atom of a convolution of one step, by techniques.md: 11.21 and 16.49.
  const auto cycles = [](std::uint64_t latency, bool residual) {
    convolution c{.in = {8, 16, 16}, .out = {32, 16, 16}, .data_banks = 1, .weight_banks = 1,
                  .weight_bytes = 256, .alu = false};
    auto l = c.layers(small);
    if (residual)
      std::get<layer::sdp>(l[1]).x2 = {.alu = true, .mode = layer::sdp_mode::per_point,
                                       .operand_bytes = 1, .operands = cube};
    const auto e = estimate(l, {.read_latency = latency});
    return static_cast<double>(e.layers[0].compute()) / 1024;
  };
  CHECK(cycles(64, false) == doctest::Approx(11.21).epsilon(0.01));
  CHECK(cycles(64, true) == doctest::Approx(11.21).epsilon(0.01));
  CHECK(cycles(256, true) == doctest::Approx(16.49).epsilon(0.02));
}

TEST_CASE("operands of points take the bus from weights") {
  // A 1x1 convolution of 512 channels to 2,048 kernels on 7x7 with a sum on nv_large: its million
  // of weights and its operands come by one bus (ResNet-50's last stage, from the first request for
  // its weights to its end).
  convolution c{.in = {512, 7, 7}, .out = {2048, 7, 7}, .data_banks = 1, .weight_banks = 15,
                .weight_bytes = 2048 * 512, .mul = true};
  auto l = c.layers(nv_large::spec);
  auto& sdp = std::get<layer::sdp>(l[1]);
  sdp.x2 = {.alu = true, .mode = layer::sdp_mode::per_point, .operand_bytes = 1,
            .operands = sdp.output};
  auto m = cost::memory_of(nv_large::spec);
  m.read_latency = 64;
  const auto cycles = cost::cycles(program(l), nv_large::spec, m).totals.cycles;
  CHECK(static_cast<double>(cycles) == doctest::Approx(37'704).epsilon(0.01));
}

TEST_CASE("CDMA's operations that bring weights follow each other as on the RTL") {
  // Behind a layer that has all of its own: 224 cycles for each 128 atoms at a
  // latency of 64 (nv_small, ad_ae's layers of 8 kernels).
  cost::convolution_times before{};
  before.stream.emplace(cost::bus(small, memory(small)), 0, 0, 100'000);
  cost::later_fetches later(before, cost::bus(small, memory(small)), 0, 100'000, 64, false);
  const auto first = later.take(128), second = later.take(128);
  CHECK(second - first == 224);
}

TEST_CASE("the weights of a fully connected layer stream as the RTL streams them") {
  // techniques.md, section 5: cycles of a kernel group over its atoms, by the banks of the weights.
  const auto period = [](std::int32_t group_banks, std::int32_t banks) {
    const auto cycles = [&](std::int32_t kernels) {
      const auto channels = group_banks * 512;
      const convolution c{.in = {channels, 1, 1}, .out = {kernels, 1, 1}, .data_banks = 1,
                          .weight_banks = banks,
                          .weight_bytes = static_cast<std::uint64_t>(kernels) *
                                          static_cast<std::uint64_t>(channels),
                          .alu = false};
      return estimate(c.layers(small), memory(small)).totals.cycles;
    };
    return static_cast<double>(cycles(80) - cycles(40)) / (5.0 * 512 * group_banks);
  };
  CHECK(period(5, 5) == doctest::Approx(2.04).epsilon(0.01));
  CHECK(period(5, 9) == doctest::Approx(1.24).epsilon(0.01));
  CHECK(period(5, 16) == doctest::Approx(0.999).epsilon(0.01));
  CHECK(period(9, 14) == doctest::Approx(1.47).epsilon(0.01));
  CHECK(period(15, 25) == doctest::Approx(1.35).epsilon(0.01));
  CHECK(period(18, 29) == doctest::Approx(1.399).epsilon(0.01));
}

TEST_CASE("wider hardware is faster") {
  const auto on = [](const hw::spec& s) {
    auto c = usual(2, 4);
    return cost::cycles(program(c.layers(s)), s, memory(s)).totals.cycles;
  };
  CHECK(on(nv_large::spec) < on(small) / 10);
  CHECK(on(nv_full::spec) <= on(nv_large::spec));
}

TEST_CASE("weights come once for all pictures of a layer") {
  const auto& s = nv_full::spec;
  const auto of = [&](std::int32_t pictures) {
    auto layers = usual(2, 4).layers(s);
    auto& conv = std::get<layer::convolution>(layers[0]);
    auto& sdp = std::get<layer::sdp>(layers[1]);
    for (auto* const surface : {&conv.input, &sdp.input, &sdp.output})
      surface->pictures = pictures;
    return cost::cycles(program(layers), s, cost::memory_of(s));
  };
  const auto one = of(1), four = of(4);
  const auto &single = one.layers.front(), &all = four.layers.front();
  CHECK(all.mac_cycles == 4 * single.mac_cycles);
  CHECK(all.moved.data == 4 * single.moved.data);
  CHECK(all.moved.weights == single.moved.weights);
  CHECK(four.totals.written == 4 * one.totals.written);
  CHECK(four.totals.cycles > one.totals.cycles);
  CHECK(four.totals.cycles < 4 * one.totals.cycles);
}

TEST_CASE("what stands in CVSRAM does not wait for DRAM") {
  const auto& s = nv_large::spec;
  // A convolution of 1x1 whose data and weights need about the same time.
  const auto cycles = [&](bool data, bool weights, bool others, const cost::cvsram& beside) {
    const convolution c{.in = {1024, 16, 16}, .out = {64, 16, 16}, .data_banks = 8,
                        .weight_banks = 7, .weight_bytes = 65536, .alu = false};
    auto l = c.layers(s);
    for (auto& each : l)
      layer::for_each_cube(each, [&](layer::surface& used, layer::access) {
        used.at.cvsram = others && !used.at.on_the_fly();
      });
    std::get<layer::convolution>(l[0]).input.at.cvsram = data;
    std::get<layer::convolution>(l[0]).weights.at.cvsram = weights;
    auto m = cost::memory_of(s, beside);
    m.data_turns = 1;  // as at CVIF's arbiter, which nobody programs
    return cost::cycles(program(l), s, m).totals.cycles;
  };
  const auto as_dram = cost::cvsram_of(s, 1 << 20);
  CHECK(as_dram.read_latency == 1024);
  CHECK(as_dram.width == 32);
  // All in one memory takes the same in either.
  const auto together = cycles(false, false, false, as_dram);
  CHECK(cycles(true, true, true, as_dram) == together);
  CHECK(cycles(true, false, false, as_dram) < together);
  CHECK(cycles(false, true, false, as_dram) < together);
  // A nearer memory is faster.
  auto near = as_dram;
  near.read_latency = 64;
  CHECK(cycles(true, true, true, near) < together);
  CHECK(cycles(true, false, false, near) < cycles(true, false, false, as_dram));
  // Nothing there: it does not matter.
  CHECK(cycles(false, false, false, near) == together);
}

TEST_CASE("layers from memory to memory take the latency and the width of each cube's memory") {
  const auto& s = nv_full::spec;
  const auto large = layer::packed({64, 32, 32}, s.atom(), {0, 0});
  const auto cycles = [&](bool in, bool out, const cost::cvsram& beside) {
    layer::sdp l{.input = large, .output = large};
    l.input.at.cvsram = in;
    l.output.at.cvsram = out;
    return cost::stream_of(layer::any{l}, s, cost::memory_of(s, beside));
  };
  const auto given = cost::cvsram_of(s, 1 << 20);
  CHECK(cycles(true, false, given).latency < cycles(false, true, given).latency / 4);
  auto narrow = given;
  narrow.width = 4;
  CHECK(cycles(false, true, narrow).memory == 64 * 32 * 32 / 4);
  CHECK(cycles(false, false, narrow).memory < 64 * 32 * 32 / 4);
}
