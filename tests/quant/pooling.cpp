// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/quant/pooling.hpp>

#include <doctest/doctest.h>

#include <nvdlac/pass/split_global_pool.hpp>

#include "networks.hpp"

using namespace quant_test;

namespace {

// One pooling over random values: the worst difference in steps.
double worst(const net::pool& pool, net::shape in, std::uint32_t seed) {
  std::mt19937 random(seed);
  net::graph g;
  mark(g, g.add("pool", pool, {g.add("in", net::input{in})}));
  pass::split_global_pool::run(g);
  net::infer_shapes(g);
  const std::vector x{random_tensor(random, in)};
  return worst_steps(g, quant::quantise(g, min_max_table(g, x)), x);
}

}  // namespace

TEST_CASE("global pooling of every size up to 70") {
  for (std::int32_t h = 1; h <= 70; h += h < 20 ? 1 : 7)
    for (const std::int32_t w : {1, 7, 8, 9, 13, 64, 65}) {
      CAPTURE(h); CAPTURE(w);
      for (const auto kind : {net::pool_kind::maximum, net::pool_kind::minimum})
        CHECK(worst({.kind = kind, .global = true}, {2, h, w}, 1) <= 0.51);
      // Half a step for each of up to three poolings, one for the input; reciprocals are truncated.
      CHECK(worst({.kind = net::pool_kind::average, .global = true}, {2, h, w}, 2) <= 2.1);
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
