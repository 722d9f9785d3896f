// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/merge_blocks.hpp>

#include "same_values.hpp"
#include "tests/net/random.hpp"

using namespace nvdlac;
using namespace nvdlac::net;

namespace {

// Every second line and column of a cube, from (y, x) on.
move slice(shape in, std::int32_t y, std::int32_t x) {
  const shape out{in.c, in.h / 2, in.w / 2};
  return {.target = out,
          .boxes = {{.from = {0, y, x},
                     .loops = {{{out.c, {1, 0, 0}, {1, 0, 0}},
                                {out.h, {0, 1, 0}, {0, 2, 0}},
                                {out.w, {0, 0, 1}, {0, 0, 2}}}}}}};
}

graph focus(shape in, const std::vector<std::pair<std::int32_t, std::int32_t>>& parts,
            net::window window) {
  graph g;
  const auto data = g.add("data", input{in}, {});
  std::vector<graph::id> slices;
  for (const auto& [y, x] : parts)
    slices.push_back(g.add("slice" + std::to_string(slices.size()), slice(in, y, x), {data}));
  const auto all = g.add("all", concat{}, slices);
  const auto channels = static_cast<std::size_t>(in.c) * parts.size();
  convolution c{.kernels = 5, .window = window, .relu = true};
  randomness random(3);
  c.weights = random.reals(5 * channels * static_cast<std::size_t>(window.kernel_h) *
                           static_cast<std::size_t>(window.kernel_w));
  c.bias = random.reals(5);
  g[g.add("y", std::move(c), {all})].output = true;
  infer_shapes(g);
  return g;
}

// The nodes that are left.
std::size_t left(graph g) {
  return same_behind<pass::merge_blocks>(std::move(g)).size();
}

const net::window three{.kernel_h = 3, .kernel_w = 3, .pad_top = 1, .pad_left = 1,
                        .pad_bottom = 1, .pad_right = 1};

}  // namespace

TEST_CASE("a convolution over blocks strides over them instead") {
  CHECK(left(focus({3, 8, 6}, {{0, 0}, {1, 0}, {0, 1}, {1, 1}}, three)) == 2);
  CHECK(left(focus({2, 6, 6}, {{1, 1}, {0, 0}, {1, 0}, {0, 1}}, {.stride_h = 2})) == 2);
  auto steps = three;
  steps.stride_h = steps.stride_w = 2;
  CHECK(left(focus({1, 8, 8}, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}, steps)) == 2);
}

TEST_CASE("a convolution of other parts of its input stays") {
  CHECK(left(focus({3, 8, 6}, {{0, 0}, {1, 0}, {0, 1}}, three)) == 6);
  CHECK(left(focus({3, 8, 6}, {{0, 0}, {1, 0}, {0, 1}, {0, 1}}, three)) == 7);
}
