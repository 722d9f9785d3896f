// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/quant/pooling.hpp>
#include <nvdlac/pass/pool_levels.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <variant>

#include <nvdlac/pass/split.hpp>

#include "networks.hpp"

using namespace quant_test;

namespace {

// One pooling over random values from `low` to 1, as far as the passes do not split it.
struct one_pooling {
  net::graph g{};
  std::vector<net::float_tensor> x{};
  quantised::graph q{};

  one_pooling(const net::pool& pool, net::shape in, std::uint32_t seed, float low = -1) {
    std::mt19937 random(seed);
    mark(g, g.add("pool", pool, {g.add("in", net::input{in})}));
    pass::split_global_pool::run(g);
    net::infer_shapes(g);
    x = {random_tensor(random, in)};
    for (float& v : x[0].values) v = low + (v + 1) / 2 * (1 - low);
    q = quant::quantise(g, min_max_table(g, x));
  }
  double in_scale() const { return q[net::input_nodes(q)[0]].scale; }
  double out_scale() const { return q[q.outputs()[0]].scale; }
  double worst_in_steps() const { return worst_steps(g, q, x); }
};

// The worst difference in steps.
double worst(const net::pool& pool, net::shape in, std::uint32_t seed) {
  return one_pooling(pool, in, seed).worst_in_steps();
}

constexpr net::pool mean{.kind = net::pool_kind::average, .global = true};

}  // namespace

TEST_CASE("global pooling of every size up to 70") {
  for (std::int32_t h = 1; h <= 70; h += h < 20 ? 1 : 7)
    for (const std::int32_t w : {1, 7, 8, 9, 13, 64, 65}) {
      CAPTURE(h); CAPTURE(w);
      for (const auto kind : {net::pool_kind::maximum, net::pool_kind::minimum})
        CHECK(worst({.kind = kind, .global = true}, {2, h, w}, 1) <= 0.51);
      // Half a step of its own scale, half of that of the input; larger ones round at the input's
      // scale as well, half a step for each of up to two poolings of PDP.
      const one_pooling p(mean, {2, h, w}, 2);
      const double before = std::max(h, w) <= pass::whole_mean ? 0.5 : 1.55;
      CHECK(p.worst_in_steps() * p.out_scale() <=
            0.51 * p.out_scale() + before * p.in_scale() * (h > 64 || w > 64 ? 1.5 : 1));
    }
}

TEST_CASE("large maximum and minimum windows with strides, pads and ceil") {
  for (const std::int32_t k : {9, 11, 15, 16, 23})
    for (const std::int32_t stride : {1, 2, 5})
      for (const std::int32_t pad : {0, 3, 8})
        for (const bool ceil : {false, true}) {
          CAPTURE(k); CAPTURE(stride); CAPTURE(pad); CAPTURE(ceil);
          const net::window w{.kernel_h = k, .kernel_w = 3, .stride_h = stride, .stride_w = 2,
                              .pad_top = pad, .pad_left = 1, .pad_bottom = pad, .pad_right = 1};
          for (const auto kind : {net::pool_kind::maximum, net::pool_kind::minimum})
            CHECK(worst({.kind = kind, .window = w, .ceil = ceil}, {1, 25, 10}, 3) <= 0.51);
        }
}

TEST_CASE("maximum windows that are nearly all padding") {
  for (const std::int32_t k : {9, 16, 17, 30})
    for (const std::int32_t before : {0, k / 2, k - 1})
      for (const std::int32_t after : {0, k / 2, k - 1})
        for (const std::int32_t size : {1, 2, 20}) {
          if (before + size + after < k) continue;
          CAPTURE(k); CAPTURE(before); CAPTURE(after); CAPTURE(size);
          const net::window w{.kernel_h = k, .pad_top = before, .pad_bottom = after};
          CHECK(worst({.window = w}, {2, size, 3}, 4) <= 0.51);
        }
}

TEST_CASE("an average has the scale of its values where that is worth more than 3 dB") {
  // The mean of many values around 0 is near 0.
  for (const net::shape in : {net::shape{40, 3, 3}, {40, 7, 7}, {9, 13, 13}, {20, 16, 16}}) {
    CAPTURE(in.h);
    const one_pooling p(mean, in, 5);
    CHECK(p.out_scale() * 1.41 < p.in_scale());
    CHECK(std::holds_alternative<quantised::average>(p.q[p.q.outputs()[0]].op));
    const auto means = quantised::evaluate(p.q, feed_of(p.x[0], p.in_scale()));
    const std::set<int> distinct(means[0].values.begin(), means[0].values.end());
    CHECK(distinct.size() >= static_cast<std::size_t>(in.c) * 3 / 4);
  }
  // The mean of values that are all alike is as large as they are.
  const one_pooling same(mean, {40, 7, 7}, 5, 0.9F);
  CHECK(same.out_scale() == same.in_scale());
  CHECK(std::holds_alternative<quantised::pool>(same.q[same.q.outputs()[0]].op));
  // PDP's windows are too small for that one.
  const one_pooling large(mean, {40, 13, 13}, 5, 0.9F);
  CHECK(std::holds_alternative<quantised::average>(large.q[large.q.outputs()[0]].op));
  CHECK(large.worst_in_steps() <= 1.01);
}

TEST_CASE("no unit of the sum is more than a step") {
  const one_pooling tiny({.kind = net::pool_kind::average,
                          .window = {.kernel_h = 2, .kernel_w = 2}}, {1, 2, 2}, 3);
  CHECK(tiny.out_scale() >= tiny.in_scale() / 4 * 0.999);
}

TEST_CASE("averages of windows that count different numbers, or of many lines, stay with PDP") {
  const net::pool same{.kind = net::pool_kind::average,
                       .window = {.kernel_h = 3, .kernel_w = 3, .pad_top = 1, .pad_left = 1,
                                  .pad_bottom = 1, .pad_right = 1}};
  auto padded = same;
  padded.count_include_pad = true;
  CHECK_FALSE(quant::window_of_average(same, {4, 6, 6}));
  CHECK(quant::window_of_average(padded, {4, 6, 6}) == same.window);
  CHECK_FALSE(quant::window_of_average(padded, {4, 9, 9}));
  CHECK_FALSE(quant::window_of_average({.kind = net::pool_kind::maximum, .global = true},
                                       {4, 6, 6}));
  CHECK_FALSE(quant::window_of_average(mean, {4, 1, 1}));
  CHECK_FALSE(quant::window_of_average(mean, {4, 17, 1}));
}

TEST_CASE("averages read and give integers that count from others than 0") {
  for (const std::int32_t in : {0, -128, -100})
    for (const std::int32_t out : {0, -128, -77})
      for (const double ratio : {0.9, 4.0, 30.0}) {
        CAPTURE(in); CAPTURE(out); CAPTURE(ratio);
        const net::window w{.kernel_h = 13, .kernel_w = 13};
        const auto op = quant::quantise_average(w, 169, {1, 1 / ratio, in, out});
        // The bias has 15 bits, the factor, too.
        const double bound = 0.51 + (std::abs(in) * ratio + std::abs(out)) / 65534;
        CHECK(op.pad == in);
        for (std::int32_t sum = -128 * 169; sum <= 127 * 169; sum += 97) {
          const double exact = (sum / 169.0 - in) * ratio + out;
          CHECK(std::fabs(op.finish(sum) - std::clamp(exact, -128.0, 127.0)) <= bound);
        }
      }
}

TEST_CASE("windows that fit are left alone") {
  const net::pool p{
      .kind = net::pool_kind::average, .window = {.kernel_h = 3, .kernel_w = 8}, .ceil = true};
  const auto q = quant::steps_of(p, {4, 20, 20}, {4, 18, 13}, "p");
  REQUIRE(q.size() == 1);
  CHECK(q[0].window == p.window);
  CHECK(q[0].ceil);
}

TEST_CASE("an average over a large window that slides is refused") {
  const net::pool p{.kind = net::pool_kind::average, .window = {.kernel_h = 9, .kernel_w = 9}};
  CHECK_THROWS_WITH_AS(quant::steps_of(p, {1, 20, 20}, {1, 12, 12}, "slow"),
                       doctest::Contains("layer 'slow': average pooling over 9x9"), error);
}
