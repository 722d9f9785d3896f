// SPDX-License-Identifier: Apache-2.0
// The cost of a move, before it is lowered, and that too much is refused.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/host/partition.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/lower/runs_on.hpp>
#include <nvdlac/net/box.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/reshaping.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/quantised/graph.hpp>

#include "../random_maps.hpp"

using namespace nvdlac;
using net::box, net::shape;

namespace {

// Channels become lines, lines columns, and columns channels: each element moves alone.
constexpr net::constants<box> turning(shape in) {
  box b{};
  b.loops[0] = {in.c, {0, 1, 0}, {1, 0, 0}};
  b.loops[1] = {in.h, {0, 0, 1}, {0, 1, 0}};
  b.loops[2] = {in.w, {1, 0, 0}, {0, 0, 1}};
  return {{b}};
}
constexpr net::move turned(shape in) {
  return {.target = {in.w, in.c, in.h}, .boxes = turning(in)};
}
constexpr shape small{8, 6, 5}, large{64, 48, 48};

net::graph turned_graph(shape in) {
  net::graph g;
  const auto x = g.add("x", net::input{in});
  g[g.add("transpose_3", turned(in), {x})].output = true;
  net::infer_shapes(g);
  return g;
}

template <class Hw>
std::uint64_t lowered_layers(const quantised::move& op, const std::vector<shape>& in) {
  quantised::graph g;
  std::vector<quantised::graph::id> data;
  for (std::size_t i = 0; i < in.size(); ++i)
    data.push_back(g.add(text("data", i), quantised::input{in[i]}));
  g[g.add("moved", op, data)].output = true;
  net::infer_shapes(g);
  return lower::lower<Hw>(g, "moves").layers.size();
}

template <class Hw>
void compare_layers(const quantised::move& op, const std::vector<shape>& in) {
  const auto cost =
      lower::support<quantised::move, Hw>::cost(op, in, hw::precision::int8, lower::any_layers);
  REQUIRE(cost.why == lower::reason::none);
  CHECK(cost.layers == lowered_layers<Hw>(op, in));
}

}  // namespace

// The C++ compiler judges by the default.
static_assert(lower::reason_of<nv_small>(turned(small), std::array{small}) == lower::reason::none);
static_assert(lower::support<net::move, nv_small>::cost(turned(small), std::array{small},
                                                        hw::precision::int8, 1000).layers > 0);
static_assert(lower::reason_of<nv_small>(turned(small), std::array{small}, hw::precision::int8,
                                         1) == lower::reason::too_many_layers);

TEST_CASE("the layers of a move are known before it is lowered") {
  std::mt19937 random(7);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution(low, high)(random);
  };
  for (int n = 0; n < 300; ++n) {
    const shape in{pick(1, 2) * pick(1, 40), pick(1, 9), pick(1, 9)};
    const auto op = moving(random_map(in, pick), in, 3);
    CAPTURE(n);
    CAPTURE(in);
    CAPTURE(op.target);
    compare_layers<nv_small>(op, {in});
    compare_layers<nv_large>(op, {in});
  }
  for (const bool below : {false, true})
    for (const bool turns : {false, true})
      for (const shape in : {shape{3, 4, 5}, {40, 7, 6}})
        compare_layers<nv_small>(stacked(in, below, turns), {in, in});
}

TEST_CASE("channels that become every fourth line are selected where they belong") {
  // Line y of the result is line y / 4 of channel y % 4.
  for (const shape out : {shape{1, 28, 28}, {2, 40, 16}}) {
    std::vector<box> boxes;
    for (std::int32_t line = 0; line < 4; ++line)
      boxes.push_back({.to = {0, line, 0},
                       .from = {line, 0, 0},
                       .loops = {{{out.c, {1, 0, 0}, {4, 0, 0}},
                                  {out.h / 4, {0, 4, 0}, {0, 1, 0}},
                                  {out.w, {0, 0, 1}, {0, 0, 1}}}}});
    const quantised::move op{.target = out, .boxes = boxes};
    const shape in{out.c * 4, out.h / 4, out.w};
    compare_layers<nv_small>(op, {in});
    compare_layers<nv_large>(op, {in});
    quantised::graph g;
    g[g.add("lines", op, {g.add("data", quantised::input{in})})].output = true;
    net::infer_shapes(g);
    const auto lowered = lower::lower<nv_large>(g, "lines");
    // Convolutions of the channels of a line, with SDP behind them; but a single channel that
    // begins with an atom is copied.
    const std::size_t selected = out.c == 1 ? 3 : 4;
    CHECK(lowered.layers.size() == 2 * selected + (4 - selected));
    std::size_t convolutions = 0;
    for (const auto& l : lowered.layers) {
      const auto* sdp = std::get_if<layer::sdp>(&l.what);
      if (sdp == nullptr) ++convolutions;
      if (sdp == nullptr || !sdp->input.at.on_the_fly()) continue;
      CHECK(sdp->output.line_stride == 4 * 32U * static_cast<std::uint32_t>(out.w));
      CHECK(sdp->output.shape == shape{out.c, out.h / 4, out.w});
    }
    CHECK(convolutions == selected);
  }
}

TEST_CASE("a vector, a line or a column comes to all places in a few layers") {
  const auto layers = [](shape in, shape out) {
    const auto op = moving(map_of(out, [&](auto c, auto y, auto x) {
      return static_cast<std::int32_t>(in.at(c, in.h == 1 ? 0 : y, in.w == 1 ? 0 : x));
    }), in, 3);
    compare_layers<nv_small>(op, {in});
    compare_layers<nv_large>(op, {in});
    compare_layers<nv_full>(op, {in});
    return lower::support<quantised::move, nv_small>::cost(op, std::array{in}, hw::precision::int8,
                                                           lower::any_layers).layers;
  };
  // Ones times the values of the channels.
  CHECK(layers({16, 1, 1}, {16, 17, 25}) == 1);
  CHECK(layers({3, 1, 1}, {3, 1, 2}) == 1);
  CHECK(layers({40, 1, 1}, {40, 300, 1}) == 1);
  // A copy, and four that double what is there: 2, 4, 8, 13.
  CHECK(layers({16, 5, 1}, {16, 5, 13}) == 5);
  CHECK(layers({16, 1, 5}, {16, 13, 5}) == 5);
  CHECK(layers({16, 1, 5}, {16, 3, 5}) == 3);
}

TEST_CASE("where Rubik makes a move, its layers count") {
  const shape in{8 * 8 * 256, 2, 2};
  const auto to_space = map_of({256, 16, 16}, [&](auto c, auto y, auto x) {
    return static_cast<std::int32_t>(in.at((y % 8 * 8 + x % 8) * 256 + c, y / 8, x / 8));
  });
  const auto op = moving(to_space, in, 0);
  constexpr std::uint64_t few = 20;
  constexpr auto int8 = hw::precision::int8;
  // It has more channels than Rubik counts: SDP copies.
  CHECK(lower::support<quantised::move, nv_full>::cost(op, std::array{in}, int8, few).why ==
        lower::reason::too_many_layers);
  const shape fitting{4 * 4 * 256, 2, 2};
  const auto by_four = map_of({256, 8, 8}, [&](auto c, auto y, auto x) {
    return static_cast<std::int32_t>(fitting.at((y % 4 * 4 + x % 4) * 256 + c, y / 4, x / 4));
  });
  CHECK(lower::support<quantised::move, nv_full>::cost(moving(by_four, fitting, 0),
                                                       std::array{fitting}, int8, few).layers ==
        1);
  CHECK(lowered_layers<nv_full>(moving(by_four, fitting, 0), {fitting}) == 1);
  CHECK(lower::support<quantised::move, nv_large>::cost(moving(by_four, fitting, 0),
                                                        std::array{fitting}, int8, few).why ==
        lower::reason::too_many_layers);
}

TEST_CASE("a move of more layers than the limit is refused with its estimate, or on the host") {
  auto g = turned_graph(large);
  const auto refused = lower::check<nv_small>(g);
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].layer == "transpose_3");
  const auto layers =
      lower::support<net::move, nv_small>::cost(turned(large), std::array{large},
                                                hw::precision::int8, lower::any_layers).layers;
  CHECK(layers > 1000);
  CHECK(refused[0].reason == text("move does not run on nv_small: it would take ", layers,
                                  " layers, 1000 at most"));
  CHECK(refused[0].remedy == text("if that is meant, raise it: --limit layers=", layers));
  const auto left = host::partition(g, {}, refused);
  REQUIRE(left.size() == 1);
  CHECK(left[0].remedy.ends_with("; or let the host compute it: --host allow, or --host move"));
  CHECK(host::partition(g, host::choice::all(), refused).empty());
  CHECK(std::holds_alternative<net::on_host>(g[1].op));
  CHECK(lower::check<nv_small>(g).empty());

  CHECK(lower::check<nv_small>(turned_graph(large), {}, layers).empty());
  CHECK(lower::check<nv_small>(turned_graph(large), {}, layers - 1).size() == 1);
}

TEST_CASE("beyond what is moved one by one the limit does not help, and is not named") {
  const auto g = turned_graph({96, 96, 96});
  const auto refused = lower::check<nv_small>(g);
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].reason.find("262144 at most; it would take more than ") != std::string::npos);
  CHECK(refused[0].remedy.empty());
}

TEST_CASE("a reshape that moves elements counts as its move, and the host takes it") {
  // A reshape as behind a softmax over all elements: single channels become a cube.
  constexpr shape column{21504, 1, 1}, cube{16, 4, 336};
  const auto network = [&](bool read) {
    net::graph g;
    const auto x = g.add("x", net::input{column});
    const auto r = g.add("r", net::reshape{cube}, {x});
    if (read) g[g.add("y", net::relu{}, {r})].output = true;
    else g[r].output = true;
    net::infer_shapes(g);
    return g;
  };
  auto g = network(true);
  const auto refused = lower::check<nv_small>(g);
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].layer == "r");
  // Each atom of 8 channels of the 1344 places is a selection from two parts of the column.
  CHECK(refused[0].reason.starts_with("reshape does not run on nv_small: it would take "));
  CHECK(refused[0].reason.ends_with(" layers, 1000 at most"));
  const auto left = host::partition(g, {}, refused);
  REQUIRE(left.size() == 1);
  CHECK(left[0].remedy.ends_with("; or let the host compute it: --host allow, or --host reshape"));
  CHECK(host::partition(g, host::choice::all(), refused).empty());
  CHECK(std::holds_alternative<net::on_host>(g[1].op));
  CHECK(lower::check<nv_small>(g).empty());
  // Who reads an output that is only another shape reads the same bytes.
  CHECK(lower::check<nv_small>(network(false)).empty());
}

TEST_CASE("a reshape that fully connected layers read moves nothing") {
  net::graph g;
  const auto x = g.add("x", net::input{{512, 7, 7}});
  const auto flat = g.add("flat", net::flatten{}, {x});
  net::fully_connected fc{.outputs = 2};
  fc.weights = std::vector<float>(2 * 512 * 7 * 7, 0.5F);
  fc.bias = std::vector<float>(2);
  g[g.add("fc", fc, {flat})].output = true;
  net::infer_shapes(g);
  CHECK(!net::move_of_reshape(g, flat));
  for (const auto& p : lower::check<nv_small>(g)) CHECK(p.layer != "flat");
}
