// SPDX-License-Identifier: Apache-2.0
// Networks in int16 and fp16 beside their float values.
#include <doctest/doctest.h>

#include <optional>
#include <set>

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/quant/real_form.hpp>
#include <nvdlac/quantised/numbers.hpp>

#include "networks.hpp"

using namespace quant_test;
using hw::precision;

namespace {

std::vector<net::float_tensor> computed(const net::graph& g, const quantised::graph& q,
                                        const std::vector<net::float_tensor>& in) {
  std::vector<quantised::feed> feeds;
  const auto nodes = net::input_nodes(q);
  for (std::size_t i = 0; i < in.size(); ++i)
    feeds.push_back(quantised::feed_of(
        quantised::numbers_of(in[i], q[nodes[i]].scale, q[nodes[i]].precision)));
  std::vector<net::float_tensor> result;
  for (const auto& t : quantised::evaluate_any(q, std::span<const quantised::feed>(feeds)))
    result.push_back(quantised::real_of(t, q[q.outputs()[result.size()]].scale));
  CHECK(result.size() == g.outputs().size());
  return result;
}

// The largest difference of any output beside the largest value of that output.
double worst(const net::graph& g, precision p, const std::vector<net::float_tensor>& in) {
  const auto table = p == precision::fp16 ? quant::scale_table{} : min_max_table(g, in);
  const auto q = quant::quantise(g, table, {.precision = p});
  const auto real = net::evaluate(g, std::span<const net::float_tensor>(in));
  const auto got = computed(g, q, in);
  double result = 0;
  for (std::size_t o = 0; o < real.size(); ++o) {
    double top = 0, error = 0;
    for (std::size_t i = 0; i < real[o].values.size(); ++i) {
      top = std::max(top, std::fabs(static_cast<double>(real[o].values[i])));
      error = std::max(error, std::fabs(static_cast<double>(real[o].values[i]) -
                                        static_cast<double>(got[o].values[i])));
    }
    result = std::max(result, error / top);
  }
  return result;
}

// Everything that runs in 16 bits.
net::graph all_operators(std::mt19937& random) {
  net::graph g;
  const auto filters = [&](std::int32_t k, std::int32_t c, std::int32_t groups = 1) {
    return net::convolution{
        .kernels = k, .groups = groups,
        .weights = random_values(random, static_cast<std::size_t>(k * c / groups), 0.5F),
        .bias = random_values(random, static_cast<std::size_t>(k), 0.2F)};
  };
  const auto in = g.add("in", net::input{{4, 6, 6}});
  const auto a = g.add("a", filters(6, 4), {in});
  const auto slopes = g.add("slopes", net::prelu{{0.1F, -0.2F, 0.3F, 0, 2, 1}}, {a});
  const auto bn = g.add("bn", net::batch_norm{.mean = std::vector<float>(6, 0.1F),
                                              .variance = std::vector<float>(6, 2),
                                              .gamma = random_values(random, 6, 3)}, {slopes});
  const auto half = g.add("half", net::scale{.factor = {0.5F}}, {bn});
  const auto relu = g.add("relu", net::relu{}, {half});
  const auto b = g.add("b", filters(6, 6, 3), {relu});
  const auto six = g.add("six", net::clip{-0.25F, 0.5F}, {b});
  const auto sum = g.add("sum", net::add{.coefficients = {2, -0.5F}}, {six, relu});
  const auto product = g.add("product", net::multiply{}, {sum, b});
  const auto top = g.add("top", net::extremum{}, {product, relu});
  const auto known = g.add("known", net::constant{random_tensor(random, {3, 6, 6}, 2)});
  const auto all = g.add("all", net::concat{}, {top, known, sum});
  const auto avg =
      g.add("avg", net::pool{.kind = net::pool_kind::average, .global = true}, {all});
  const auto fc = g.add(
      "fc", net::fully_connected{.outputs = 5, .weights = random_values(random, 75, 1)}, {avg});
  g[fc].output = true;
  mark(g, g.add("prob", net::softmax{}, {fc}));
  return g;
}

}  // namespace

TEST_CASE("int16 and fp16 are nearer to the real network than int8") {
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    std::mt19937 random(seed);
    const auto g = all_operators(random);
    const std::vector in{random_tensor(random, {4, 6, 6}, 2)};
    CAPTURE(seed);
    CHECK(worst(g, precision::int16, in) < 0.001);
    CHECK(worst(g, precision::fp16, in) < 0.005);
    CHECK(worst(g, precision::int8, in) > 0.001);
  }
}

TEST_CASE("int16 holds inputs that reach further than the samples, unless scales are given") {
  std::mt19937 random(7);
  net::graph g;
  const auto in = g.add("in", net::input{{8, 1, 1}});
  const auto fc = g.add("fc", net::fully_connected{.outputs = 6,
                                                   .weights = random_values(random, 48, 1)}, {in});
  const auto relu = g.add("relu", net::relu{}, {fc});
  const auto curve = g.add("curve", net::activation{net::function::sigmoid}, {fc});
  const auto six = g.add("six", net::clip{-0.5F, 0.5F}, {fc});
  mark(g, g.add("all", net::concat{}, {relu, curve, six}));
  const std::vector samples{random_tensor(random, {8, 1, 1})};
  auto table = min_max_table(g, samples);
  const auto scale_of = [](const quantised::graph& q, const std::string& name) {
    for (std::size_t n = 0; n < q.size(); ++n)
      if (q[n].name == name) return q[n].scale;
    throw error("there is no " + name);
  };
  const auto q = quant::quantise(g, table, {.precision = precision::int16});
  const double reach = table.entries.at(0).range.largest();
  CHECK(scale_of(q, "in") == doctest::Approx(4 * reach / 32767));
  for (const float factor : {1.0F, 2.0F, 3.9F}) {
    CAPTURE(factor);
    auto further = samples;
    for (float& x : further[0].values) x *= factor;
    const auto real = net::evaluate(g, std::span<const net::float_tensor>(further));
    const auto got = computed(g, q, further);
    for (std::size_t i = 0; i < real[0].values.size(); ++i)
      CHECK(std::fabs(real[0].values[i] - got[0].values[i]) < 2e-3F);
  }
  for (auto& e : table.entries) e.measured = false;
  const auto given = quant::quantise(g, table, {.precision = precision::int16});
  CHECK(scale_of(given, "in") == doctest::Approx(reach / 32767));
}

TEST_CASE("an exponential has no room before it in int16, which no other tensor loses by that") {
  std::mt19937 random(7);
  net::graph g;
  const auto in = g.add("in", net::input{{8, 1, 1}});
  const auto fc = [&](const char* name, net::graph::id from, std::int32_t outputs) {
    const auto weights = static_cast<std::size_t>(8 * outputs);
    return g.add(name, net::fully_connected{.outputs = outputs,
                                            .weights = random_values(random, weights, 1)}, {from});
  };
  const auto first = fc("first", in, 8), other = fc("other", first, 4), sum = fc("sum", first, 8);
  const auto one = g.add("one", net::constant{{{8, 1, 1}, std::vector<float>(8, 2)}}, {});
  const auto all = g.add("all", net::concat{}, {sum, one});
  const auto same = g.add("same", net::reshape{{4, 2, 2}}, {all});
  mark(g, other);
  mark(g, g.add("power", net::activation{net::function::exponential}, {same}));
  auto table = min_max_table(g, {random_tensor(random, {8, 1, 1})});
  diagnostics found;
  const auto scales = quant::output_scales(g, table, precision::int16, found);
  const auto room_of = [&](net::graph::id n) { return scales.at(n).room; };
  CHECK(room_of(in) == quant::beyond_calibration);
  CHECK(room_of(first) == quant::beyond_calibration);
  CHECK(room_of(other) == quant::beyond_calibration);
  for (const auto n : {sum, all, same}) CHECK(room_of(n) == 1);
}

TEST_CASE("what is scaled alike before a logarithm alone has no room in int16 either") {
  for (const bool read : {false, true}) {
    CAPTURE(read);
    net::graph g;
    const auto in = g.add("in", net::input{{4, 1, 1}});
    const auto square = g.add("square", net::multiply{}, {in, in});
    const auto more = g.add("more", net::scale{.factor = {1}, .bias = {1e-3F}}, {square});
    if (read) g[square].output = true;
    mark(g, g.add("log", net::activation{net::function::logarithm}, {more}));
    const auto table = min_max_table(g, {{{4, 1, 1}, {2, -1, 0.5F, 3}}});
    diagnostics found;
    const auto scales = quant::output_scales(g, table, precision::int16, found);
    found.check();
    CHECK(scales.at(in).room == quant::beyond_calibration);
    CHECK(scales.at(square).room == (read ? quant::beyond_calibration : 1));
    CHECK(scales.at(more).room == 1);
  }
}

TEST_CASE("a bounded function has no more room in int16 than it can use") {
  net::graph g;
  const auto in = g.add("in", net::input{{4, 1, 1}});
  mark(g, g.add("y", net::activation{net::function::sigmoid}, {in}));
  const auto q = quant::quantise(g, min_max_table(g, {{{4, 1, 1}, {2, -1, 0, 1}}}),
                                 {.precision = precision::int16});
  CHECK(q[q.outputs()[0]].scale * 32767 <= 1);
  CHECK(q[q.outputs()[0]].scale * 32767 > 0.999);
}

TEST_CASE("int16 averages a whole input in one sum, fp16 in levels") {
  std::mt19937 random(6);
  net::graph g;
  mark(g, g.add("mean", net::pool{.kind = net::pool_kind::average, .global = true},
                {g.add("in", net::input{{3, 13, 11}})}));
  std::vector in{random_tensor(random, {3, 13, 11}, 2)};
  for (float& x : in[0].values) x += 1;
  CHECK(worst(g, precision::int16, in) < 0.002);
  CHECK(worst(g, precision::fp16, in) < 0.005);
  const auto q = quant::quantise(g, min_max_table(g, in), {.precision = precision::int16});
  REQUIRE(q.size() == 2);
  CHECK(std::holds_alternative<quantised::average>(q[q.outputs()[0]].op));
}

TEST_CASE("int16 averages over windows that PDP has keep the scale of what they read") {
  std::mt19937 random(9);
  for (const std::int32_t side : {8, 9}) {
    net::graph g;
    mark(g, g.add("mean", net::pool{.kind = net::pool_kind::average, .global = true},
                  {g.add("in", net::input{{8, side, side}})}));
    const std::vector in{random_tensor(random, {8, side, side}, 2)};
    const auto q = quant::quantise(g, min_max_table(g, in), {.precision = precision::int16});
    CHECK(std::holds_alternative<quantised::average>(q[q.outputs()[0]].op) == (side == 9));
    CHECK(worst(g, precision::int16, in) < (side == 9 ? 2e-4 : 2 * q[0].scale));
  }
}

TEST_CASE("a weight beyond fp16 is an error with its layer") {
  net::graph g;
  mark(g, g.add("much", net::scale{.factor = {70000, 1}, .bias = {}},
                {g.add("in", net::input{{2, 1, 1}})}));
  try {
    quant::quantise(g, {}, {.precision = precision::fp16});
    FAIL("no error");
  } catch (const error& e) {
    CHECK(std::string(e.what()).find(
              "layer 'much': a factor of 70000 is beyond the range of fp16") == 0);
  }
}

TEST_CASE("fp16: weights that are multiples of a step stay so, others have no multiplier") {
  std::mt19937 random(3);
  std::vector<float> weights, bias;
  const std::size_t taps = 40, kernels = 8;
  std::vector<double> steps;
  for (std::size_t k = 0; k < kernels; ++k) {
    steps.push_back(0.001 + 0.0037 * static_cast<double>(k));
    for (std::size_t i = 0; i < taps; ++i)
      weights.push_back(static_cast<float>(steps[k] * (static_cast<int>(random() % 511) - 255)));
    bias.push_back(static_cast<float>(0.9 * static_cast<double>(k) - 3.3));
  }
  const quant::real_filters filters{.kernels = 8, .weights = weights, .bias = bias};
  const auto q = quant::real_convolution(filters);
  for (std::size_t k = 0; k < kernels; ++k) {
    const double multiplier = quant::of_half_bits(q.multiplier[k]);
    CHECK(multiplier * quant::of_half_bits(q.bias[k]) == doctest::Approx(bias[k]).epsilon(5e-4));
    std::set<double> ratios;  // of what a weight became to what it was, in steps
    for (std::size_t i = k * taps; i < (k + 1) * taps; ++i)
      if (weights[i] != 0) {
        const double step = multiplier * quant::of_half_bits(q.wide_weights[i]) /
                            std::round(double{weights[i]} / steps[k]);
        ratios.insert(step);
        CHECK(step == doctest::Approx(steps[k]).epsilon(2e-4));
      }
    CHECK(ratios.size() == 1);
  }
  for (float& w : weights) w = static_cast<float>(random()) / 4e9F - 0.5F;
  for (const auto m : quant::real_convolution(filters).multiplier)
    CHECK(m == hw::one(precision::fp16));
}

TEST_CASE("numbers of fp16 are rounded to even, down to denormal ones") {
  CHECK(quant::half_bits(1, "x") == 0x3c00);
  CHECK(quant::half_bits(-2, "x") == static_cast<std::int16_t>(0xc000));
  CHECK(quant::half_bits(65519.9, "x") == 0x7bff);
  CHECK_THROWS_AS(quant::half_bits(65520, "x"), error);
  CHECK_THROWS_AS(quant::half_bits(std::nan(""), "x"), error);
  CHECK(quant::half_bits(0x1p-24, "x") == 1);
  CHECK(quant::half_bits(1.5 * 0x1p-24, "x") == 2);
  CHECK(quant::half_bits(1e-30, "x") == 0);
}

TEST_CASE("an int16 softmax reads fp16, at any scale") {
  for (const float size : {1e-5F, 1.0F, 1e5F}) {
    net::graph g;
    mark(g, g.add("prob", net::softmax{}, {g.add("in", net::input{{3, 1, 1}})}));
    const std::vector<net::float_tensor> in{{{3, 1, 1}, {size, -size, size / 2}}};
    CHECK(worst(g, precision::int16, in) < 0.002);
  }
}

TEST_CASE("precisions are for layers that are there and that are layers of their own") {
  net::graph g;
  const auto in = g.add("in", net::input{{3, 2, 2}});
  const auto conv = g.add("conv", net::convolution{.kernels = 2, .weights = {1, 2, 3, 4, 5, 6}},
                          {in});
  mark(g, g.add("slopes", net::prelu{{0.5F}}, {conv}));
  const auto refusal = [&](net::layer_precisions p) {
    try {
      quant::quantise(g, {.entries = {{"in", 1}, {"conv", 1}, {"slopes", 1}}},
                      {.precision = std::move(p)});
    } catch (const error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  using map = decltype(net::layer_precisions::of);
  CHECK(refusal(precision::fp16).empty());
  CHECK(refusal({precision::fp16, map{{"in", precision::int8}}}).empty());
  CHECK(refusal({precision::fp16, map{{"none", precision::int8}}}).find("layer 'none': is to be") ==
        0);
  const auto part = refusal({precision::int16, map{{"slopes", precision::int8}}});
  CHECK(part.find("layer 'slopes': is a part of the layer 'conv', which is computed in int16") ==
        0);
}

// SDP has no other way (the RTL of nv_full hangs on int8 that is to become fp16).
TEST_CASE("int8 and fp16 become each other by way of int16, in any mixture of precisions") {
  std::mt19937 random(15);
  net::graph g;
  const auto in = g.add("in", net::input{{2, 3, 3}});
  const auto a = g.add("a", net::convolution{.kernels = 2, .weights = random_values(random, 4, 1)},
                       {in});
  const auto b = g.add("b", net::pool{.window = {.kernel_h = 2, .kernel_w = 2}}, {a});
  mark(g, g.add("c", net::convolution{.kernels = 3, .weights = random_values(random, 6, 1)}, {b}));
  const std::vector<net::float_tensor> pictures{{{2, 3, 3}, random_values(random, 18, 1)}};
  const auto real = net::evaluate(g, std::span<const net::float_tensor>(pictures));
  const auto table = min_max_table(g, pictures);
  std::size_t through_int16 = 0;
  for (int mixture = 0; mixture < 81; ++mixture) {
    net::layer_precisions p(static_cast<precision>(mixture / 27));
    p.of["a"] = static_cast<precision>(mixture / 9 % 3);
    p.of["b"] = static_cast<precision>(mixture / 3 % 3);
    p.of["c"] = static_cast<precision>(mixture % 3);
    CAPTURE(mixture);
    const auto q = quant::quantise(g, table, {.precision = p});
    for (std::size_t n = 0; n < q.size(); ++n) {
      if (q.get_if<quantised::convert>(n) == nullptr) continue;
      const auto before = q.inputs(n)[0];
      const auto from = q.precision(before), to = q.precision(n);
      const bool has_int16 = from == precision::int16 || to == precision::int16;
      CHECK(has_int16);
      through_int16 += to == precision::fp16 && q.get_if<quantised::convert>(before) != nullptr;
    }
    const auto got = computed(g, q, pictures);
    for (std::size_t i = 0; i < real[0].values.size(); ++i)
      CHECK(std::fabs(real[0].values[i] - got[0].values[i]) < 0.05F);
  }
  CHECK(through_int16 > 0);
}

TEST_CASE("an int8 tensor keeps its 256 steps where layers of 16 bits read it") {
  std::mt19937 random(16);
  for (const auto wide : {precision::int16, precision::fp16}) {
    net::graph g;
    const auto in = g.add("in", net::input{{2, 9, 9}});
    const auto a =
        g.add("a", net::convolution{.kernels = 2, .weights = random_values(random, 4, 1)}, {in});
    const auto relu = g.add("relu", net::relu{}, {a});
    mark(g, g.add("b", net::convolution{.kernels = 2, .weights = {1, 0, 0, 1}}, {relu}));
    const std::vector<net::float_tensor> pictures{random_tensor(random, {2, 9, 9})};
    const auto table = min_max_table(g, pictures);
    const auto from = [&](bool narrow) {
      net::layer_precisions p(wide);
      if (narrow)
        p.of = {{"in", precision::int8}, {"a", precision::int8}, {"relu", precision::int8}};
      return quant::quantise(g, table, {.precision = p});
    };
    const auto mixed = from(true);
    std::optional<double> step;
    for (std::size_t n = 0; n < mixed.size(); ++n)
      if (const auto* op = mixed.get_if<quantised::convert>(n);
          op != nullptr && mixed.precision(mixed.inputs(n)[0]) == precision::int8) {
        CHECK(mixed[mixed.inputs(n)[0]].zero == -128);
        CHECK(op->out.offset == -128);
        CHECK(mixed[n].zero == 0);
        step = mixed[mixed.inputs(n)[0]].scale;
      }
    REQUIRE(step);
    const auto real = net::evaluate(g, std::span<const net::float_tensor>(pictures));
    const auto got = computed(g, mixed, pictures);
    double top = 0;
    for (const float x : real[0].values) top = std::max(top, double{x});
    CHECK(*step == doctest::Approx(top / 255).epsilon(0.001));
    // a's sum is off by what its int8 inputs are, half a step of them for each of two weights.
    for (std::size_t i = 0; i < real[0].values.size(); ++i)
      CHECK(std::fabs(real[0].values[i] - got[0].values[i]) < 0.51 * *step + 1.03 / 127);
  }
}

TEST_CASE("a conversion that SDP does not have is refused, and has no value") {
  using check = nvdlac::lower::support<quantised::convert, nv_full>;
  for (const auto& [from, to] : {std::pair{precision::int8, precision::fp16},
                                 {precision::fp16, precision::int8}}) {
    CHECK(check::check({.to = to}, {}, from) == lower::reason::int8_and_fp16_meet_in_int16);
    quantised::graph g;
    const auto in = g.add("in", quantised::input{{1, 1, 1}});
    const auto out = g.add("out", quantised::convert{.to = to}, {in});
    g[in].precision = from;
    g[out].precision = to;
    g[out].output = true;
    net::infer_shapes(g);
    const std::vector<quantised::feed> feeds{quantised::feed_of(net::make_tensor(from, {1, 1, 1}))};
    CHECK_THROWS_WITH(
        quantised::evaluate_any(g, std::span<const quantised::feed>(feeds)),
        doctest::Contains("SDP brings neither int8 to fp16 nor fp16 to int8 at once"));
  }
}
