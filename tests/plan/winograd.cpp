// SPDX-License-Identifier: Apache-2.0
// Each rule of Winograd's mode, broken once in a program: the checker finds it without running the
// program, and the simulator by running it.
#include <string>

#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/plan/verify.hpp>
#include <nvdlac/schedule/draft.hpp>
#include <nvdlac/schedule/standard.hpp>

#include "../sim/run_program.hpp"
#include "example.hpp"

using namespace nvdlac;

namespace {

// input -> a -> b, of which a is a convolution in Winograd's mode.
quantised::graph winograd_network(std::int32_t height = 12) {
  quantised::graph g;
  const net::window same{.kernel_h = 3, .kernel_w = 3, .pad_top = 1, .pad_left = 1,
                         .pad_bottom = 1, .pad_right = 1};
  auto a = example::convolution(40, 48, {.kernel_h = 4, .kernel_w = 4});
  a.window = same;
  a.winograd = true;
  a.input_truncate = 2;
  const auto in = g.add("input", quantised::input{{40, height, 16}}, {});
  const auto first = g.add("a", a, {in});
  g[g.add("b", example::convolution(48, 16, same), {first})].output = true;
  net::infer_shapes(g);
  return g;
}
plan::program<nv_full> winograd_program() {
  return plan::make_program<nv_full>(lower::lower<nv_full>(winograd_network(), "winograd"));
}
// The program of the network with 24 rows, of which a is in tiles of 8 and 16.
plan::program<nv_full> program_of_tiles() {
  auto l = lower::lower<nv_full>(winograd_network(24), "winograd");
  const schedule::draft d(nv_full::spec, l);
  schedule::order::apply(d, d.tile({}, "a", {8}), l);
  return plan::make_program<nv_full>(std::move(l));
}

// The simulator's error in a run; empty if there is none.
std::string said(const plan::program<nv_full>& p) {
  const quantised::feed values = net::int8_tensor{p.inputs.at(0).shape};
  try {
    program_run<nv_full> run(p, 1);
    run.run({&values, 1});
  } catch (const std::exception& e) {
    return e.what();
  }
  return {};
}

struct winograd_mutation {
  const char* checked;
  std::function<void(layer::convolution&, layer::sdp&)> harm;
};

struct without_winograd {
  static constexpr hw::spec spec = [] {
    auto s = nv_full::spec;
    s.winograd = false;
    return s;
  }();
};
struct narrow_cells {
  static constexpr hw::spec spec = [] {
    auto s = nv_full::spec;
    s.mac_atomic_c = 32;
    s.cbuf_entry = 64;
    return s;
  }();
};

}  // namespace

TEST_CASE("checker and simulator find each mutation of Winograd's mode") {
  const auto good = winograd_program();
  REQUIRE(plan::verify(good).empty());
  REQUIRE(said(good).empty());
  for (const auto& m : std::initializer_list<winograd_mutation>{
           {"Winograd's mode reads no pixels",
            [](auto& c, auto&) { c.format = layer::pixel_format::a8b8g8r8; }},
           {"has no input converter", [](auto& c, auto&) { c.convert = true; }},
           {"transformed kernels are 4x4", [](auto& c, auto&) { c.window.kernel_h = 3; }},
           {"neither steps nor dilation", [](auto& c, auto&) { c.window.stride_w = 2; }},
           {"neither steps nor dilation", [](auto& c, auto&) { c.window.dilation_h = 2; }},
           {"33 channels are no whole atoms", [](auto& c, auto&) { c.input.shape.c = 33; }},
           {"is not of tiles of 4x4", [](auto& c, auto& s) {
              c.output.h = s.input.shape.h = s.output.shape.h = 10;
              c.window.pad_bottom -= 2;
            }},
           {"is not of tiles of 4x4", [](auto& c, auto& s) {
              c.output.w = s.input.shape.w = s.output.shape.w = 4;
              c.input.shape.w = 4;
            }},
           {"4 lines more", [](auto& c, auto&) { ++c.window.pad_top; }},
           {"4 columns more", [](auto& c, auto&) { --c.window.pad_right; }},
           {"the right padding is 64", [](auto& c, auto&) { c.window.pad_right = 64; }},
           {"truncation of the transformed input is 3",
            [](auto& c, auto&) { c.input_truncate = 3; }},
           {"it releases 15 slices", [](auto& c, auto&) { c.release = 15; }},
           {"entries of the CBUF, not", [](auto& c, auto&) { ++c.entries_per_slice; }},
           {"do not fit 0 banks", [](auto& c, auto&) { c.data_banks = 0; }},
           {"the weights have", [](auto& c, auto&) { c.weights.size += 128; }},
           {"in another order", [](auto&, auto& s) { s.winograd = false; }},
           {"it truncates what only", [](auto& c, auto& s) { c.winograd = s.winograd = false; }},
       }) {
    CAPTURE(m.checked);
    auto broken = good;
    m.harm(example::layer<layer::convolution>(broken, "a"),
           example::layer<layer::sdp>(broken, "a/sdp"));
    const auto found = plan::verify(broken);
    std::string texts;
    for (const auto& p : found) texts += to_string(p) + "\n";
    CAPTURE(texts);
    CHECK(example::reported(found, m.checked));
    const auto refused = said(broken);
    CAPTURE(refused);
    CHECK(!refused.empty());
  }
}

TEST_CASE("checker and simulator find each mutation of a tile in Winograd's mode") {
  const auto good = program_of_tiles();
  REQUIRE(plan::verify(good).empty());
  REQUIRE(said(good).empty());
  for (const auto& m : std::initializer_list<winograd_mutation>{
           {"is not of tiles of 4x4", [](auto& c, auto& s) {
              c.output.h = s.input.shape.h = s.output.shape.h = 14;
              c.window.pad_bottom -= 2;
            }},
           {"4 lines more", [](auto& c, auto&) { --c.input.shape.h; }},
           {"4 lines more", [](auto& c, auto&) { ++c.window.pad_top; }},
           {"releases 19 slices", [](auto& c, auto&) { c.release = 19; }},
           {"in another order", [](auto&, auto& s) { s.winograd = false; }},
       }) {
    CAPTURE(m.checked);
    auto broken = good;
    m.harm(example::layer<layer::convolution>(broken, "a/y8"),
           example::layer<layer::sdp>(broken, "a/sdp/y8"));
    CHECK(example::reported(plan::verify(broken), m.checked));
    CHECK(!said(broken).empty());
  }
}

TEST_CASE("the checker finds what SDP cannot do in Winograd's order") {
  const auto good = winograd_program();
  const auto broken = [&](const char* expected, auto harm) {
    auto p = good;
    harm(example::layer<layer::sdp>(p, "a/sdp"));
    CHECK(example::reported(plan::verify(p), expected));
  };
  broken("takes Winograd's order from memory", [](layer::sdp& s) { s.input = s.output; });
  broken("hands Winograd's order on", [](layer::sdp& s) { s.output.at = {}; });
  broken("is not of Winograd's tiles",
         [](layer::sdp& s) { s.input.shape.w = s.output.shape.w = 15; });
  broken("changes the data type",
         [](layer::sdp& s) { s.output.precision = hw::precision::int16; });
}

TEST_CASE("the checker finds Winograd's mode where it is not") {
  plan::program_data p = winograd_program();
  CHECK(example::reported(plan::verify(plan::program<without_winograd>{p}),
                          "has no Winograd mode"));
  CHECK(example::reported(plan::verify(plan::program<narrow_cells>{p}),
                          "a MAC cell of 32 channels"));
}

TEST_CASE("the checker finds what is reused from another mode") {
  auto p = winograd_program();
  auto& a = example::layer<layer::convolution>(p, "a");
  auto& b = example::layer<layer::convolution>(p, "b");
  a.skip_data_release = a.skip_weight_release = b.data_reuse = b.weight_reuse = true;
  b.input = a.input;
  b.weights = a.weights;
  b.data_banks = a.data_banks;
  b.weight_banks = a.weight_banks;
  const auto found = plan::verify(p);
  CHECK(example::reported(found, "it reuses data"));
  CHECK(example::reported(found, "it reuses weights"));
}
