// SPDX-License-Identifier: Apache-2.0
// A program runs again, without a reset between, however often it uses each engine.
#include <doctest/doctest.h>

#include <array>
#include <string>

#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/runtime/replay.hpp>

#include "emit/example.hpp"
#include "sim/run_program.hpp"
#include "shared.hpp"

using namespace nvdlac;

namespace {

// Pieces of a program that use the engines and their readers in different numbers.
enum piece { convolution, convolution_with_operands, from_memory, pooling, pooling_on_the_fly };
constexpr int pieces = 5;

layer::surface on_the_fly(layer::surface s) {
  s.at = {};
  return s;
}

// One layer after the other, each from the cube of the one before; SDP writes the output.
plan::program<nv_small> chain(unsigned which) {
  plan::program<nv_small> p;
  constexpr net::shape shape{16, 4, 4};
  auto from = example::cube(p, "data", plan::memory::input, shape);
  p.inputs.push_back({"data", from, shape, 1.0, {}});
  plan::task t;
  for (int i = 0; i < pieces; ++i) {
    if ((which >> i & 1u) == 0) continue;
    const auto to = example::cube(p, "cube" + std::to_string(i), plan::memory::features, shape);
    const auto add = [&](const layer::any& what) {
      t.operations.push_back({.layer = {"layer" + std::to_string(i), what}});
    };
    switch (static_cast<piece>(i)) {
      case convolution:
      case convolution_with_operands: {
        example::convolve(p, t, "conv" + std::to_string(i), from, to, {}, 1);
        auto& s = std::get<layer::sdp>(t.operations.back().layer.what);
        if (i == convolution) {
          s.x1 = {};
          s.out = {0, 1, 8};
        }
        break;
      }
      case from_memory: add(layer::sdp{.input = from, .output = to}); break;
      case pooling: add(layer::pdp{.input = from, .output = to}); break;
      case pooling_on_the_fly:
        add(layer::sdp{.input = from, .output = on_the_fly(from)});
        add(layer::pdp{.input = on_the_fly(from), .output = to});
    }
    from = to;
  }
  const auto out = example::cube(p, "out", plan::memory::output, shape);
  t.operations.push_back({.layer = {"out", layer::sdp{.input = from, .output = out}}});
  p.outputs.push_back({"out", out, shape, 1.0, {}});
  p.tasks.push_back(t);
  return p;
}

// How often each unit is enabled, that it is always in the group whose turn it is, and that a
// convolution is waited for by the interrupts of CACC and SDP both.
struct turns {
  unsigned convolutions = 0, waited = 0;  // for convolutions
  std::array<unsigned, sim::unit_names.size()> pointer{}, enabled{};
  void write(std::uint32_t address, std::uint32_t value) {
    const auto* r = hw::find(nv_small::spec.map, address);
    const auto u = sim::find_unit(r->unit);
    if (!u) return;
    const auto i = static_cast<std::size_t>(*u);
    if (r->name == "S_POINTER") pointer[i] = value;
    if (r->name != "D_OP_ENABLE") return;
    CHECK(pointer[i] == enabled[i]++ % 2);
    if (*u == sim::unit::cacc) ++convolutions;
  }
  void begin(const layer::layer&) {}
  void wait_done(std::uint32_t bits) {
    constexpr std::uint32_t sdp = 3, cacc = 3u << 20;  // of both groups
    if ((bits & cacc) == 0) return;
    CHECK((bits & sdp) != 0);
    ++waited;
  }
  void host(const layer::layer&) {}
};

net::int8_tensor noise(net::shape s, unsigned seed) {
  const auto bytes = example::noise(s.size(), seed);
  return {s, {bytes.begin(), bytes.end()}};
}

}  // namespace

TEST_CASE("programs leave every engine at group 0") {
  const auto somewhere = [](const layer::location& at) {
    return emit::dma_address{at.offset, true};
  };
  for (unsigned which = 0; which < 1u << pieces; ++which) {
    CAPTURE(which);
    turns bus;
    emit::schedule<nv_small>(chain(which), somewhere, bus);
    CHECK(bus.waited == bus.convolutions);
    for (std::size_t i = 0; i < bus.enabled.size(); ++i) {
      CAPTURE(sim::unit_names[i]);
      CHECK(bus.enabled[i] % 2 == 0);
    }
  }
}

TEST_CASE("programs run two, three and ten times in a row on one device") {
  for (unsigned which = 0; which < 1u << pieces; ++which) {
    CAPTURE(which);
    const auto p = chain(which);
    const std::array<quantised::feed, 2> in{noise({16, 4, 4}, which), noise({16, 4, 4}, 99)};
    const auto alone = [&](std::size_t i) { return program_run<nv_small>(p, 1).run({&in[i], 1}); };
    const std::array want{alone(0), alone(1)};
    program_run<nv_small> device(p, 2);
    for (std::size_t run = 0; run < 10; ++run)
      CHECK(device.run({&in[run % 2], 1}) == want[run % 2]);
  }
}

TEST_CASE("a second run that begins with the wrong group is refused by its pointer") {
  const auto path = shared_path("golden/programs/nv_small/mobilenet2b_two_runs/bad.txt");
  if (!path) {
    MESSAGE("no golden programs at hand; skipped");
    return;
  }
  CHECK_THROWS_WITH_AS(runtime::replay<nv_small>(*path),
                       doctest::Contains(".S_POINTER: group 0 is enabled, but the unit stands at "
                                         "group 1 and waits for ever"),
                       error);
}
