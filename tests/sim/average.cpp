// SPDX-License-Identifier: Apache-2.0
// Averages by CONV: every way that they are lowered gives the exact integers, as a loadable and as
// a register trace.
#include <doctest/doctest.h>

#include <random>
#include <vector>

#include <nvdlac/quantised/graph.hpp>

#include "compiled.hpp"

using namespace nvdlac;

namespace {

void check(net::shape in, quantised::average op, std::size_t most_layers) {
  quantised::graph g;
  const auto picture = g.add("in", quantised::input{.shape = in});
  const auto mean = g.add("mean", op, {picture});
  g[mean].output = true;
  net::infer_shapes(g);
  std::mt19937 random(in.size());
  for (const auto* t : cli::targets()) {
    CAPTURE(t->name()); CAPTURE(in.c); CAPTURE(op.window.kernel_h);
    compiled chip(*t, g);
    CHECK(chip.program().tasks.at(0).operations.size() <= most_layers);
    net::int8_tensor x{in};
    for (auto& v : x.values) v = static_cast<std::int8_t>(random() % 256 - 128);
    const std::vector<quantised::feed> feeds{x};
    CHECK(chip.infer(feeds).at(0) == quantised::evaluate(g, feeds[0]).at(0));
    CHECK(chip.trace_differences(feeds) == 0);
  }
}

}  // namespace

TEST_CASE("a mean over the whole input is one layer, which may be tiled") {
  check({1000, 13, 13}, {.window = {.kernel_h = 13, .kernel_w = 13}, .multiplier = 20000,
                         .shift = 21}, 8);
  check({96, 7, 7}, {.window = {.kernel_h = 7, .kernel_w = 7}, .bias = -20, .multiplier = 20000,
                     .shift = 19, .pad = -128}, 2);
  check({36, 16, 16}, {.window = {.kernel_h = 16, .kernel_w = 16}, .bias = 256, .bias_shift = 7,
                       .multiplier = 20000, .shift = 22, .pad = -128}, 8);
}
TEST_CASE("the last channels of a mean that fill no atom are a layer of their own") {
  check({100, 5, 6}, {.window = {.kernel_h = 5, .kernel_w = 6}, .multiplier = 20000, .shift = 18},
        4);
  check({5, 7, 3}, {.window = {.kernel_h = 7, .kernel_w = 3}, .bias = 5, .multiplier = 20000,
                    .shift = 18}, 2);
}
TEST_CASE("means of windows that slide are layers by line or by surface") {
  const net::window half{.kernel_h = 3, .kernel_w = 3, .stride_h = 2, .stride_w = 2};
  auto padded = half;
  padded.pad_top = padded.pad_left = padded.pad_bottom = padded.pad_right = 1;
  for (const std::int32_t channels : {8, 64, 70}) {
    check({channels, 8, 8}, {.window = half, .multiplier = 20000, .shift = 17}, 64);
    check({channels, 8, 9}, {.window = padded, .bias = 9, .bias_shift = 7, .multiplier = 20000,
                             .shift = 17, .pad = -128}, 64);
  }
}
