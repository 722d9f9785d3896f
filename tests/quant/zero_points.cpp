// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nvdlac/quant/zero_points.hpp>

#include "networks.hpp"

using namespace quant_test;

namespace {

net::convolution filters(std::mt19937& random, std::int32_t kernels, std::int32_t channels,
                         std::int32_t groups = 1, bool relu = false) {
  const auto count = static_cast<std::size_t>(kernels * channels / groups) * 9;
  return {.kernels = kernels,
          .window = {.kernel_h = 3, .kernel_w = 3, .pad_top = 1, .pad_left = 1, .pad_bottom = 1,
                     .pad_right = 1},
          .groups = groups,
          .weights = random_values(random, count, 0.5F),
          .bias = random_values(random, static_cast<std::size_t>(kernels), 0.5F),
          .relu = relu};
}

std::int32_t zero_of(const net::integer::graph& q, const std::string& name) {
  for (net::integer::graph::id n = 0; n < q.size(); ++n)
    if (q[n].name == name) return q[n].zero;
  FAIL("there is no ", name);
  return 0;
}
const net::integer::convolution& convolution(const net::integer::graph& q,
                                             const std::string& name) {
  for (net::integer::graph::id n = 0; n < q.size(); ++n)
    if (q[n].name == name) return std::get<net::integer::convolution>(q[n].op);
  throw error("there is no " + name);
}

}  // namespace

TEST_CASE("tensors that only convolutions read have 256 steps where nothing is below 0") {
  std::mt19937 random(5);
  net::graph g;
  const auto in = g.add("in", net::input{{5, 9, 8}});
  const auto a = g.add("a", filters(random, 6, 5, 1, true), {in});
  const auto b = g.add("b", filters(random, 6, 6, 6), {a});
  const auto cut = g.add("cut", net::clip{0, 1.5F}, {b});
  const auto max = g.add("max", net::pool{.window = {.kernel_h = 3, .kernel_w = 3, .stride_h = 2,
                                                     .stride_w = 2, .pad_top = 1, .pad_left = 1}},
                         {cut});
  const auto c = g.add("c", filters(random, 4, 6), {max});
  const auto relu = g.add("relu", net::relu{}, {c});
  const auto mean =
      g.add("mean", net::pool{.kind = net::pool_kind::average, .global = true}, {relu});
  mark(g, g.add("fc", net::fully_connected{.outputs = 7, .weights = random_values(random, 28, 1)},
                {mean}));
  const std::vector x{random_tensor(random, {5, 9, 8})};
  const auto q = quant::quantise(g, min_max_table(g, x));
  for (const char* name : {"a", "max", "mean"}) CHECK(zero_of(q, name) == -128);
  for (const char* name : {"in", "fc"}) CHECK(zero_of(q, name) == 0);
  CHECK(convolution(q, "a").pad == 0);
  CHECK(convolution(q, "b").pad == -128);
  CHECK(convolution(q, "c").pad == -128);
  CHECK_FALSE(convolution(q, "a").relu);
  CHECK(worst_steps(g, q, x) <= 2);

  // What the network gives is what it gives with 127 steps, but for their size.
  const auto scales = min_max_table(g, x);
  CHECK(q[1].scale == doctest::Approx(*scales.find("a") * 127 / 255));
}

TEST_CASE("tensors that others read count from 0") {
  std::mt19937 random(6);
  const auto zero_of_first = [&](auto add, bool relu = true) {
    net::graph g;
    const auto in = g.add("in", net::input{{4, 6, 6}});
    const auto a = g.add("a", filters(random, 4, 4, 1, relu), {in});
    mark(g, add(g, in, a));
    return quant::zero_points(g, {})[a];
  };
  const auto conv = [&](net::graph& g, net::graph::id n) {
    net::infer_shapes(g);
    return g.add("conv", filters(random, 4, g[n].shape.c), {n});
  };
  const net::pool padded{.kind = net::pool_kind::average,
                         .window = {.kernel_h = 2, .kernel_w = 2, .pad_top = 1, .pad_left = 1}};
  CHECK(zero_of_first([&](auto& g, auto, auto a) { return conv(g, a); }) == -128);
  CHECK(zero_of_first([&](auto& g, auto, auto a) { return conv(g, a); }, false) == 0);
  CHECK(zero_of_first([&](auto&, auto, auto a) { return a; }) == 0);
  CHECK(zero_of_first([&](auto& g, auto in, auto a) {
    return g.add("sum", net::add{}, {conv(g, a), g.add("other", net::add{}, {in, a})});
  }) == -128);
  CHECK(zero_of_first([&](auto& g, auto in, auto a) {  // a ReLU from 0 on
    return g.add("sum", net::add{.relu = true}, {in, a});
  }) == 0);
  CHECK(zero_of_first([&](auto& g, auto in, auto a) {
    return conv(g, g.add("sum", net::add{.relu = true}, {in, a}));
  }) == -128);
  CHECK(zero_of_first([&](auto& g, auto in, auto a) {  // the input may be negative
    return conv(g, g.add("both", net::concat{}, {in, a}));
  }) == 0);
  CHECK(zero_of_first([&](auto& g, auto, auto a) {
    return conv(g, g.add("both", net::concat{}, {a, g.add("p", padded, {a})}));
  }) == -128);
  CHECK(zero_of_first([&](auto& g, auto in, auto a) {  // a scaling really
    return conv(g, g.add("sum", net::add{true, {0, 1}}, {in, a}));
  }) == 0);
  CHECK(zero_of_first([&](auto& g, auto, auto a) {
    const net::scale scale{.factor = {0.5F, -1, 2, 1}, .bias = {1, 1, 0, 0}, .relu = true};
    return conv(g, g.add("scale", scale, {a}));
  }) == 0);
  CHECK(zero_of_first([&](auto& g, auto, auto a) {
    return conv(g, g.add("product", net::multiply{}, {a, a}));
  }) == 0);
  CHECK(zero_of_first([&](auto& g, auto, auto a) {
    return conv(g, g.add("p", padded, {a}));
  }) == -128);
  CHECK(zero_of_first([&](auto& g, auto, auto a) {
    return conv(g, g.add("clip", net::clip{0, 1}, {a}));
  }) == -128);
  CHECK(zero_of_first([&](auto& g, auto, auto a) {
    return conv(g, g.add("clip", net::clip{-1, 1}, {a}));
  }, false) == 0);
}

TEST_CASE("only int8 counts from -128") {
  std::mt19937 random(7);
  net::graph g;
  const auto a = g.add("a", filters(random, 4, 4, 1, true), {g.add("in", net::input{{4, 6, 6}})});
  mark(g, g.add("b", filters(random, 4, 4), {a}));
  CHECK(quant::zero_points(g, {})[a] == -128);
  CHECK(quant::zero_points(g, hw::precision::int16)[a] == 0);
  net::layer_precisions mixed;
  mixed.of["b"] = hw::precision::int16;
  CHECK(quant::zero_points(g, mixed)[a] == 0);
}

TEST_CASE("sums, concats, moves and padded averages have 256 steps, too") {
  std::mt19937 random(8);
  net::graph g;
  const auto in = g.add("in", net::input{{5, 8, 8}});
  const auto conv = [&](const char* name, net::graph::id n, bool relu) {
    return g.add(name, filters(random, 6, g[n].shape.c, 1, relu), {n});
  };
  net::infer_shapes(g);
  const auto step = [&](net::graph::id n) { net::infer_shapes(g); return n; };
  const auto a = step(conv("a", in, true)), b = step(conv("b", a, false));
  const auto sum = step(g.add("sum", net::add{true, {0.7F, 1.5F}}, {a, b}));
  const auto mean = step(g.add("mean", net::pool{.kind = net::pool_kind::average,
                                                 .window = {.kernel_h = 3, .kernel_w = 3,
                                                            .pad_top = 1, .pad_left = 1,
                                                            .pad_bottom = 1, .pad_right = 1},
                                                 .count_include_pad = true}, {sum}));
  const auto half = step(g.add("half", net::scale{.factor = {0.4F, -0.4F, 1, 1, 0.1F, 1},
                                                  .bias = {0, 1, 0, 0, 0, 0}, .relu = true}, {b}));
  const auto both = step(g.add("both", net::concat{}, {mean, a, half}));
  std::vector<std::int32_t> places(6 * 8 * 8);
  for (std::size_t i = 0; i < places.size(); ++i)  // every third channel, and a line of zeros
    places[i] = i % 64 < 8 ? -1 : static_cast<std::int32_t>(i % 64 + 64 * (i / 64 * 3));
  const auto some = step(g.add("some", net::move{{6, 8, 8}, net::find_boxes(places, {6, 8, 8},
                                                                            g[both].shape)},
                               {both}));
  const auto last = step(g.add("last", net::add{}, {some, sum}));
  mark(g, conv("out", last, false));
  const std::vector x{random_tensor(random, {5, 8, 8})};
  const auto q = quant::quantise(g, min_max_table(g, x));
  for (const char* name : {"a", "sum", "mean", "half", "both", "some", "last"}) {
    CAPTURE(name);
    CHECK(zero_of(q, name) == -128);
  }
  CHECK(zero_of(q, "b") == 0);
  CHECK(worst_steps(g, q, x) <= 3);
}
