// SPDX-License-Identifier: Apache-2.0
// Windows and strides beyond the engines' give the same values as the pieces they become.
#include <algorithm>
#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/split_windows.hpp>
#include <tests/net/random.hpp>

using namespace nvdlac;
using namespace nvdlac::net;

namespace {

bool fits(const window& w, std::int32_t kernel) {
  return std::max(w.kernel_h, w.kernel_w) <= kernel && std::max(w.stride_h, w.stride_w) <= 8 &&
         std::max(w.dilation_h, w.dilation_w) <= 32 &&
         std::min(w.pad_top, w.extent_h() - 1) <= 31 &&
         std::min(w.pad_left, w.extent_w() - 1) <= 31 &&
         std::min(w.pad_bottom, w.extent_h() - 1) <= 63 &&
         std::min(w.pad_right, w.extent_w() - 1) <= 63 &&
         std::min({w.pad_top, w.pad_left, w.pad_bottom, w.pad_right}) >= 0;
}

// The network of one operator before and after the pass; how many nodes it has then.
std::size_t check(shape in, graph::any_operator op, std::uint32_t seed) {
  graph g;
  const auto data = g.add("data", input{in}, {});
  g[g.add("x", std::move(op), {data})].output = true;
  infer_shapes(g);
  randomness random(seed);
  float_tensor x{in};
  x.values = random.reals(in.size());
  const auto before = evaluate(g, x).at(0);
  pass::split_windows::run(g);
  REQUIRE(verify(g).empty());
  for (graph::id n = 0; n < g.size(); ++n) {
    if (const auto* c = std::get_if<convolution>(&g[n].op)) CHECK(fits(c->window, 32));
    if (const auto* p = std::get_if<pool>(&g[n].op)) CHECK(fits(p->window, 64));
  }
  const auto after = evaluate(g, x).at(0);
  REQUIRE(after.shape == before.shape);
  double error = 0, most = 1e-3;
  for (std::size_t i = 0; i < after.values.size(); ++i) {
    error = std::max(error, std::fabs(static_cast<double>(after.values[i]) -
                                      static_cast<double>(before.values[i])));
    most = std::max(most, std::fabs(static_cast<double>(before.values[i])));
  }
  CHECK(error < 1e-5 * most);
  CHECK(g[g.outputs().at(0)].name == "x");
  return g.size();
}

convolution random_convolution(randomness& random, shape in, window w, std::int32_t groups) {
  convolution op{.kernels = 2 * groups, .window = w, .groups = groups, .relu = random.coin()};
  op.weights = random.reals(static_cast<std::size_t>(op.weight_count(in)));
  if (random.coin()) op.bias = random.reals(static_cast<std::size_t>(op.kernels));
  return op;
}

}  // namespace

TEST_CASE("convolutions of any kernel and stride") {
  randomness random(1);
  const auto one = [&](shape in, window w, std::int32_t groups = 1) {
    CAPTURE(w.kernel_h);
    CAPTURE(w.stride_h);
    return check(in, random_convolution(random, in, w, groups), 7);
  };
  CHECK(one({3, 40, 50}, {.kernel_h = 3, .kernel_w = 3, .stride_h = 8, .stride_w = 8}) == 2);
  // Windows side by side, then one convolution.
  CHECK(one({3, 64, 64}, {.kernel_h = 3, .kernel_w = 3, .stride_h = 33, .stride_w = 33}) == 3);
  CHECK(one({3, 64, 60}, {.kernel_h = 3, .kernel_w = 4, .stride_h = 11, .stride_w = 9,
                          .pad_top = 2, .pad_left = 1, .pad_bottom = 3, .pad_right = 2}) == 3);
  // Elements far from each other beside each other; kernels of one element. Lines in two phases.
  CHECK(one({2, 90, 80}, {.kernel_h = 3, .kernel_w = 2, .pad_top = 20, .pad_right = 3,
                          .dilation_h = 40, .dilation_w = 33}) == 8);
  CHECK(one({2, 90, 8}, {.kernel_h = 2, .kernel_w = 1, .stride_h = 9, .dilation_h = 50}) == 3);
  // Windows in the padding alone are not the engine's.
  CHECK(one({2, 40, 40}, {.kernel_h = 32, .kernel_w = 32, .stride_h = 3, .stride_w = 3,
                          .pad_top = 32, .pad_left = 5, .pad_bottom = 64, .pad_right = 6}) == 2);
  CHECK(one({2, 6, 6}, {.kernel_h = 3, .kernel_w = 3, .pad_top = 18, .pad_left = 11}) == 2);
  // Every window sees nothing but padding, and the other dimension needs a copy.
  CHECK(one({2, 2, 4}, {.kernel_h = 7, .kernel_w = 1, .stride_h = 8, .stride_w = 11,
                        .pad_top = 27, .dilation_w = 2}) == 3);
  // Paddings beyond the registers, of kernels that are cut too, and much beyond the kernel.
  CHECK(one({2, 6, 6}, {.kernel_h = 3, .kernel_w = 3, .pad_top = 40, .pad_left = 33}) == 3);
  CHECK(one({2, 40, 10}, {.kernel_h = 20, .kernel_w = 1, .pad_top = 32, .pad_bottom = 5,
                          .dilation_h = 2}) == 6);
  CHECK(one({1, 20, 9}, {.kernel_h = 40, .kernel_w = 1, .pad_top = 39, .pad_bottom = 39}) > 3);
  // A smaller stride, of which every second result is kept.
  CHECK(one({2, 64, 64}, {.kernel_h = 16, .kernel_w = 16, .stride_h = 16, .stride_w = 16}) == 3);
  CHECK(one({2, 70, 40}, {.kernel_h = 11, .kernel_w = 3, .stride_h = 11, .stride_w = 1,
                          .pad_top = 3}) == 3);
  // Four parts, the pieces of input that they read, three sums.
  CHECK(one({2, 50, 50}, {.kernel_h = 33, .kernel_w = 33}) == 12);
  CHECK(one({4, 20, 70}, {.kernel_h = 1, .kernel_w = 65, .pad_left = 32, .pad_right = 32}, 2) > 5);
  CHECK(one({1, 3, 3}, {.kernel_h = 65, .kernel_w = 3, .pad_top = 32, .pad_left = 1,
                        .pad_bottom = 32, .pad_right = 1}) >= 2);
  CHECK(one({2, 90, 90}, {.kernel_h = 40, .kernel_w = 2, .stride_h = 20, .stride_w = 9,
                          .pad_top = 5, .dilation_h = 2}) > 5);
}

TEST_CASE("lines of convolutions whose taps are far apart are computed in phases") {
  randomness random(12);
  // The number of convolutions.
  const auto phases = [&](shape in, window w, std::int32_t groups = 1) {
    CAPTURE(w.dilation_h);
    CAPTURE(in.h);
    const auto nodes = check(in, random_convolution(random, in, w, groups), 9);
    CHECK(nodes % 2 == 0);  // for each its lines, besides the input and the result
    return nodes / 2 - 1;
  };
  CHECK(phases({3, 300, 1}, {.kernel_h = 3, .kernel_w = 1, .pad_top = 64, .pad_bottom = 64,
                             .dilation_h = 64}) == 4);  // two would pad by 32 lines
  CHECK(phases({3, 300, 1}, {.kernel_h = 2, .kernel_w = 1, .dilation_h = 64}) == 2);
  CHECK(phases({3, 301, 2}, {.kernel_h = 3, .kernel_w = 2, .pad_top = 128, .dilation_h = 64}) == 8);
  CHECK(phases({4, 99, 3}, {.kernel_h = 3, .kernel_w = 1, .pad_top = 37, .pad_bottom = 37,
                            .dilation_h = 37}, 2) == 37);
  CHECK(phases({4, 1100, 1}, {.kernel_h = 3, .kernel_w = 1, .pad_top = 1024, .dilation_h = 512},
               4) == 64);
  // The padding alone is too far.
  CHECK(phases({2, 70, 4}, {.kernel_h = 4, .kernel_w = 1, .pad_top = 48, .dilation_h = 16}) == 2);
  // Steps over lines, and phases of which one would read padding alone, are copied as before.
  CHECK(check({2, 200, 3}, random_convolution(random, {2, 200, 3}, {.kernel_h = 2, .kernel_w = 1,
                           .stride_h = 2, .dilation_h = 40}, 1), 9) == 3);
}

TEST_CASE("taps of convolutions that meet padding alone are left out") {
  // One dimension of a window on an input of `size` elements, and what is left of it.
  const auto left = [](sliding s, std::int32_t size) {
    randomness random(3);
    const auto narrow = [](std::int64_t n) { return static_cast<std::int32_t>(n); };
    const window w{.kernel_h = narrow(s.kernel), .stride_h = narrow(s.stride),
                   .pad_top = narrow(s.before), .pad_bottom = narrow(s.after),
                   .dilation_h = narrow(s.dilation)};
    const convolution op = random_convolution(random, {4, size, 3}, w, 2);
    CHECK(check({4, size, 3}, op, 5) >= 2);
    graph g;
    g[g.add("x", op, {g.add("data", input{{4, size, 3}}, {})})].output = true;
    infer_shapes(g);
    pass::split_windows::run(g);
    const auto r = vertical(std::get<convolution>(g[1].op).window);
    return std::vector<std::int64_t>{r.kernel, r.stride, r.before, r.after, r.dilation};
  };
  using numbers = std::vector<std::int64_t>;
  CHECK(left({3, 1, 12, 12, 12}, 12) == numbers{1, 1, 0, 0, 1});
  CHECK(left({3, 1, 12, 12, 12}, 13) == numbers{3, 1, 12, 12, 12});
  CHECK(left({5, 1, 24, 24, 12}, 14) == numbers{3, 1, 12, 12, 12});
  CHECK(left({3, 1, 1, 1, 1}, 1) == numbers{1, 1, 0, 0, 1});
  CHECK(left({3, 2, 7, 6, 6}, 5) == numbers{1, 2, 1, 0, 1});
  CHECK(left({4, 1, 9, 0, 3}, 2) == numbers{1, 1, 0, 0, 1});
  // The part that is read begins behind the edge of the input, which a padding cannot say.
  CHECK(left({3, 1, 10, 14, 12}, 8) == numbers{2, 1, 10, 2, 12});
}

TEST_CASE("poolings of any window and stride") {
  const auto one = [](shape in, pool p) {
    CAPTURE(p.window.kernel_h);
    return check(in, p, 8);
  };
  using enum pool_kind;
  CHECK(one({3, 40, 40}, {.kind = maximum, .window = {.kernel_h = 3, .kernel_w = 3,
                                                      .stride_h = 2, .stride_w = 2}}) == 2);
  for (const bool ceil : {false, true}) {
    CHECK(one({3, 40, 41}, {.kind = maximum, .window = {.kernel_h = 9, .kernel_w = 9,
                            .stride_h = 9, .stride_w = 9, .pad_top = 1}, .ceil = ceil}) == 3);
    CHECK(one({3, 40, 43}, {.kind = maximum, .window = {.kernel_h = 2, .kernel_w = 2,
                            .stride_h = 11, .stride_w = 16}, .ceil = ceil}) == 3);
    for (const bool include : {false, true}) {
      CHECK(one({3, 40, 41}, {.kind = average,
                              .window = {.kernel_h = 9, .kernel_w = 10, .stride_h = 2,
                                         .stride_w = 3, .pad_top = 4, .pad_left = 5,
                                         .pad_bottom = 2, .pad_right = 1},
                              .ceil = ceil, .count_include_pad = include}) >= 2);
      CHECK(one({2, 30, 70}, {.kind = average,
                              .window = {.kernel_h = 2, .kernel_w = 40, .stride_h = 9,
                                         .stride_w = 5, .pad_left = 20, .pad_right = 20},
                              .ceil = ceil, .count_include_pad = include}) > 3);
    }
  }
}
