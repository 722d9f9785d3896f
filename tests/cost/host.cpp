// SPDX-License-Identifier: Apache-2.0
// The host on the timeline: programs of which every access and every wait is known, beside NVIDIA's
// RTL of nv_small and nv_large (nvdla/hw, master, Verilator; a test bench at the CSB port).
#include <doctest/doctest.h>

#include <nvdlac/cost/host.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>

#include "measured.hpp"

using namespace nvdlac;
using namespace measured;

namespace {

using kind = cost::host_step::kind;

struct listed_program {
  std::vector<layer::any> layers{};
  std::vector<cost::host_step> steps{};
};

// Copies of a line by SDP, one behind the other: each is enabled when a register group is free.
listed_program copies(int count, std::int32_t atoms, const hw::spec& s) {
  const auto channels = static_cast<std::int32_t>(s.memory_atom);
  const auto line = layer::packed({channels, 1, atoms}, s.atom(), {0, 0});
  const auto sdp = layer::engine_number::sdp;
  listed_program p;
  for (int n = 0; n < count; ++n) {
    p.layers.emplace_back(layer::sdp{.input = line, .output = line});
    p.steps.push_back({.what = kind::layer});
    if (n >= 2)
      p.steps.push_back({.what = kind::wait, .engine = sdp,
                         .group = static_cast<std::uint8_t>(n % 2)});
    p.steps.push_back({.what = kind::write, .count = n == 0 ? 2u : 4u});  // S_POINTER, D_OP_ENABLE
    p.steps.push_back({.what = kind::start, .engine = sdp});
  }
  return p;
}

std::uint64_t cycles_of(const listed_program& p, const hw::spec& s, std::uint64_t latency) {
  auto m = cost::memory_of(s);
  m.read_latency = latency;
  return cost::cycles(program(p.layers), s, m, cost::test_bench, p.steps).totals.cycles;
}

}  // namespace

TEST_CASE("SDP's reader begins a layer while the one before is written") {
  struct row {
    std::uint64_t latency;
    std::int32_t atoms;
    std::uint64_t two, ten_more;  // cycles of two copies; of twelve, those beyond two
  };
  comparison two("two copies"), more("ten more");
  for (const row& r : {row{16, 16, 385, 1620}, row{16, 64, 1153, 5460}, row{16, 512, 8321, 41300},
                       row{64, 1, 235, 870}, row{64, 4, 289, 1140}, row{64, 16, 509, 2240},
                       row{64, 64, 1445, 6920}, row{64, 512, 10181, 50600}, row{256, 1, 619, 2790},
                       row{256, 4, 673, 3060}, row{256, 16, 1277, 6080},
                       row{256, 64, 4517, 22280}, row{256, 512, 34757, 173480}}) {
    const auto name = text(r.atoms, " atoms, latency ", r.latency);
    const auto first = cycles_of(copies(2, r.atoms, nv_small::spec), nv_small::spec, r.latency);
    const auto all = cycles_of(copies(12, r.atoms, nv_small::spec), nv_small::spec, r.latency);
    two.add(name, r.two, first);
    more.add(name, r.ten_more, all - first);
  }
  two.check(13, 2, 5);
  more.check(13, 1, 3);
}

TEST_CASE("PDP takes a line in seven cycles at least") {
  // Maxima of lines of one atom on nv_large: 168 lines to 56, and 56 to 8, at a latency of 16.
  const auto pool = [](std::int32_t in, std::int32_t out, std::int32_t stride) {
    const auto atom = nv_large::spec.atom();
    return layer::any{layer::pdp{
        .input = layer::packed({1, in, 1}, atom, {0, 0}),
        .output = layer::packed({1, out, 1}, atom, {0, 0}),
        .window = {.kernel_h = stride, .kernel_w = 1, .stride_h = stride, .stride_w = 1}}};
  };
  auto m = cost::memory_of(nv_large::spec);
  m.read_latency = 16;
  comparison c("lines of one atom");
  c.add("168 lines", 1271, cost::stream_of(pool(168, 56, 3), nv_large::spec, m).cycles());
  c.add("56 lines", 487, cost::stream_of(pool(56, 8, 7), nv_large::spec, m).cycles());
  c.check(2, 0.5, 1);
}

TEST_CASE("a host that takes no time leaves the engines' own") {
  const auto& s = nv_small::spec;
  const auto p = copies(6, 16, s);
  const auto free = cost::cycles(program(p.layers), s, memory(s), {}, p.steps).totals.cycles;
  CHECK(free < cycles_of(p, s, 64));
  // One read of the interrupts tells all that are there: waiting again costs nothing.
  auto twice = p;
  for (std::size_t i = 0; i < twice.steps.size(); ++i)
    if (twice.steps[i].what == kind::wait) {
      const auto again = twice.steps[i];
      twice.steps.insert(twice.steps.begin() + static_cast<std::ptrdiff_t>(i++), again);
    }
  CHECK(cycles_of(twice, s, 64) == cycles_of(p, s, 64));
}
