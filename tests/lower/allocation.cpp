// SPDX-License-Identifier: Apache-2.0
// Where tensors stand: concats in place, reshapes that cost nothing, outputs that are shared.
#include <doctest/doctest.h>

#include <vector>

#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/lower/sibling_groups.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/quantised/graph.hpp>

using namespace nvdlac;
using quantised::graph;

namespace {

constexpr std::optional<std::int16_t> as_is{};

// A 1x1 convolution of `channels` to `kernels`.
quantised::convolution point(std::int32_t channels, std::int32_t kernels) {
  quantised::convolution op{.kernels = kernels};
  op.weights.assign(static_cast<std::size_t>(channels * kernels), 1);
  op.bias.assign(static_cast<std::size_t>(kernels), 0);
  op.multiplier.assign(static_cast<std::size_t>(kernels), 1);
  return op;
}

struct lowered_graph {
  plan::lowered program;
  lower::allocation allocation;
  graph g;

  explicit lowered_graph(graph given) : g(std::move(given)) {
    net::infer_shapes(g);
    lower::assembly to;
    allocation = lower::allocate(nv_small::spec, g, to,
                                 lower::find_together(lower::target_of<nv_small>, g));
    program = lower::lower(lower::target_of<nv_small>, g, "allocation", {}, {}, true,
                                     std::vector<lower::sibling>());  // siblings.cpp has those
  }
  plan::memory memory(graph::id n) const {
    return program.buffers[static_cast<std::size_t>(allocation.of[n].at.buffer)].memory;
  }
};

struct two_parts {
  graph g{};
  graph::id in, left, right, both, last;

  two_parts(std::int32_t left_channels, std::optional<std::int16_t> multiplier = {}) {
    in = g.add("in", quantised::input{{8, 4, 4}});
    left = g.add("left", point(8, left_channels), {in});
    right = g.add("right", point(8, 8), {in});
    both = g.add("both", quantised::concat{.multiplier = {multiplier, as_is}, .shift = 14},
                 {left, right});
    last = g.add("last", point(left_channels + 8, 8), {both});
    g[last].output = true;
  }
};

}  // namespace

TEST_CASE("inputs of a concat are computed at their place") {
  two_parts t(16);
  const lowered_graph l(t.g);
  CHECK(l.allocation.in_place[t.both] == std::vector<char>{true, true});
  CHECK(l.allocation.of[t.left].at.buffer == l.allocation.of[t.both].at.buffer);
  CHECK(l.allocation.of[t.left].at.offset == 0);
  CHECK(l.allocation.of[t.right].at.offset == 2 * l.allocation.of[t.both].surface_stride);
  CHECK(l.program.layers.size() == 6);  // three convolutions, nothing else
}

TEST_CASE("inputs that do not fill whole atoms go through a staging cube") {
  two_parts t(12);
  const lowered_graph l(t.g);
  CHECK(l.allocation.staging[t.both].at.buffer != l.allocation.of[t.both].at.buffer);
  CHECK(l.allocation.staging[t.both].shape == net::shape{24, 4, 4});
  CHECK(l.allocation.of[t.right].at.offset == 2 * l.allocation.staging[t.both].surface_stride);
  CHECK(l.program.layers.size() == 8);  // and a selection of channels
}

TEST_CASE("only the last input of a concat may end inside an atom") {
  two_parts t(16);
  t.g[t.right].op = point(8, 5);
  t.g[t.last].op = point(21, 8);
  const lowered_graph l(t.g);
  CHECK(l.allocation.in_place[t.both] == std::vector<char>{true, true});
  CHECK(l.program.layers.size() == 6);
}

TEST_CASE("an input with another scale is rescaled by a copy") {
  two_parts t(16, std::int16_t{9000});
  const lowered_graph l(t.g);
  CHECK(l.allocation.in_place[t.both] == std::vector<char>{false, true});
  CHECK(l.allocation.of[t.left].at.buffer != l.allocation.of[t.both].at.buffer);
  REQUIRE(l.program.layers.size() == 7);
  const auto& copy = std::get<layer::sdp>(l.program.layers[4].what);
  CHECK(l.program.layers[4].name == "both/input0");
  CHECK(copy.x1.mul_operand == 9000);
  CHECK(copy.x1.mul_shift == 14);
  CHECK(copy.output.at.buffer == l.allocation.of[t.both].at.buffer);
}

TEST_CASE("a tensor that two concats read, or one twice, is copied once more") {
  two_parts t(8);
  const auto twice = t.g.add("twice", quantised::concat{.multiplier = {as_is, as_is, as_is}},
                             {t.left, t.left, t.right});
  t.g[twice].output = true;
  const lowered_graph l(t.g);
  int copies = 0;
  for (const auto node : {t.both, twice})
    for (const bool place : l.allocation.in_place[node]) copies += !place;
  CHECK(copies == 3);  // five uses, two tensors
}

TEST_CASE("inputs and outputs of the network keep their own memory in a concat") {
  graph g;
  const auto in = g.add("in", quantised::input{{8, 4, 4}});
  const auto out = g.add("out", point(8, 8), {in});
  const auto both = g.add("both", quantised::concat{.multiplier = {as_is, as_is}}, {in, out});
  g[out].output = g[both].output = true;
  const lowered_graph l(g);
  CHECK(l.allocation.in_place[both] == std::vector<char>{false, false});
  CHECK(l.memory(in) == plan::memory::input);
  CHECK(l.memory(out) == plan::memory::output);
  CHECK(l.memory(both) == plan::memory::output);
}

TEST_CASE("a reshape stands where its input stands") {
  graph g;
  const auto in = g.add("in", quantised::input{{8, 2, 2}});
  const auto conv = g.add("conv", point(8, 8), {in});
  const auto flat = g.add("flat", quantised::reshape{{32, 1, 1}}, {conv});
  g[flat].output = true;
  const lowered_graph l(g);
  CHECK(l.allocation.of[flat] == l.allocation.of[conv]);
  CHECK(l.memory(conv) == plan::memory::output);
  REQUIRE(l.program.outputs.size() == 1);
  CHECK(l.program.outputs[0].shape == net::shape{32, 1, 1});
  CHECK(l.program.outputs[0].surface.shape == net::shape{8, 2, 2});
  CHECK(l.program.layers.size() == 2);
}

TEST_CASE("channels from an atom on stand where they are taken from") {
  const auto slices = [](std::int32_t first, std::int32_t count, bool is_output = false) {
    graph g;
    const auto in = g.add("in", quantised::input{{8, 4, 4}});
    const auto conv = g.add("conv", point(8, 24), {in});
    quantised::move take{.target = {count, 4, 4}};
    take.boxes = {{.from = {first, 0, 0}, .loops = {{{count, {1, 0, 0}, {1, 0, 0}},
                                                     {4, {0, 1, 0}, {0, 1, 0}},
                                                     {4, {0, 0, 1}, {0, 0, 1}}}}}};
    const auto part = g.add("part", std::move(take), {conv});
    const auto last = is_output ? part : g.add("last", point(count, 8), {part});
    g[last].output = true;
    return lowered_graph(g);
  };
  const auto view = slices(8, 16);
  CHECK(view.allocation.is_view[2]);
  CHECK(view.allocation.of[2].at.buffer == view.allocation.of[1].at.buffer);
  CHECK(view.allocation.of[2].at.offset == view.allocation.of[1].at.offset + 8 * 4 * 4);
  CHECK(view.allocation.of[2].shape == net::shape{16, 4, 4});
  CHECK(view.program.layers.size() == 4);  // two convolutions, each with SDP
  CHECK(slices(8, 5).program.layers.size() == 4);
  CHECK_FALSE(slices(4, 8).allocation.is_view[2]);
  CHECK_FALSE(slices(8, 8, true).allocation.is_view[2]);
  CHECK(slices(4, 8).program.layers.size() > 4);
}

namespace {

// A move of all of a tensor to every so many lines of the result, from `line` and `column` on.
net::box lines_of(std::int32_t input, net::shape s, std::int32_t line, std::int32_t step,
                  std::int32_t column = 0) {
  return {.input = input,
          .to = {0, line, column},
          .loops = {{{s.c, {1, 0, 0}, {1, 0, 0}},
                     {s.h, {0, step, 0}, {0, 1, 0}},
                     {s.w, {0, 0, 1}, {0, 0, 1}}}}};
}

}  // namespace

TEST_CASE("tensors whose lines take turns or follow each other are computed at their place") {
  const auto joined = [](net::shape target, const std::vector<net::box>& boxes,
                         std::int32_t channels) {
    graph g;
    const auto in = g.add("in", quantised::input{{8, 3, 4}});
    const auto a = g.add("a", point(8, channels), {in});
    const auto b = g.add("b", point(8, channels), {in});
    const auto both = g.add("both", quantised::move{.target = target, .boxes = boxes}, {a, b});
    g[g.add("last", point(channels, 8), {both})].output = true;
    return lowered_graph(std::move(g));
  };
  const net::shape s{16, 3, 4};
  const auto turns = joined({16, 6, 4}, {lines_of(0, s, 0, 2), lines_of(1, s, 1, 2)}, 16);
  const auto& of = turns.allocation.of;
  CHECK(turns.allocation.in_place[3] == std::vector<char>{true, true});
  CHECK(of[1].at.buffer == of[3].at.buffer);
  CHECK(of[1].line_stride == 2 * of[3].line_stride);
  CHECK(of[2].at.offset == of[3].line_stride);
  CHECK(of[2].surface_stride == of[3].surface_stride);
  CHECK(turns.program.layers.size() == 6);  // three convolutions, nothing else
  const auto stacked = joined({16, 6, 4}, {lines_of(0, s, 0, 1), lines_of(1, s, 3, 1)}, 16);
  CHECK(stacked.program.layers.size() == 6);
  CHECK(stacked.allocation.of[2].at.offset == 3 * stacked.allocation.of[3].line_stride);
  const auto beside = joined({16, 3, 8}, {lines_of(0, s, 0, 1), lines_of(1, s, 0, 1, 4)}, 16);
  CHECK(beside.program.layers.size() == 6);
  CHECK(beside.allocation.of[2].at.offset == 4 * 8);
  // The last channels of a tensor may end inside an atom where those of the result do.
  const net::shape few{13, 3, 4};
  CHECK(joined({13, 6, 4}, {lines_of(0, few, 0, 2), lines_of(1, few, 1, 2)}, 13)
            .program.layers.size() == 6);
  // Half of a tensor is copied, and the other tensor is not.
  auto half = lines_of(0, {16, 3, 4}, 0, 1);
  half.loops[1].count = 1;
  const auto some = joined({16, 4, 4}, {half, lines_of(1, s, 1, 1)}, 16);
  CHECK(some.allocation.in_place[3] == std::vector<char>{false, true});
  CHECK(some.program.layers.size() == 7);
}

TEST_CASE("lines and columns of a tensor are read where they stand") {
  const auto taken = [](net::shape target, net::position from, std::int32_t step) {
    graph g;
    const auto in = g.add("in", quantised::input{{8, 6, 5}});
    const auto conv = g.add("conv", point(8, 16), {in});
    const net::box b{.from = from,
                     .loops = {{{target.c, {1, 0, 0}, {1, 0, 0}},
                                {target.h, {0, 1, 0}, {0, step, 0}},
                                {target.w, {0, 0, 1}, {0, 0, 1}}}}};
    const auto part = g.add("part", quantised::move{.target = target, .boxes = {b}}, {conv});
    g[g.add("last", point(target.c, 8), {part})].output = true;
    return lowered_graph(std::move(g));
  };
  const auto lines = taken({16, 3, 5}, {0, 1, 0}, 2);
  const auto& of = lines.allocation.of;
  CHECK(lines.allocation.is_view[2]);
  CHECK(of[2].line_stride == 2 * of[1].line_stride);
  CHECK(of[2].at.offset == of[1].at.offset + of[1].line_stride);
  CHECK(lines.program.layers.size() == 4);
  const auto corner = taken({8, 2, 3}, {8, 4, 2}, 1);
  CHECK(corner.allocation.is_view[2]);
  CHECK(corner.allocation.of[2].at.offset == 6 * 5 * 8 + (4 * 5 + 2) * 8);
  // A vector of several atoms is copied: it may be read as a list of channels.
  CHECK_FALSE(taken({16, 1, 1}, {0, 2, 2}, 1).allocation.is_view[2]);
}

TEST_CASE("an output that shares its tensor gets a copy") {
  graph g;
  const auto in = g.add("in", quantised::input{{8, 2, 2}});
  const auto conv = g.add("conv", point(8, 8), {in});
  const auto flat = g.add("flat", quantised::reshape{{32, 1, 1}}, {conv});
  g[conv].output = g[flat].output = g[in].output = true;
  const lowered_graph l(g);
  // There is a copy of the input, and one of one of the two names of the tensor.
  CHECK(l.allocation.copies.size() == 2);
  REQUIRE(l.program.outputs.size() == 3);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < i; ++j)
      CHECK(l.program.outputs[i].surface.at.buffer != l.program.outputs[j].surface.at.buffer);
}

TEST_CASE("trained weights are kept as often as they stand, kernels that select channels once") {
  graph g;
  const auto in = g.add("in", quantised::input{{8, 2, 2}});
  const auto a = g.add("a", point(8, 5), {in});
  const auto b = g.add("b", point(8, 5), {in});
  for (const char* name : {"both", "again"}) {
    const auto n = g.add(name, quantised::concat{.multiplier = {as_is, as_is}}, {a, b});
    g[n].output = true;
  }
  const lowered_graph l(g);
  std::vector<std::string> weights;
  for (const auto& buffer : l.program.buffers)
    if (buffer.memory == plan::memory::weights) weights.push_back(buffer.name);
  CHECK(weights == std::vector<std::string>{"a/weights", "a/requantisation", "b/weights",
                                            "b/requantisation", "both/gather/c0/weights",
                                            "both/gather/c0/requantisation"});
}

TEST_CASE("buffers tell what the numbers of their tensors stand for") {
  two_parts t(13);  // whose concat has another cube for its parts
  t.g[t.left].scale = t.g[t.right].scale = t.g[t.both].scale = 0.25;
  t.g[t.left].zero = t.g[t.right].zero = t.g[t.both].zero = -128;
  t.g[t.last].scale = 0.5;
  const lowered_graph l(std::move(t.g));
  for (const auto n : {t.in, t.left, t.right, t.both, t.last}) {
    const auto buffer = static_cast<std::size_t>(l.allocation.of[n].at.buffer);
    const auto& numbers = l.program.buffers[buffer].numbers;
    CHECK(numbers == plan::numbering{l.g[n].scale, l.g[n].zero});
  }
  for (const auto& layer : l.program.layers)
    layer::for_each_write(layer.what, [&](const layer::surface& s) {
      const auto& written = l.program.buffers[static_cast<std::size_t>(s.at.buffer)];
      CAPTURE(written.name.size());
      CHECK(written.numbers == (std::string_view(layer.name).starts_with("last")
                                    ? plan::numbering{0.5, 0}
                                    : plan::numbering{0.25, -128}));
    });
}
