// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

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

std::int32_t zero_of(const quantised::graph& q, const std::string& name) {
  for (quantised::graph::id n = 0; n < q.size(); ++n)
    if (q[n].name == name) return q[n].zero;
  FAIL("there is no ", name);
  return 0;
}
const quantised::convolution& convolution(const quantised::graph& q,
                                             const std::string& name) {
  for (quantised::graph::id n = 0; n < q.size(); ++n)
    if (q[n].name == name) return std::get<quantised::convolution>(q[n].op);
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

  // The network gives what it gives with 127 steps, but for their size.
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
  const auto with_int16 = [](const char* layer) {
    return net::layer_precisions(hw::precision::int8, {{layer, hw::precision::int16}});
  };
  CHECK(quant::zero_points(g, with_int16("a"))[a] == 0);
  CHECK(quant::zero_points(g, with_int16("b"))[a] == -128);  // read as SDP converts it
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

TEST_CASE("a clipping does not count from -128 where its input has another scale") {
  std::mt19937 random(3);
  net::graph g;
  const auto in = g.add("in", net::input{{5, 4, 6}});
  const auto a = g.add("a", filters(random, 4, 5, 1, true), {in});
  std::vector<std::int32_t> places(4 * 4 * 6);
  for (std::size_t i = 0; i < places.size(); ++i)  // lines become columns
    places[i] = static_cast<std::int32_t>(i / 24 * 24 + i % 4 * 6 + i / 4 % 6);
  const auto turned =
      g.add("turned", net::move{{4, 6, 4}, net::find_boxes(places, {4, 6, 4}, {4, 4, 6})}, {a});
  const auto least = g.add("least", net::clip{.high = 0.1F}, {turned});
  mark(g, g.add("b", filters(random, 3, 4), {least}));
  // Another reader of `a` keeps it from taking the clipping's scale.
  mark(g, g.add("mean", net::pool{.kind = net::pool_kind::average, .global = true}, {a}));
  const std::vector x{random_tensor(random, {5, 4, 6})};
  CHECK(worst_steps(g, quant::quantise(g, min_max_table(g, x)), x) <= 4);
}

namespace {

// How far the values are from the real ones, in decibels below these.
double snr(const net::graph& g, const quantised::graph& q,
           const std::vector<net::float_tensor>& in) {
  const auto real = net::evaluate(g, std::span<const net::float_tensor>(in));
  const auto found = run(q, in);
  double signal = 0, noise = 0;
  for (std::size_t j = 0; j < real[0].values.size(); ++j) {
    const double x{real[0].values[j]}, e = x - double{found[0].values[j]};
    signal += x * x;
    noise += e * e;
  }
  return 10 * std::log10(signal / noise);
}
net::graph::id leaky(net::graph& g, const std::string& name, net::graph::id from, float slope) {
  return g.add(name, net::prelu{.slope = {slope}}, {from});
}

}  // namespace

TEST_CASE("what reaches below 0 a little counts from an integer between") {
  for (const double below : {1e-9, 0.01, 0.1, 0.5, 0.75}) {
    const int zero = quant::zero_of_range(below);
    const double step = 1.0 / (127 - zero);
    CHECK(zero > -128);
    CHECK((-128 - zero) * step <= -below * (1 - 1e-9));
    CHECK((-127 - zero) * step >= -below - step);
  }

  std::mt19937 random(9);
  net::graph g;
  const auto in = g.add("in", net::input{{6, 12, 12}});
  net::infer_shapes(g);
  const auto conv = [&](const std::string& name, net::graph::id n, std::int32_t kernels) {
    net::infer_shapes(g);
    return g.add(name, filters(random, kernels, g[n].shape.c), {n});
  };
  const auto a = leaky(g, "a", conv("ca", in, 8), 0.1F);
  const auto max = g.add("max", net::pool{.window = {.kernel_h = 3, .kernel_w = 3, .pad_top = 1,
                                                     .pad_left = 1, .pad_bottom = 1,
                                                     .pad_right = 1}}, {a});
  const auto mean = g.add("mean", net::pool{.kind = net::pool_kind::average,
                                            .window = {.kernel_h = 2, .kernel_w = 2, .pad_top = 1,
                                                       .pad_left = 1},
                                            .count_include_pad = true}, {a});
  const auto swish = g.add("swish", net::activation{.function = net::function::swish},
                           {conv("cs", max, 8)});
  const auto b = leaky(g, "b", conv("cb", swish, 8), 0.2F);
  const auto other = conv("other", mean, 8);
  const auto sum = g.add("sum", net::add{.coefficients = {1, -0.1F}}, {a, other});
  const auto both = g.add("both", net::concat{}, {b, sum, a});
  mark(g, conv("out", both, 4));

  const std::vector x{random_tensor(random, {6, 12, 12})};
  const auto table = min_max_table(g, x);
  const auto q = quant::quantise(g, table);
  for (const char* name : {"ca", "max", "mean", "swish", "cb", "sum", "both"}) {
    CAPTURE(name);
    CHECK(zero_of(q, name) > -128);
    CHECK(zero_of(q, name) < -20);
  }
  CHECK(zero_of(q, "max") == zero_of(q, "ca"));
  CHECK(zero_of(q, "cb") == zero_of(q, "both"));  // it is the concat's alone
  CHECK(zero_of(q, "out") == 0);
  CHECK(convolution(q, "out").pad == zero_of(q, "both"));
  CHECK(convolution(q, "ca").out.offset != 0);

  auto symmetric = table;
  for (auto& e : symmetric.entries) e.low.reset();
  const auto before = quant::quantise(g, symmetric);
  for (const char* name : {"ca", "max", "mean", "swish", "cb", "sum", "both"})
    CHECK(zero_of(before, name) == 0);
  CHECK(snr(g, q, x) > snr(g, before, x) + 1);
  CHECK(worst_steps(g, q, x) <= 3);
}

TEST_CASE("tensors that reach below 0 keep their middle where others need it") {
  std::mt19937 random(10);
  const auto zero_of_leaky = [&](auto add, float slope = 0.1F) {
    net::graph g;
    const auto in = g.add("in", net::input{{4, 6, 6}});
    const auto a = leaky(g, "a", g.add("c", filters(random, 4, 4), {in}), slope);
    mark(g, add(g, in, a));
    const std::vector x{random_tensor(random, {4, 6, 6})};
    const auto q = quant::quantise(g, min_max_table(g, x));
    CHECK(worst_steps(g, q, x) <= 3);
    return zero_of(q, q[1].name);
  };
  const auto conv = [&](net::graph& g, net::graph::id n) {
    net::infer_shapes(g);
    return g.add("conv", filters(random, 4, g[n].shape.c), {n});
  };
  CHECK(zero_of_leaky([&](auto& g, auto, auto a) { return conv(g, a); }) < -64);
  CHECK(zero_of_leaky([&](auto& g, auto, auto a) { return conv(g, a); }, 1.5F) == 0);
  CHECK(zero_of_leaky([&](auto&, auto, auto a) { return a; }) == 0);
  CHECK(zero_of_leaky([&](auto& g, auto, auto a) {
    return conv(g, g.add("product", net::multiply{}, {a, a}));
  }) == 0);
  CHECK(zero_of_leaky([&](auto& g, auto, auto a) {
    return conv(g, g.add("most", net::extremum{}, {a, a}));
  }) == 0);
  CHECK(zero_of_leaky([&](auto& g, auto, auto a) {
    return conv(g, g.add("relu", net::relu{}, {a}));
  }) == 0);
  CHECK(zero_of_leaky([&](auto& g, auto, auto a) {
    return conv(g, g.add("cut", net::clip{-0.1F, 1}, {a}));
  }) < -64);
  CHECK(zero_of_leaky([&](auto& g, auto, auto a) {  // which is not clipped for all
    return conv(g, g.add("both", net::concat{}, {g.add("cut", net::clip{-0.1F, 1}, {a}), a}));
  }) == 0);
  CHECK(zero_of_leaky([&](auto& g, auto in, auto a) {  // a ReLU from 0 on
    return g.add("sum", net::add{.relu = true}, {in, a});
  }) == 0);
  CHECK(zero_of_leaky([&](auto& g, auto in, auto a) {  // the input reaches as far to both sides
    return conv(g, g.add("both", net::concat{}, {in, a}));
  }) == 0);
}

TEST_CASE("a slope makes biases smaller that saturate before it") {
  net::graph g;
  const auto in = g.add("in", net::input{{1, 1, 1}});
  const auto fc = g.add("fc", net::fully_connected{.outputs = 2, .weights = {0.001F, 0.5F},
                                                   .bias = {-5, 0}}, {in});
  mark(g, g.add("leaky", net::prelu{.slope = {0.1F}}, {fc}));
  const std::vector x{net::float_tensor{{1, 1, 1}, {1}}};
  CHECK(worst_steps(g, quant::quantise(g, min_max_table(g, x)), x) <= 1);
}

TEST_CASE("a clipping of a sum of tensors that count from elsewhere cuts where it says") {
  std::mt19937 random(12);
  const auto worst = [&](auto join) {
    net::graph g;
    const auto in = g.add("in", net::input{{4, 6, 6}});
    net::infer_shapes(g);
    const auto a = g.add("a", filters(random, 4, 4, 1, true), {in});
    const auto b = g.add("b", filters(random, 4, 4, 1, true), {in});
    const auto joined = join(g, in, a, b);
    net::infer_shapes(g);
    mark(g, g.add("cut", net::clip{0, 1.2F}, {joined}));
    const std::vector x{random_tensor(random, {4, 6, 6})};
    const auto table = min_max_table(g, x);
    return worst_steps(g, quant::quantise(g, table), x);
  };
  const auto sum = [](net::add op) {
    return [=](net::graph& g, auto, auto a, auto b) { return g.add("sum", op, {a, b}); };
  };
  CHECK(worst(sum({})) <= 3);
  CHECK(worst(sum({.coefficients = {0.7F, 1.4F}})) <= 3);
  CHECK(worst(sum({.coefficients = {1, -1}})) <= 3);
  CHECK(worst([](net::graph& g, auto in, auto a, auto) {  // one of them counts from 0
    return g.add("sum", net::add{}, {in, a});
  }) <= 3);
  CHECK(worst([](net::graph& g, auto, auto a, auto b) {
    return g.add("product", net::multiply{}, {a, b});
  }) <= 5);
  CHECK(worst([](net::graph& g, auto, auto a, auto b) {
    return g.add("least", net::extremum{.kind = net::extremum_kind::minimum}, {a, b});
  }) <= 3);
}

TEST_CASE("a clipping behind slopes of a negative sign keeps what they make positive") {
  std::mt19937 random(13);
  net::graph g;
  const auto in = g.add("in", net::input{{4, 6, 6}});
  net::infer_shapes(g);
  const auto a = g.add("a", filters(random, 4, 4), {in});
  const auto bent = g.add("bent", net::prelu{.slope = {-0.8F, 0.1F, -0.3F, 0.5F}}, {a});
  mark(g, g.add("cut", net::clip{0, 1.2F}, {bent}));
  const std::vector x{random_tensor(random, {4, 6, 6})};
  CHECK(worst_steps(g, quant::quantise(g, min_max_table(g, x)), x) <= 2);
}

TEST_CASE("a clipping counts from 0 where what it reads is an output, too") {
  std::mt19937 random(14);
  net::graph g;
  const auto in = g.add("in", net::input{{4, 6, 6}});
  net::infer_shapes(g);
  const auto a = mark(g, g.add("a", filters(random, 4, 4), {in}));
  const auto cut = g.add("cut", net::clip{0, 1.2F}, {a});
  net::infer_shapes(g);
  const auto last = mark(g, g.add("last", filters(random, 4, 4), {cut}));
  g[a].output = true;
  CHECK(quant::zero_points(g, {})[cut] == 0);
  const std::vector x{random_tensor(random, {4, 6, 6})};
  const auto q = quant::quantise(g, min_max_table(g, x));
  const auto real = net::evaluate(g, std::span<const net::float_tensor>(x))[1];
  const auto found = run(q, x)[1];
  for (std::size_t i = 0; i < real.values.size(); ++i)
    CHECK(std::fabs(double{real.values[i]} - double{found.values[i]}) <=
          4 * q[q.outputs()[1]].scale);
  CHECK(g[last].output);
}

TEST_CASE("tensors that reach above 0 less far than below count from an integer above 0") {
  std::mt19937 random(17);
  net::graph g;
  const auto in = g.add("in", net::input{{4, 7, 6}});
  auto logits = filters(random, 5, 4);
  for (float& b : logits.bias) b = -4 + b;
  const auto a = g.add("a", logits, {in});
  const auto max = g.add("max", net::pool{.window = {.kernel_h = 2, .kernel_w = 2, .stride_h = 1,
                                                     .stride_w = 1, .pad_top = 1}}, {a});
  const auto other = g.add("other", logits, {in});
  const auto sum = g.add("sum", net::add{}, {a, other});
  const auto joined = g.add("joined", net::concat{}, {a, other});
  const auto sigmoid = g.add("sigmoid", net::activation{net::function::sigmoid}, {a});
  for (const auto n : {max, sum, joined}) {
    auto next = filters(random, 3, n == joined ? 10 : 5);
    mark(g, g.add("of_" + g[n].name, next, {n}));
  }
  mark(g, sigmoid);
  const std::vector x{random_tensor(random, {4, 7, 6})};
  const auto table = min_max_table(g, x);
  const auto entry = std::ranges::find(table.entries, "a", &quant::scale_table::entry::layer);
  REQUIRE(entry->high);
  CHECK_FALSE(entry->low);
  const auto q = quant::quantise(g, table);
  for (const char* name : {"a", "other", "max", "sum", "joined"}) {
    CAPTURE(name);
    CHECK(zero_of(q, name) > 18);
  }
  const auto real = net::evaluate(g, std::span<const net::float_tensor>(x));
  const auto given = run(q, x);
  for (std::size_t o = 0; o < real.size(); ++o) {
    CAPTURE(o);
    for (std::size_t i = 0; i < real[o].values.size(); ++i)
      CHECK(std::fabs(real[o].values[i] - given[o].values[i]) <=
            4 * static_cast<float>(q[q.outputs()[o]].scale));
  }
  // All 255 steps stand between its lowest and its highest value.
  const auto lowest = -entry->range.largest();
  CHECK(q[1].scale == doctest::Approx((*entry->high - lowest) / 255).epsilon(0.02));
  // Without the highest values they count from 0, and what reads them is less exact.
  auto symmetric = table;
  for (auto& e : symmetric.entries) e.high.reset();
  CHECK(zero_of(quant::quantise(g, symmetric), "a") == 0);
}
