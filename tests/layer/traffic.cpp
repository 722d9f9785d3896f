// SPDX-License-Identifier: Apache-2.0
// The bytes that layers move, as the RTL of nv_small moved them for layers of these sizes.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/layer/pdp.hpp>
#include <nvdlac/layer/traffic.hpp>

#include "shared.hpp"

using namespace nvdlac;
using layer::traffic;
using hw::precision;

namespace {

constexpr bytes small{8}, full{32};

constexpr layer::surface cube(net::shape s, bytes atom = small, precision p = precision::int8) {
  return layer::packed(s, atom, {0, 0}, p);
}
constexpr traffic of(const layer::any& what, bytes atom = small) {
  return layer::traffic_of(what, atom);
}

// LeNet's second convolution, and its first, which reads pixels.
constexpr layer::surface on_the_fly(net::shape s) { return {.shape = s}; }
constexpr layer::convolution conv2{.input = cube({20, 12, 12}), .weights = {.size = 25000},
                                   .output = {50, 8, 8}};
static_assert(of(conv2) == traffic{3456 + 25000, 0});
constexpr layer::sdp bias{.input = on_the_fly({50, 8, 8}),
                          .x1 = {.alu = true, .mul = true, .mode = layer::sdp_mode::per_kernel,
                                 .operands = {.size = 224}},
                          .output = cube({50, 8, 8})};
static_assert(of(bias) == traffic{224, 3584});
constexpr layer::convolution conv1{
    .input = {.at = {0, 0}, .shape = {1, 28, 28}, .line_stride = 32, .size = 896},
    .format = layer::pixel_format::r8, .weights = {.size = 504}, .output = {20, 24, 24}};
static_assert(of(conv1) == traffic{896 + 504, 0});
// A sum and poolings.
constexpr layer::sdp sum{.input = cube({16, 32, 32}),
                         .x1 = {.mul = true},
                         .x2 = {.alu = true, .mode = layer::sdp_mode::per_point,
                                .operand_bytes = 1, .operands = cube({16, 32, 32})},
                         .output = cube({16, 32, 32})};
static_assert(of(sum) == traffic{2 * 16384, 16384});
constexpr layer::pdp pool{.input = cube({20, 24, 24}), .output = cube({20, 12, 12}),
                          .window = {.kernel_h = 2, .kernel_w = 2, .stride_h = 2, .stride_w = 2}};
static_assert(of(pool) == traffic{13824, 3456});

// A part of a cube counts with its own lines and columns alone, not with what lies between them.
constexpr layer::sdp part{
    .input = layer::part(cube({32, 56, 56}), small, 8, 0, 0, {8, 28, 28}),
    .output = layer::part(cube({64, 56, 56}), small, 32, 28, 28, {8, 28, 28})};
static_assert(part.output.size > 8 * 28 * 28);
static_assert(of(part) == traffic{8 * 28 * 28, 8 * 28 * 28});

// A pooling in two parts reads what both need twice; kept data and weights are not read again.
constexpr layer::pdp in_parts{.input = cube({8, 9, 33}), .output = cube({8, 9, 33}),
                              .window = {.kernel_h = 3, .kernel_w = 3},
                              .split = {.parts = 2}};
static_assert(of(in_parts) == traffic{8 * 9 * 35, 8 * 9 * 33});
constexpr auto again = [] {
  auto c = conv2;
  c.data_reuse = c.weight_reuse = true;
  return c;
}();
static_assert(of(again) == traffic{});
// Each of several pictures has data and results, and all have the weights.
constexpr auto of_three = [](auto l, layer::surface decltype(l)::* of_pictures) {
  (l.*of_pictures).pictures = 3;
  return l;
};
static_assert(of(of_three(conv2, &layer::convolution::input)) == traffic{3 * 3456 + 25000, 0});
static_assert(of(of_three(bias, &layer::sdp::output)) == traffic{224, 3 * 3584});

// int8 becomes two atoms of int16 beside each of its own, and is made of two.
constexpr layer::sdp widened{.input = cube({5, 3, 3}, full),
                             .output = cube({5, 3, 3}, full, precision::int16)};
static_assert(of(widened, full) == traffic{9 * 32, 9 * 64});
constexpr layer::sdp narrowed{.input = cube({40, 3, 3}, full, precision::int16),
                              .output = cube({40, 3, 3}, full)};
static_assert(of(narrowed, full) == traffic{9 * 32 * 4, 9 * 32 * 2});

}  // namespace

TEST_CASE("convolutions move what the RTL of nv_small moved") {
  const auto path = shared_path("reference/cycles/nvdlac_nv_small.csv");
  if (!path) {
    MESSAGE("no measured cycles at hand; skipped");
    return;
  }
  std::ifstream file(*path);
  std::string line;
  std::getline(file, line);
  const auto fields = [](const std::string& text, char end) {
    std::vector<std::string> found;
    std::istringstream in(text);
    for (std::string field; std::getline(in, field, end);) found.push_back(field);
    return found;
  };
  const auto names = fields(line, ',');
  std::size_t layers = 0;
  while (std::getline(file, line)) {
    const auto values = fields(line, ',');
    const auto at = [&](const char* name) {
      return values[static_cast<std::size_t>(std::ranges::find(names, name) - names.begin())];
    };
    if (at("kind") != "conv") continue;
    CAPTURE(line);
    const auto in = fields(at("in_whc"), 'x'), kernel = fields(at("kernel_rsk"), 'x');
    const auto out = fields(at("out_wh"), 'x');
    const net::shape read{std::stoi(in[2]), std::stoi(in[1]), std::stoi(in[0])};
    const net::shape written{std::stoi(kernel[2]), std::stoi(out[1]), std::stoi(out[0])};
    layer::convolution c{.input = cube(read), .output = written};
    if (read.c == 1 || read.c == 4) c.format = layer::pixel_format::r8;
    const layer::sdp after{.input = on_the_fly(written),
                           .x1 = {.alu = true, .mul = true, .mode = layer::sdp_mode::per_kernel},
                           .output = cube(written)};
    CHECK(text(of(c).read) == at("rd_feature"));
    CHECK(text(of(after).read) == at("rd_operand"));
    CHECK(text(of(after).written) == at("written"));
    ++layers;
  }
  CHECK(layers == 146);
}
