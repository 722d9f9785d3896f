// SPDX-License-Identifier: Apache-2.0
// Programs that use CVSRAM, broken in every way.
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/layer/host.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/plan/validate.hpp>
#include <nvdlac/plan/verify.hpp>

#include "example.hpp"

using namespace nvdlac;

namespace {

using Hw = nv_large;

struct without_sram {
  static constexpr hw::spec spec = [] {
    auto s = nv_large::spec;
    s.sram = {};
    return s;
  }();
};

// The weights of `a` and of `b` and the maps behind them stand in CVSRAM.
bool is_inside(const plan::buffer& b) {
  return b.name == "a/weights" || b.name == "b/weights" || b.name == "a" || b.name == "b";
}
plan::program<Hw> program() {
  auto l = lower::lower<Hw>(example::network(), "example");
  for (auto& each : l.layers)
    layer::for_each_cube(each.what, [&](layer::surface& s, layer::access) {
      s.at.cvsram = !s.at.on_the_fly() &&
                    is_inside(l.buffers[static_cast<std::size_t>(s.at.buffer)]);
    });
  l.cvsram_limit = 1 << 20;
  return plan::make_program<Hw>(std::move(l));
}
plan::buffer& buffer(plan::program_data& p, std::string_view name) {
  for (auto& b : p.buffers)
    if (b.name == name) return b;
  throw std::logic_error("no buffer " + std::string(name));
}

}  // namespace

TEST_CASE("a program with buffers in CVSRAM passes") {
  auto p = program();
  CHECK(plan::validate(p).empty());
  CHECK(plan::verify(p).empty());
  CHECK(p.cvsram.weights != 0);
  CHECK(p.cvsram.size > p.cvsram.weights);
  for (const auto& b : p.buffers) CHECK(b.cvsram == is_inside(b));
  CHECK(buffer(p, "a").offset >= p.cvsram.weights);
}

TEST_CASE("broken places in CVSRAM are reported") {
  example::expect_reports<Hw>(
      program(),
      {
          {"it writes 'a' in DRAM, where that does not stand",
           [](auto& p) { example::layer<layer::sdp>(p, "a/sdp").output.at.cvsram = false; }},
          {"it reads 'a' in DRAM, where that does not stand",
           [](auto& p) { example::layer<layer::convolution>(p, "b").input.at.cvsram = false; }},
          {"it reads 'b/weights' in DRAM, where that does not stand",
           [](auto& p) { example::layer<layer::convolution>(p, "b").weights.at.cvsram = false; }},
          {"it reads 'stem' in CVSRAM, where that does not stand",
           [](auto& p) { example::layer<layer::convolution>(p, "a").input.at.cvsram = true; }},
          {"shares memory with",
           [](auto& p) { buffer(p, "b").offset = buffer(p, "a").offset; }},
          {"its weights overlap those of",
           [](auto& p) { buffer(p, "b/weights").offset = buffer(p, "a/weights").offset; }},
          {"is not behind the",
           [](auto& p) { buffer(p, "a").offset = 0; }},
          {"is not inside its pool", [](auto& p) { p.cvsram.size -= 32; }},
          {"is not inside its pool", [](auto& p) { p.cvsram.weights -= 32; }},
          {"smaller than its lower bound", [](auto& p) { p.cvsram.bound = p.cvsram.size + 1; }},
          {"more than the 64 that it may", [](auto& p) { p.cvsram.limit = 64; }},
          {"the user's own but in CVSRAM",
           [](auto& p) { example::buffer(p, p.inputs[0].surface).cvsram = true; }},
          {"the host would reach into CVSRAM",
           [](auto& p) {
             auto& s = example::layer<layer::host_softmax>(p, "softmax");
             s.input.at.cvsram = true;
             example::buffer(p, s.input).cvsram = true;
           }},
      },
      [](const auto& p) { return plan::validate(p); });
}

TEST_CASE("an engine without an interface to CVSRAM is reported") {
  plan::program<without_sram> p;
  static_cast<plan::program_data&>(p) = program();
  CHECK(example::reported(plan::verify(p), "for which the configuration has no interface"));
}

TEST_CASE("more than CVSRAM has is no program") {
  auto l = lower::lower<Hw>(example::network(), "example");
  for (auto& each : l.layers)
    layer::for_each_cube(each.what, [&](layer::surface& s, layer::access) {
      s.at.cvsram = !s.at.on_the_fly() &&
                    is_inside(l.buffers[static_cast<std::size_t>(s.at.buffer)]);
    });
  l.cvsram_limit = 64;
  CHECK_THROWS_WITH(plan::make_program<Hw>(std::move(l)),
                    doctest::Contains("bytes of CVSRAM, more than the 64 that it may"));
}
