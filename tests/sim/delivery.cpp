// SPDX-License-Identifier: Apache-2.0
// Complaints of the simulated device, and of the simulated firmware, about convolutions whose ends
// CACC may mix up.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/emit/engines.hpp>
#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/emit/memory_map.hpp>
#include <nvdlac/emit/ping_pong_groups.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/runtime/session.hpp>
#include <nvdlac/sim/device.hpp>

#include "emit/example.hpp"

using namespace nvdlac;

namespace {

// Three convolutions of 1x1 that read one line of so many pixels each.
plan::program<nv_small> convolutions(const std::vector<std::int32_t>& pixels) {
  plan::program<nv_small> p;
  p.network = "lines";
  plan::task t;
  for (std::size_t n = 0; n < pixels.size(); ++n) {
    const net::shape line{8, 1, pixels[n]};
    const auto in = example::cube(p, text("in", n), plan::memory::input, line);
    const auto out = example::cube(p, text("out", n), plan::memory::output, line);
    p.inputs.push_back({text("in", n), in, line, 1.0, {}});
    p.outputs.push_back({text("out", n), out, line, 1.0, {}});
    example::convolve(p, t, text("c", n), in, out, {.kernel_h = 1, .kernel_w = 1},
                      static_cast<unsigned>(n));
  }
  plan::link_operations(t, p.buffers, nv_small::spec);
  p.tasks.push_back(std::move(t));
  return p;
}

// Interrupts of GLB that are cleared between the convolutions, or states that are read.
enum class seen { nothing, cacc, sdp, sdp_idle, cacc_idle, other_group };

// The device's complaint about the convolutions; empty if there is none.
std::string said(const plan::program<nv_small>& p, seen between, bool lenient = false) {
  sim::device<nv_small> d({.lenient = lenient});
  const auto map = emit::map_memory(p, 32);
  emit::ping_pong_groups turns;
  emit::initialize<nv_small>(d);
  try {
    const auto& ops = p.tasks[0].operations;
    for (std::size_t i = 0; i < ops.size(); i += 2) {
      const auto conv = turns.next(ops[i].layer.what), sdp = turns.next(ops[i + 1].layer.what);
      emit::program<nv_small>(ops[i].layer, map, conv, d);
      emit::program<nv_small>(ops[i + 1].layer, map, sdp, d);
      emit::enable<nv_small>(ops[i + 1].layer.what, sdp, d);
      emit::enable<nv_small>(ops[i].layer.what, conv, d);
      constexpr auto status = hw::address<hw::register_map::small, "GLB.S_INTR_STATUS">;
      switch (between) {
        case seen::nothing: break;
        case seen::cacc: d.write(status, emit::done_bits(ops[i].layer.what, conv)); break;
        case seen::sdp: d.write(status, emit::done_bits(ops[i + 1].layer.what, sdp)); break;
        case seen::sdp_idle:
          (void)d.read(hw::address<hw::register_map::small, "SDP.S_STATUS">);
          break;
        case seen::cacc_idle:
          (void)d.read(hw::address<hw::register_map::small, "CACC.S_STATUS">);
          break;
        case seen::other_group:
          d.write(status, emit::done_bits(ops[i].layer.what, {.core = conv.core ^ 1u}));
          break;
      }
    }
  } catch (const error& e) {
    return e.what();
  }
  const auto warnings = d.take_warnings();
  return warnings.empty() ? "" : warnings.front();
}

constexpr auto rule = "CACC.D_OP_ENABLE: the convolution before this one, of 15 atoms";

}  // namespace

TEST_CASE("a convolution that CACC may have mixed up with the one before is refused behind both") {
  const auto is_refused = [](const std::string& s) { return s.find(rule) != std::string::npos; };
  const auto p = convolutions({20, 15, 20});
  for (const auto s : {seen::nothing, seen::cacc_idle, seen::other_group})
    CHECK(is_refused(said(p, s)));
  for (const auto s : {seen::cacc, seen::sdp, seen::sdp_idle}) CHECK(said(p, s).empty());
  CHECK(said(convolutions({20, 16, 20}), seen::nothing).empty());
  CHECK(said(convolutions({15, 20, 20}), seen::nothing).empty());  // it is the first
  CHECK(said(convolutions({20, 15}), seen::nothing).empty());      // nothing follows
  CHECK(is_refused(said(p, seen::nothing, true)));                 // a warning
}

TEST_CASE(
    "a loadable whose convolutions need not wait is refused, whatever order it is played in") {
  const auto run = [](const plan::program<nv_small>& p) {
    runtime::session<nv_small> s(emit::loadable(p));
    std::vector<std::vector<std::uint8_t>> in;
    for (const auto& b : p.inputs) in.emplace_back(b.surface.size);
    (void)s.run(in);
  };
  // The register groups of the last two are free when the first two are done.
  auto p = convolutions({20, 20, 15, 20, 15});
  CHECK_NOTHROW(run(p));
  constexpr auto conv = plan::index(plan::engine::convolution);
  for (const std::size_t before : {2u, 6u}) {
    auto broken = p;
    auto& l = broken.tasks[0].operations[before].consumers[conv];
    REQUIRE(l.event == plan::event::completed);
    l.event = plan::event::programmed;
    CHECK_THROWS_WITH_AS(run(broken), doctest::Contains("a convolution of 15 atoms"), error);
  }
}
