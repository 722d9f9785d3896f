// SPDX-License-Identifier: Apache-2.0
// Convolutions of one tensor that become one, where their results stand, and why others do not.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/program_checks.hpp>
#include <nvdlac/quantised/graph.hpp>

using namespace nvdlac;
using lower::lone;
using quantised::graph;

namespace {

constexpr quantised::convolution kernels_over(std::int32_t channels, std::int32_t kernels,
                                              net::window window = {}) {
  const net::only_size each{static_cast<std::size_t>(kernels)};
  const auto taps = static_cast<std::size_t>(channels * window.kernel_h * window.kernel_w);
  return {.kernels = kernels, .window = window, .weights = net::only_size{each.n * taps},
          .bias = each, .multiplier = each};
}
constexpr net::window three{.kernel_h = 3, .kernel_w = 3, .pad_top = 1, .pad_left = 1,
                            .pad_bottom = 1, .pad_right = 1};

// An Inception module, whose branches of 1x1 have so many kernels.
struct inception {
  graph g{};
  graph::id in, one, to_three, to_five, wide, wider, pooled, beside, all, last;

  explicit inception(std::int32_t first = 64, std::int32_t second = 96, std::int32_t third = 16) {
    in = g.add("in", quantised::input{{192, 14, 14}});
    const auto stem = g.add("stem", kernels_over(192, 192), {in});
    one = g.add("m/1x1", kernels_over(192, first), {stem});
    to_three = g.add("m/3x3_reduce", kernels_over(192, second), {stem});
    wide = g.add("m/3x3", kernels_over(second, 128, three), {to_three});
    to_five = g.add("m/5x5_reduce", kernels_over(192, third), {stem});
    wider = g.add("m/5x5", kernels_over(third, 32, three), {to_five});
    pooled = g.add("m/pool", quantised::pool{.window = three}, {stem});
    beside = g.add("m/pool_proj", kernels_over(192, 32), {pooled});
    all = g.add("m/output", concat_of(4), {one, wide, wider, beside});
    last = g.add("last", kernels_over(first + 192, 16), {all});
    g[last].output = true;
    net::infer_shapes(g);
  }
  static quantised::concat concat_of(std::size_t inputs) {
    quantised::concat op;
    for (std::size_t i = 0; i < inputs; ++i) op.multiplier.push_back({});
    return op;
  }
};

template <class Hw>
std::vector<lower::sibling> siblings_of(const graph& g, const lower::joining& how = {}) {
  return lower::find_siblings(lower::target_of<Hw>, g,
                              lower::find_together(lower::target_of<Hw>, g), true, how);
}
// Why the convolution stands alone; nothing if it has no siblings.
std::optional<lone> why(const std::vector<lower::sibling>& all, graph::id n) {
  const auto found = std::ranges::find(all, n, &lower::sibling::convolution);
  return found == all.end() ? std::nullopt : std::optional(found->why);
}
const layer::convolution* convolution_called(const plan::lowered& l, std::string_view name) {
  for (const auto& each : l.layers)
    if (each.name == name) return std::get_if<layer::convolution>(&each.what);
  return nullptr;
}

}  // namespace

TEST_CASE("the branches of an Inception module begin as one convolution") {
  const inception module;
  const auto found = siblings_of<nv_large>(module.g);
  REQUIRE(found.size() == 3);
  for (const auto& s : found) {
    CHECK(s.why == lone::none);
    CHECK(s.first == module.one);
    CHECK(s.concat == module.all);
    CHECK_FALSE(s.behind);
  }
  CHECK(found[0].convolution == module.to_three);
  CHECK(found[1].convolution == module.to_five);
  CHECK(found[2].convolution == module.one);  // the first in the concat

  const auto l = lower::lower<nv_large>(module.g, "inception", lower::contents::none());
  const auto* joint = convolution_called(l, "m/3x3_reduce+5x5_reduce+1x1");
  REQUIRE(joint != nullptr);
  CHECK(joint->output.c == 96 + 32 + 64);  // 16 kernels take a whole atom of 32
  for (const auto* name : {"m/1x1", "m/3x3_reduce", "m/5x5_reduce"})
    CHECK(convolution_called(l, name) == nullptr);
  const auto* next = convolution_called(l, "m/5x5");
  REQUIRE(next != nullptr);
  CHECK(next->input.shape.c == 16);
  CHECK(next->input.at.offset == 96 * 14 * 14);
  const auto& buffer = l.buffers[static_cast<std::size_t>(next->input.at.buffer)];
  CHECK(buffer.name == "m/output");
  CHECK(buffer.size == (96 + 32 + 256) * 14 * 14);
  REQUIRE(l.parts.size() == 3);
  CHECK(l.parts[2].name == "m/1x1");
  CHECK(l.parts[2].buffer == next->input.at.buffer);
  CHECK(l.parts[2].offset == 128 * 14 * 14);
  REQUIRE(!l.remarks.empty());
  CHECK(std::ranges::any_of(l.remarks, [](const plan::remark& r) {
    return r.layer == "m/3x3_reduce+5x5_reduce+1x1" &&
           r.text == "is one convolution for 'm/3x3_reduce', 'm/5x5_reduce' and 'm/1x1'";
  }));
}

TEST_CASE("results stand behind the cube of a concat, or in a buffer of their own") {
  graph g;
  const auto in = g.add("in", quantised::input{{64, 14, 14}});
  const auto stem = g.add("stem", kernels_over(64, 64), {in});
  const auto a = g.add("a", kernels_over(64, 20), {stem});
  const auto b = g.add("b", kernels_over(64, 32), {stem});
  const auto next = g.add("next", kernels_over(20, 32, three), {a});
  SUBCASE("behind") {
    const auto all = g.add("all", inception::concat_of(2), {next, b});
    g[g.add("last", kernels_over(64, 8), {all})].output = true;
    net::infer_shapes(g);
    const auto found = siblings_of<nv_large>(g);
    REQUIRE(found.size() == 2);
    CHECK(found[0].convolution == b);
    CHECK(found[0].concat == all);
    CHECK(found[0].behind);
    CHECK(found[1].why == lone::none);
  }
  SUBCASE("of their own, ragged ones last") {
    g[g.add("other", kernels_over(32, 8, three), {b})].output = true;
    g[g.add("last", kernels_over(32, 8), {next})].output = true;
    net::infer_shapes(g);
    const auto found = siblings_of<nv_large>(g);
    REQUIRE(found.size() == 2);
    CHECK(found[0].convolution == b);
    CHECK(found[1].convolution == a);
    CHECK(found[0].concat == lower::sibling::nowhere);
    const auto l = lower::lower<nv_large>(g, "own", lower::contents::none());
    const auto* joint = convolution_called(l, "b+a");
    REQUIRE(joint != nullptr);
    CHECK(joint->output.c == 52);
  }
  SUBCASE("in the middle of a concat there is no place beside") {
    const auto more = g.add("more", kernels_over(64, 32, three), {stem});
    const auto all = g.add("all", inception::concat_of(3), {next, b, more});
    g[g.add("last", kernels_over(96, 8), {all})].output = true;
    net::infer_shapes(g);
    const auto found = siblings_of<nv_large>(g);
    CHECK(why(found, a) == lone::no_place);
    CHECK(why(found, b) == lone::no_place);
    CHECK(why(found, more) == std::nullopt);
  }
}

TEST_CASE("what keeps siblings apart has a reason") {
  inception module;
  auto& g = module.g;
  const auto change = [&](graph::id n, const auto& how) {
    how(*std::get_if<quantised::convolution>(&g[n].op));
  };
  SUBCASE("numbers of SDP") {
    change(module.one, [](auto& op) { op.shift = 1; });
    CHECK(why(siblings_of<nv_large>(g), module.one) == lone::other_numbers);
    CHECK(why(siblings_of<nv_large>(g), module.to_five) == lone::none);
    CHECK(why(siblings_of<nv_large>(g, {.any_shifts = true}), module.one) == lone::none);
    change(module.one, [](auto& op) { op.shift = 6; });
    CHECK(why(siblings_of<nv_large>(g, {.any_shifts = true}), module.one) ==
          lone::other_numbers);
  }
  SUBCASE("a ReLU") {
    change(module.one, [](auto& op) { op.relu = true; });
    CHECK(why(siblings_of<nv_large>(g, {.any_shifts = true}), module.one) ==
          lone::other_numbers);
  }
  SUBCASE("an output") {
    g[module.to_five].output = true;
    CHECK(why(siblings_of<nv_large>(g), module.to_five) == lone::output);
    CHECK(why(siblings_of<nv_large>(g), module.one) == lone::none);
  }
  SUBCASE("a name") {
    const std::array apart{label("m/1x1")};
    const auto all = siblings_of<nv_large>(g);
    REQUIRE(why(all, module.one) == lone::none);
    const auto found = lower::without_named(g, all, apart);
    CHECK(why(found, module.one) == lone::given);
    CHECK(why(found, module.to_three) == lone::given);
  }
  SUBCASE("all") { CHECK(siblings_of<nv_large>(g, {.wanted = false}).empty()); }
  SUBCASE("other windows have no siblings") {
    CHECK(why(siblings_of<nv_large>(g), module.wide) == std::nullopt);
  }
}

TEST_CASE("a schedule leaves siblings apart, and tells how they are cut as one") {
  const inception module;
  const auto lowered = [&](const plan::lowering_choices& given) {
    return lower::lower<nv_large>(module.g, "network", lower::contents::none(), {}, true, given);
  };
  const auto joined = lowered({});
  REQUIRE(joined.fused.size() == 1);
  CHECK(joined.fused[0] == "m/1x1");
  const auto apart = lowered({.unfused = {"m/5x5_reduce"}});
  CHECK(apart.fused.empty());
  CHECK(apart.layers.size() > joined.layers.size());
  CHECK(std::ranges::count_if(apart.remarks, [](const auto& r) {
          return r.text ==
                 "reads the same as other convolutions, but apart from them: the schedule says so";
        }) == 3);
  const auto cut = lowered({.passes = {{.layer = "m/1x1", .kernels = 96}}});
  CHECK(cut.layers.size() == joined.layers.size() + 2);  // 192 kernels in two passes
  const auto said = [&](const plan::lowering_choices& given) -> std::string {
    try {
      (void)lowered(given);
    } catch (const error& e) {
      return e.what();
    }
    return {};
  };
  CHECK(said({.passes = {{.layer = "m/3x3_reduce", .kernels = 96}}}) ==
        "layer 'm/3x3_reduce': is computed with 'm/1x1' as one (tell the passes of that one, or "
        "list it as unfused)");
  CHECK(said({.unfused = {"m/3x3"}}).find("is neither a pooling") != std::string::npos);
}

TEST_CASE("many siblings have a short name") {
  graph g;
  const auto in = g.add("in", quantised::input{{64, 5, 5}});
  const auto stem = g.add("stem", kernels_over(64, 64), {in});
  for (int i = 0; i < 6; ++i) {
    const auto n = g.add("part/" + std::to_string(i), kernels_over(64, 8), {stem});
    g[g.add("last" + std::to_string(i), kernels_over(8, 8, three), {n})].output = true;
  }
  net::infer_shapes(g);
  const auto found = siblings_of<nv_small>(g);
  REQUIRE(found.size() == 6);
  const auto group = lower::group_of(found, found[0].convolution);
  REQUIRE(group.size() == 6);
  CHECK(lower::name_of_group(g, group) == "part/0+1+2+3+2more");
}

namespace {

// While compiling, as `program` asks.
constexpr net::network branches{
    net::node{"in", quantised::input{{64, 5, 5}}},
    net::node{"stem", kernels_over(64, 64), "in"},
    net::node{"left", kernels_over(64, 12), "stem"},
    net::node{"right", kernels_over(64, 8), "stem"},
    net::node{"far", kernels_over(12, 8, three), "left"},
    net::node{"farther", kernels_over(8, 8, three), "right"},
};
static_assert(lower::detail::siblings_of<nv_small, branches>.size() == 2);
static_assert(lower::detail::siblings_of<nv_small, branches>[0].convolution == 3);
static_assert(lower::detail::siblings_of<nv_small, branches>[1].why == lone::none);
static_assert(is_validated<nv_small, branches>);

}  // namespace
