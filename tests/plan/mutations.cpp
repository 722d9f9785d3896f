// SPDX-License-Identifier: Apache-2.0
// Each rule of what stays in the CBUF from layer to layer, broken once in a program: the checker
// finds it without running the program, and the simulator by running it twice.
#include <string>

#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/plan/verify.hpp>

#include "../sim/run_program.hpp"
#include "example.hpp"

using namespace nvdlac;

namespace {

using program = plan::program<nv_small>;

// The simulator's error in two runs; empty if there is none.
std::string simulated(const program& p) {
  program_run<nv_small> run(p, 1);
  const quantised::feed picture = std::vector<std::uint8_t>(3 * 12 * 12, 7);
  try {
    for (int i = 0; i < 2; ++i) run.run({&picture, 1});
  } catch (const std::exception& e) {
    return e.what();
  }
  return {};
}

struct mutation {
  const char* checked;
  const char* refused;
  std::function<void(program&)> harm;
};

auto on(const char* name, auto harm) {
  return [name, harm](program& p) { harm(example::layer<layer::convolution>(p, name)); };
}
// Both layers of a pair.
auto on_both(auto harm) {
  return [harm](program& p) {
    harm(example::layer<layer::convolution>(p, "a"), example::layer<layer::convolution>(p, "b"));
  };
}

}  // namespace

TEST_CASE("checker and simulator find an image's kernel whose lines CSC reads wrong") {
  quantised::graph g;
  const auto in = g.add("picture", quantised::input{{3, 13, 11}, quantised::pixels{}});
  g[g.add("conv", example::convolution(3, 16, {.kernel_h = 13, .kernel_w = 11}), {in})].output =
      true;
  net::infer_shapes(g);
  auto p = plan::make_program<nv_small>(lower::lower<nv_small>(g, "window"));
  const auto said = [&] {
    program_run<nv_small> run(p, 1);
    const quantised::feed picture = std::vector<std::uint8_t>(3 * 13 * 11, 7);
    run.run({&picture, 1});
  };
  CHECK(plan::verify(p).empty());
  CHECK_NOTHROW(said());
  auto& c = example::layer<layer::convolution>(p, "conv");
  c.window.kernel_w = 11;
  c.window.pad_right = 0;  // 44 elements, of which 4 are in the last block
  c.weights.size = 16 * 13 * 44;
  CHECK(example::reported(plan::verify(p), "CSC miscounts the blocks of a kernel's lines of 44"));
  CHECK_THROWS_WITH_AS(said(), doctest::Contains("CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_CHANNEL_EXT"),
                       error);
}

TEST_CASE("checker and simulator find each mutation of the CBUF's use") {
  const auto good = example::program<nv_small>();
  REQUIRE(plan::verify(good).empty());
  REQUIRE(simulated(good).empty());
  for (const auto& m : std::initializer_list<mutation>{
           {"the weights have", "CDMA.D_WEIGHT_BYTES",
            on("a", [](auto& c) { c.weights.size += 8; })},
           {"the weights have", "CDMA.D_WEIGHT_BYTES",
            on("a", [](auto& c) { c.weights.size += 120; })},
           {"the weights have", "CDMA.D_WEIGHT_BYTES",
            on("a", [](auto& c) { c.weights.size -= 8; })},
           {"the weights have", "CBUF", on("classes", [](auto& c) { c.weights.size += 8; })},
           {"it reuses weights", "WEIGHT_REUSE", on("b", [](auto& c) { c.weight_reuse = true; })},
           {"it reuses data", "DATA_REUSE", on("b", [](auto& c) { c.data_reuse = true; })},
           {"it reuses weights", "WEIGHT_REUSE", on_both([](auto& a, auto& b) {
              a.skip_weight_release = b.weight_reuse = true;
              b.weights = a.weights;
              ++b.data_banks;
            })},
           {"it reuses weights", "WEIGHT_REUSE", on_both([](auto& a, auto& b) {
              a.skip_weight_release = b.weight_reuse = true;
              b.weights = a.weights;
              ++b.weight_banks;
            })},
           {"it reuses data", "DATA_REUSE", on_both([](auto& a, auto& b) {
              a.skip_data_release = b.data_reuse = true;
              b.input = a.input;
              ++b.data_banks;
            })},
           {"that were padded otherwise", "CDMA.D_ZERO_PADDING", on_both([](auto& a, auto& b) {
              a.skip_data_release = b.data_reuse = true;
              b.input = a.input;
              b.window = {.kernel_h = 1, .kernel_w = 1};
              b.weights.size = 16 * 16;
            })},
           {"the number of released slices", "CSC.D_RELEASE",
            on("a", [](auto& c) { c.release = 13; })},
           {"do not fit 0 banks", "", on("a", [](auto& c) { c.data_banks = 0; })},
           {"does not fit 1 banks", "CDMA.D_BANK.WEIGHT_BANK",
            on("classes", [](auto& c) { c.weight_banks = 1; })}}) {
    CAPTURE(m.checked);
    CAPTURE(m.refused);
    auto broken = good;
    m.harm(broken);
    CHECK(example::reported(plan::verify(broken), m.checked));
    const auto said = simulated(broken);
    CAPTURE(said);
    CHECK(!said.empty());
    CHECK(said.find(m.refused) != std::string::npos);
  }
}
