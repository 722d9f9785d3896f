// SPDX-License-Identifier: Apache-2.0
// Moves that are turns for Rubik, and where their sources stand.
#include <doctest/doctest.h>

#include <array>
#include <random>
#include <vector>

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/net/box.hpp>
#include <nvdlac/net/deconvolution.hpp>
#include <nvdlac/net/deconvolution_phases.hpp>
#include <nvdlac/net/find_boxes.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/quantised/graph.hpp>

#include "../random_maps.hpp"

using namespace nvdlac;
using lower::interleaving, lower::phase;
using net::box, net::shape;
using quantised::graph;

namespace {

template <class Hw = nv_full>
constexpr interleaving found(const std::vector<box>& boxes, shape out, const std::vector<shape>& in,
                             hw::precision p = hw::precision::int8) {
  return lower::find_interleaving(Hw::spec, boxes, out, in, p);
}

constexpr net::deconvolution transposed(std::int32_t kernels, net::window w) {
  return {.kernels = kernels, .window = w};
}
constexpr std::vector<box> phase_boxes(const net::deconvolution& d, shape in) {
  std::vector<box> boxes;
  for (const auto& p : net::phases_of(d, in))
    boxes.push_back(
        p.results(d, p.empty() ? box::filled : static_cast<std::int32_t>(boxes.size())));
  return boxes;
}
constexpr net::window window(std::int32_t kernel, std::int32_t stride, std::int32_t pad = 0) {
  return {.kernel_h = kernel, .kernel_w = kernel, .stride_h = stride, .stride_w = stride,
          .pad_top = pad, .pad_left = pad, .pad_bottom = pad, .pad_right = pad};
}

// A turn for each phase, wherever the phases' results have one shape.
constexpr bool takes_turns(net::window w, shape in, shape each) {
  const auto d = transposed(5, w);
  const auto n = static_cast<std::size_t>(w.stride_h * w.stride_w);
  const auto i = found(phase_boxes(d, in), d.infer(std::array{in}), std::vector<shape>(n, each));
  bool right = i.phases.size() == n && i.group == each && i.stride_y == w.stride_h &&
               i.stride_x == w.stride_w && i.stacked().c == static_cast<std::int32_t>(32 * n);
  for (std::size_t t = 0; right && t < n; ++t)
    right = i.phases[t] == phase{static_cast<std::int32_t>(t), 0};
  return right;
}
static_assert(takes_turns(window(2, 2), {3, 4, 6}, {5, 4, 6}));
static_assert(takes_turns(window(4, 2, 1), {3, 4, 6}, {5, 4, 6}));
static_assert(takes_turns(window(4, 2), {3, 4, 6}, {5, 5, 7}));
static_assert(takes_turns(window(3, 3), {3, 4, 6}, {5, 4, 6}));
static_assert(!takes_turns(window(3, 2), {3, 4, 6}, {5, 5, 7}));  // 9 lines: 5 and 4

// The phases that no tap reaches are filled.
static_assert([] {
  const auto d = transposed(5, window(1, 1));
  auto strided = d;
  strided.window.stride_h = 2;
  strided.more_h = 1;
  const shape in{3, 4, 6};
  const auto i = found(phase_boxes(strided, in), strided.infer(std::array{in}), {{5, 4, 6}});
  return i.phases.size() == 2 && i.phases[0] == phase{0, 0} && i.phases[1] == phase{};
}());

// Moves that Rubik's registers do not hold.
static_assert(!takes_turns(window(33, 33), {3, 2, 2}, {5, 2, 2}));
static_assert(!found(phase_boxes(transposed(5, window(2, 2)), {3, 1, 4097}), {5, 2, 8194},
                     std::vector<shape>(4, {5, 1, 4097})));
static_assert(!found(phase_boxes(transposed(2049, window(2, 2)), {3, 1, 1}), {2049, 2, 2},
                     std::vector<shape>(4, {2049, 1, 1})));

// The channels of an input, in the order of `of(phase, channel)`.
template <class Of>
std::vector<box> from_depth(shape in, std::int32_t side, Of of) {
  const auto m = map_of({in.c / side / side, in.h * side, in.w * side},
                        [&](auto c, auto y, auto x) {
    return static_cast<std::int32_t>(in.at(of(y % side * side + x % side, c), y / side, x / side));
  });
  return net::find_boxes(m.from, m.to, in);
}

struct lowered_graph {
  graph g{};
  std::vector<graph::id> parts{};
  plan::lowered program{};
  lower::allocation allocation{};

  // Convolutions of a deconvolution of 2x2 or 2x1, `kernels` each.
  explicit lowered_graph(std::int32_t kernels, net::window w) {
    const shape in{8, 3, 4};
    const auto d = transposed(kernels, w);
    const auto data = g.add("data", quantised::input{in});
    for (std::int32_t n = 0; n < w.stride_h * w.stride_w; ++n) {
      quantised::convolution op{.kernels = kernels};
      op.weights.assign(static_cast<std::size_t>(8 * kernels), 1);
      op.bias.assign(static_cast<std::size_t>(kernels), 0);
      op.multiplier.assign(static_cast<std::size_t>(kernels), 1);
      parts.push_back(g.add(text("part", n), op, {data}));
    }
    const auto up = g.add("up", quantised::move{.target = d.infer(std::array{in}),
                                                   .boxes = phase_boxes(d, in)}, parts);
    g[up].output = true;
  }
  template <class Hw = nv_full>
  lowered_graph& lower() {
    net::infer_shapes(g);
    lower::assembly to;
    allocation = lower::allocate(Hw::spec, g, to);
    program = lower::lower<Hw>(g, "interleaved");
    return *this;
  }
};

}  // namespace

TEST_CASE("the results of a transposed convolution's phases stand as Rubik reads them") {
  for (const std::int32_t kernels : {3, 32, 70}) {
    lowered_graph l(kernels, window(2, 2));
    l.lower();
    REQUIRE(l.program.layers.size() == 9);  // four convolutions with SDP, and Rubik
    const auto& r = std::get<layer::rubik>(l.program.layers.back().what);
    CHECK(r.stride_y == 2);
    CHECK(r.stride_x == 2);
    CHECK(r.output.shape == shape{kernels, 6, 8});
    const std::int32_t surfaces = (kernels + 31) / 32;
    CHECK(r.input.shape == shape{4 * 32 * surfaces, 3, 4});
    const auto group = static_cast<std::uint64_t>(surfaces) * r.input.surface_stride;
    for (std::size_t n = 0; n < 4; ++n) {
      const auto& part = l.allocation.of[l.parts[n]];
      CHECK(part.at.buffer == r.input.at.buffer);
      CHECK(part.at.offset == n * group);
    }
  }
}

TEST_CASE("without Rubik the same move is a pass of SDP for each phase") {
  lowered_graph l(3, window(2, 2));
  l.lower<nv_large>();
  CHECK(l.program.layers.size() == 6);  // all phases are one convolution with SDP
  for (const auto& each : l.program.layers)
    CHECK_FALSE(std::holds_alternative<layer::rubik>(each.what));
}

TEST_CASE("a source that must stand elsewhere is copied if that is still less") {
  lowered_graph l(3, window(2, 2));
  l.g[l.parts[1]].output = true;
  l.lower();
  CHECK(l.program.layers.size() == 10);
  CHECK(l.program.layers[8].name == "up/turn1/box0");
  lowered_graph fewer(3, {.kernel_h = 2, .kernel_w = 1, .stride_h = 2});
  fewer.g[fewer.parts[1]].output = true;
  fewer.lower();
  for (const auto& each : fewer.program.layers)  // a copy and Rubik, or two copies
    CHECK_FALSE(std::holds_alternative<layer::rubik>(each.what));
}

TEST_CASE("channels that already stand in groups are not moved before") {
  const shape in{128, 3, 4};
  const auto in_groups = from_depth(in, 2, [](auto phase, auto c) { return phase * 32 + c; });
  const auto i = found(in_groups, {32, 6, 8}, {in});
  REQUIRE(i);
  CHECK(i.is_stacked());
  CHECK(i.phases[3] == phase{0, 96});
  CHECK(found(in_groups, {32, 6, 8}, {in}, hw::precision::int16).is_stacked());
  // Neither channels that lie between one another nor those that begin inside an atom.
  CHECK_FALSE(found(from_depth(in, 2, [](auto phase, auto c) { return c * 4 + phase; }),
                    {32, 6, 8}, {in}));
  CHECK_FALSE(found(from_depth({96, 3, 4}, 2, [](auto phase, auto c) { return phase * 24 + c; }),
                    {24, 6, 8}, {{96, 3, 4}}));
}

TEST_CASE("every element of the turns of a random move is where the move takes it") {
  std::mt19937 random(5);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution(low, high)(random);
  };
  int turns = 0;
  for (int n = 0; n < 3000; ++n) {
    const shape in{pick(1, 2) * pick(1, 40), pick(1, 4), pick(1, 4)};
    const auto map = random_map(in, pick);
    const auto boxes = net::find_boxes(map.from, map.to, in);
    const auto i = found(boxes, map.to, {in});
    if (!i) continue;
    ++turns;
    for (std::int32_t c = 0; c < map.to.c; ++c)
      for (std::int32_t y = 0; y < map.to.h; ++y)
        for (std::int32_t x = 0; x < map.to.w; ++x) {
          const auto& t = i.phases[static_cast<std::size_t>(y % i.stride_y * i.stride_x +
                                                           x % i.stride_x)];
          const auto from = map.from[map.to.at(c, y, x)];
          REQUIRE(from == (t.input < 0 ? -1
                                       : static_cast<std::int32_t>(in.at(
                                             t.first + c, y / i.stride_y, x / i.stride_x))));
        }
  }
  CHECK(turns > 50);
}
