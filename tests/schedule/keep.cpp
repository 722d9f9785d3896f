// SPDX-License-Identifier: Apache-2.0
// Data and weights that neighbouring convolutions share in the CBUF, and what they may not share.
#include <doctest/doctest.h>

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/schedule/keep.hpp>

using namespace nvdlac;

namespace {

constexpr bytes atom = nv_small::spec.atom();
constexpr std::int32_t input = 0, output = 1, weights = 2;  // buffers

layer::layer convolution(std::uint64_t weights_at = 0) {
  layer::convolution c{.input = layer::packed({8, 4, 4}, atom, {input, 0}),
                       .weights = {.at = {weights, weights_at}, .size = 64},
                       .output = {8, 4, 4}};
  c.entries_per_slice = 4;
  c.release = 4;
  return {"convolution", c};
}
// SDP behind it, which writes to a buffer.
layer::layer result(std::int32_t buffer = output) {
  const auto cube = layer::packed({8, 4, 4}, atom);
  auto to = cube;
  to.at = {buffer, 0};
  return {"sdp", layer::sdp{.input = cube, .output = to}};
}

// A convolution and another one of other weights, whose difference `harm` makes.
std::vector<layer::layer> pair(const auto& harm) {
  std::vector<layer::layer> both{convolution(), result(), convolution(64), result()};
  harm(std::get<layer::convolution>(both[2].what));
  return both;
}
const layer::convolution& of(const std::vector<layer::layer>& layers, std::size_t i) {
  return std::get<layer::convolution>(layers[i].what);
}

}  // namespace

TEST_CASE("data stay for a convolution that reads them alike") {
  auto both = pair([](layer::convolution& c) { c.weight_banks = 3; });
  REQUIRE(schedule::keep(nv_small::spec, both));
  CHECK(of(both, 0).skip_data_release);
  CHECK(of(both, 2).data_reuse);
  CHECK_FALSE(of(both, 2).skip_data_release);
  CHECK_FALSE(of(both, 2).weight_reuse);
  CHECK(of(both, 0).weight_banks == 3);  // the banks do not change
}

TEST_CASE("data do not stay for one that reads others, or the same otherwise") {
  using layer::convolution;
  const std::vector<std::pair<const char*, void (*)(convolution&)>> harms{
      {"another place", [](convolution& c) { c.input.at.offset = 8; }},
      {"another cube", [](convolution& c) { c.input.shape.h = 3; }},
      {"another padding", [](convolution& c) { c.window.pad_top = 1; }},
      {"another value of padding", [](convolution& c) { c.pad_value = 1; }},
      {"as an image", [](convolution& c) { c.format = layer::pixel_format::a8b8g8r8; }},
      {"in another precision", [](convolution& c) { c.precision = hw::precision::int16; }},
      {"other slices", [](convolution& c) { c.entries_per_slice = 5; }},
      {"others released", [](convolution& c) { c.release = 3; }},
      {"several lines at a time", [](convolution& c) { c.kernel_lines = 2; }},
      {"converted", [](convolution& c) { c.convert = true; }},
      {"with means", [](convolution& c) { c.use_mean = true; }},
      {"signed", [](convolution& c) { c.pixels_signed = true; }},
      {"no room for both", [](convolution& c) { c.weight_banks = 32; }}};
  for (const auto& [what, harm] : harms) {
    CAPTURE(what);
    auto both = pair(harm);
    schedule::keep(nv_small::spec, both);
    CHECK_FALSE(of(both, 0).skip_data_release);
    CHECK_FALSE(of(both, 2).data_reuse);
  }
}

TEST_CASE("data that are written between do not stay") {
  auto both = pair([](layer::convolution&) {});
  both[1] = result(input);
  schedule::keep(nv_small::spec, both);
  CHECK_FALSE(of(both, 2).data_reuse);
  both = pair([](layer::convolution&) {});
  both[3] = result(input);
  schedule::keep(nv_small::spec, both);
  CHECK(of(both, 2).data_reuse);
}

TEST_CASE("neighbours that share nothing get the same banks where they have room") {
  auto both = pair([](layer::convolution& c) {
    c.input.at.offset = 8;
    c.data_banks = 5;
    c.weight_banks = 7;
  });
  REQUIRE(schedule::keep(nv_small::spec, both));
  for (const std::size_t i : {0u, 2u}) {
    CHECK(of(both, i).data_banks == 5);
    CHECK(of(both, i).weight_banks == 7);
  }
  auto full = pair([](layer::convolution& c) { c.input.at.offset = 8; c.weight_banks = 32; });
  CHECK_FALSE(schedule::keep(nv_small::spec, full));
  CHECK(of(full, 0).weight_banks == 1);
}

TEST_CASE("weights stay for the next pass of them, if all have room") {
  const auto passes = [](std::uint64_t size) {
    std::vector<layer::layer> three{convolution(), result(), convolution(), result(),
                                    convolution(), result()};
    for (const std::size_t i : {0u, 2u, 4u}) {
      auto& c = std::get<layer::convolution>(three[i].what);
      c.input.at.offset = i * 64;
      c.weights.size = size;
    }
    return three;
  };
  auto three = passes(4096);  // a bank
  REQUIRE(schedule::keep(nv_small::spec, three));
  for (const std::size_t i : {0u, 2u, 4u}) {
    CHECK(of(three, i).skip_weight_release == (i < 4));
    CHECK(of(three, i).weight_reuse == (i > 0));
    CHECK_FALSE(of(three, i).data_reuse);
  }
  auto larger = passes(4104);
  schedule::keep(nv_small::spec, larger);
  for (const std::size_t i : {0u, 2u, 4u}) CHECK_FALSE(of(larger, i).weight_reuse);
}
