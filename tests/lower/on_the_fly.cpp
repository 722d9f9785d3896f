// SPDX-License-Identifier: Apache-2.0
// Poolings that are computed with the convolution before them, and in which passes.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/quantised/graph.hpp>

using namespace nvdlac;
using lower::apart;
using net::square;
using quantised::graph;

namespace {

constexpr quantised::convolution convolution(std::int32_t kernels, std::int32_t channels,
                                             square window) {
  const auto each = static_cast<std::size_t>(channels * window.kernel * window.kernel);
  const auto k = static_cast<std::size_t>(kernels);
  return {.kernels = kernels,
          .window = window,
          .weights = net::only_size{k * each},
          .bias = net::only_size{k},
          .multiplier = net::only_size{k}};
}
constexpr quantised::pool pool(square window, net::pool_kind kind = net::pool_kind::maximum) {
  return {.kind = kind, .window = window};
}

template <class Hw>
constexpr apart why(const quantised::convolution& op, net::shape in, const quantised::pool& behind,
                    bool pixels = false, hw::precision p = hw::precision::int8) {
  const std::array inputs{in};
  const auto picture = pixels ? std::optional(quantised::pixels{})
                              : std::optional<quantised::pixels>{};
  return lower::why_apart(lower::target_of<Hw>, op, inputs, picture, behind, p);
}

constexpr square halves{.kernel = 2, .stride = 2}, three{.kernel = 3};

// While compiling, as `program` asks. LeNet's first layers, and those of ResNets.
static_assert(why<nv_small>(convolution(20, 1, {.kernel = 5}), {1, 28, 28}, pool(halves), true) ==
              apart::none);
static_assert(why<nv_large>(convolution(64, 3, {.kernel = 7, .stride = 2, .pad = 3}), {3, 56, 56},
                            pool({.kernel = 3, .stride = 2}), true) == apart::none);

struct asked {
  const char* what;
  apart small, large;
  quantised::convolution op;
  net::shape in;
  quantised::pool behind;
  bool pixels = false;
};

}  // namespace

TEST_CASE("a pooling joins a convolution where that is possible and quicker") {
  using enum net::pool_kind;
  const square same{.kernel = 3, .pad = 1};
  quantised::convolution beyond = convolution(8, 8, {.kernel = 3, .pad = 3});
  quantised::pool ceil = pool({.kernel = 3, .stride = 2}, average);
  ceil.ceil = true;
  for (const auto& a : std::initializer_list<asked>{
           {"windows side by side", apart::none, apart::none, convolution(16, 8, same),
            {8, 20, 20}, pool(halves)},
           {"windows that overlap", apart::none, apart::none, convolution(16, 8, same),
            {8, 20, 20}, pool(three)},
           {"a pooled line needs more data than the buffer holds", apart::no_pass_fits,
            apart::no_pass_fits, convolution(8, 8192, {}), {8192, 20, 20},
            pool({.kernel = 8, .stride = 8}, average)},
           {"windows that are clipped", apart::windows_differ, apart::windows_differ,
            convolution(16, 8, same), {8, 20, 20}, ceil},
           {"windows that hang over but ignore padding", apart::none, apart::none,
            convolution(16, 8, same), {8, 20, 20}, pool({.kernel = 3, .stride = 2, .pad = 1})},
           {"outputs in the padding", apart::outputs_of_padding, apart::outputs_of_padding,
            beyond, {8, 20, 20}, pool(halves)},
           {"wide pixels", apart::too_wide_for_pixels, apart::too_wide_for_pixels,
            convolution(8, 3, three), {3, 20, 40}, pool(three), true},
           {"wide features", apart::none, apart::none, convolution(8, 8, {.kernel = 3}),
            {8, 20, 300}, pool(halves)},
           {"many lines computed twice", apart::slower, apart::none,
            convolution(64, 256, three), {256, 30, 30}, pool(three)},
       }) {
    CAPTURE(a.what);
    const auto small = why<nv_small>(a.op, a.in, a.behind, a.pixels);
    const auto large = why<nv_large>(a.op, a.in, a.behind, a.pixels);
    CHECK(lower::to_text(small) == lower::to_text(a.small));
    CHECK(lower::to_text(large) == lower::to_text(a.large));
  }
  const auto in_fp16 = [](auto hardware) {
    return why<decltype(hardware)>(convolution(16, 8, three), {8, 20, 20}, pool(halves), false,
                                   hw::precision::fp16);
  };
  CHECK(in_fp16(nv_small{}) == apart::not_supported);
  CHECK(in_fp16(nv_full{}) == apart::none);
}

TEST_CASE("two inputs of a convolution, or two readers, are no obstacle or one") {
  graph g;
  const auto in = g.add("in", quantised::input{{8, 12, 12}});
  const auto conv = g.add("conv", convolution(8, 8, {}), {in});
  const auto first = g.add("first", pool(halves), {conv});
  const auto named = g.add("named", convolution(8, 8, {}), {first});
  const auto second = g.add("second", pool(halves), {named});
  const auto alone = g.add("alone", convolution(8, 8, {}), {second});
  const auto third = g.add("third", pool({.kernel = 3}), {alone});
  g.add("other", convolution(8, 8, {}), {conv});
  g[named].output = g[third].output = true;
  net::infer_shapes(g);
  const auto found = lower::find_together(lower::target_of<nv_small>, g);
  REQUIRE(found.size() == 3);
  CHECK(found[0].convolution == conv);
  CHECK(found[0].reader == first);
  CHECK(found[0].why == apart::read_by_others);
  CHECK(found[1].why == apart::read_by_others);  // by the user
  CHECK(found[2].why == apart::none);

  const auto l = lower::lower<nv_small>(g, "remarks", lower::contents::none());
  REQUIRE(l.remarks.size() == 2);
  CHECK(l.remarks[0].layer == "first");
  CHECK(l.remarks[0].text == "reads the result of 'conv' from memory: something else reads the "
                             "result of the convolution, too");
  std::vector<std::string_view> names;
  for (const auto& layer : l.layers) names.push_back(layer.name.view());
  const auto at = std::ranges::find(names, "alone");
  REQUIRE(names.end() - at >= 3);
  CHECK(at[1] == "alone/sdp");
  CHECK(at[2] == "third");
  for (const auto& b : l.buffers) CHECK(b.name != "alone");  // its tensor is nowhere
}

namespace {

// The stages of a convolution with its pooling.
struct stages {
  std::vector<layer::convolution> convolutions{};
  std::vector<layer::pdp> poolings{};
};
template <class Hw>
stages stages_of(const quantised::convolution& op, net::shape in, const quantised::pool& behind) {
  graph g;
  const auto picture = g.add("in", quantised::input{in});
  const auto conv = g.add("conv", op, {picture});
  g[g.add("pool", behind, {conv})].output = true;
  net::infer_shapes(g);
  stages s;
  const auto l = lower::lower<Hw>(g, "stages", lower::contents::none());
  for (std::size_t i = 0; i + 2 < l.layers.size(); i += 3) {
    s.convolutions.push_back(std::get<layer::convolution>(l.layers[i].what));
    const auto& sdp = std::get<layer::sdp>(l.layers[i + 1].what);
    s.poolings.push_back(std::get<layer::pdp>(l.layers[i + 2].what));
    CHECK(sdp.output.at.on_the_fly());
    CHECK(sdp.output.shape == s.convolutions.back().output);
    CHECK(s.poolings.back().input == sdp.output);
  }
  CHECK(3 * s.poolings.size() == l.layers.size());
  return s;
}

}  // namespace

TEST_CASE("windows side by side compute no line twice") {
  const auto s = stages_of<nv_small>(convolution(64, 64, {.kernel = 3, .pad = 1}), {64, 56, 56},
                                     pool(halves));
  REQUIRE(s.poolings.size() > 1);
  std::int32_t lines = 0;
  for (std::size_t i = 0; i < s.poolings.size(); ++i) {
    CHECK(s.convolutions[i].output.h == 2 * s.poolings[i].output.shape.h);
    lines += s.convolutions[i].output.h;
  }
  CHECK(lines == 56);
}

TEST_CASE("windows that overlap compute the lines that they share again") {
  const auto s = stages_of<nv_small>(convolution(16, 64, {.kernel = 3, .pad = 1}), {64, 60, 60},
                                     pool({.kernel = 3, .stride = 2, .pad = 1}));
  REQUIRE(s.poolings.size() > 1);
  std::int32_t lines = 0, pooled = 0;
  for (std::size_t i = 0; i < s.poolings.size(); ++i) {
    const auto& p = s.poolings[i];
    CHECK(p.window.pad_top == (i == 0 ? 1 : 0));
    CHECK(p.output.at.offset == static_cast<std::uint64_t>(pooled) * p.output.line_stride);
    lines += p.input.shape.h;
    pooled += p.output.shape.h;
  }
  CHECK(pooled == 30);
  CHECK(lines == 60 + static_cast<std::int32_t>(s.poolings.size()) - 1);
}

TEST_CASE("a wide pooling is cut where the line buffers end") {
  const auto s = stages_of<nv_large>(convolution(32, 32, {}), {32, 12, 300}, pool(halves));
  REQUIRE(s.poolings.size() == 2);
  for (const auto& p : s.poolings) {
    CHECK(p.output.shape == net::shape{32, 6, 75});
    CHECK(p.input.shape == net::shape{32, 12, 150});
  }
  CHECK(s.convolutions[1].input.at.offset == 150 * 32);
}

TEST_CASE("lines that no window sees are not computed") {
  const auto s = stages_of<nv_large>(convolution(8, 8, {}), {8, 11, 13},
                                     pool({.kernel = 2, .stride = 4}));
  REQUIRE(s.poolings.size() == 1);
  CHECK(s.convolutions[0].output == net::shape{8, 10, 10});
  CHECK(s.poolings[0].output.shape == net::shape{8, 3, 3});
}

TEST_CASE("a table joins a convolution that ends in int8 and alone gives it") {
  quantised::lookup table;
  table.values = net::only_size{quantised::lookup::size};
  const auto op = convolution(8, 8, {.kernel = 3, .pad = 1});
  const std::array in{net::shape{8, 10, 10}};
  const auto why = [&](const auto& hw, const quantised::convolution& of,
                       hw::precision p = hw::precision::int8) {
    return lower::why_apart(hw, of, in, {}, table, p);
  };
  CHECK(why(lower::target_of<nv_large>, op) == apart::none);
  CHECK(why(lower::target_of<nv_full>, op) == apart::none);
  CHECK(why(lower::target_of<nv_small>, op) == apart::not_supported);
  CHECK(why(lower::target_of<nv_full>, op, hw::precision::fp16) == apart::not_supported);
  auto other = op;
  other.out.scale = 3;
  CHECK(why(lower::target_of<nv_large>, other) == apart::converted_behind);
  other = op;
  other.winograd = true;
  CHECK(why(lower::target_of<nv_full>, other) == apart::winograd);
  other = convolution(8, 8, {.kernel = 3, .pad = 3});  // its corners see padding alone
  CHECK(why(lower::target_of<nv_large>, other) == apart::outputs_of_padding);
}
