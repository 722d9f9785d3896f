// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/quant/drift.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <nvdlac/compile_options.hpp>
#include <nvdlac/prepare.hpp>
#include <nvdlac/quant/effort.hpp>
#include <nvdlac/quant/scale_table.hpp>

#include "networks.hpp"

using namespace quant_test;

namespace {

using inputs = std::vector<std::vector<net::float_tensor>>;

constexpr float step = 1.0F / 127;  // of the input, whose largest value is 1

// Inputs whose values lie so far above the integers that they become, in steps.
inputs above_integers(std::mt19937& random, net::shape s, std::size_t count, float by) {
  inputs result;
  for (std::size_t n = 0; n < count; ++n) {
    auto t = random_tensor(random, s, 0.99F);
    for (float& v : t.values) v = (std::round(v / step) + by) * step;
    t.values[0] = 1;
    result.push_back({t});
  }
  return result;
}

std::vector<float> positive_values(std::mt19937& random, std::size_t n) {
  auto values = random_values(random, n, 1);
  for (float& v : values) v = std::fabs(v);
  return values;
}

// A convolution without padding, and a second one behind it.
net::graph two_convolutions(std::mt19937& random) {
  net::graph g;
  const auto in = g.add("in", net::input{{3, 9, 9}});
  const auto first = g.add("first", net::convolution{.kernels = 5,
                                                     .window = {.kernel_h = 3, .kernel_w = 3},
                                                     .weights = positive_values(random, 135),
                                                     .relu = true},
                           {in});
  mark(g, g.add("last", net::convolution{.kernels = 4, .weights = positive_values(random, 20)},
                {first}));
  return g;
}

auto prepared_with(const net::graph& g, const scale_source& source, compile_options options = {}) {
  options.calibrate = quant::min_max{};
  return prepare(g, source, options, pass::silent{}, [](net::graph&) {});
}

std::vector<double> drift_in(const quant::scale_table& table, const std::string& layer) {
  for (const auto& e : table.entries)
    if (e.layer == layer) return e.drift;
  return {};
}

double squared_error(const net::graph& g, const quantised::graph& q, const inputs& asked) {
  double sum = 0;
  for (const auto& s : asked) {
    const auto wanted = net::evaluate(g, std::span<const net::float_tensor>(s)).at(0);
    const auto found = run(q, s).at(0);
    for (std::size_t i = 0; i < wanted.values.size(); ++i)
      sum += std::pow(double{found.values[i]} - double{wanted.values[i]}, 2);
  }
  return sum;
}

void check_same_filters(const quantised::graph& a, const quantised::graph& b) {
  REQUIRE(a.size() == b.size());
  for (quantised::graph::id n = 0; n < a.size(); ++n)
    if (const auto* c = a.get_if<quantised::convolution>(n)) {
      CHECK(c->weights == std::get<quantised::convolution>(b[n].op).weights);
      CHECK(c->bias == std::get<quantised::convolution>(b[n].op).bias);
    }
}

}  // namespace

TEST_CASE("what all inputs are rounded by is the drift, and the biases take it back") {
  std::mt19937 random(42);
  const auto g = two_convolutions(random);
  const auto training = above_integers(random, {3, 9, 9}, 16, 0.4F);
  const auto asked = above_integers(random, {3, 9, 9}, 16, 0.4F);
  const auto samples = std::span<const sample>(training);
  const auto found = prepared_with(g, samples);
  const auto drift = drift_in(found.scales, "first");
  REQUIRE(drift.size() == 5);
  const auto& weights = std::get<net::convolution>(g[1].op).weights;
  for (std::size_t k = 0; k < 5; ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < 27; ++i) sum += double{weights[27 * k + i]};
    const double expected = -0.4 * double{step} * sum;
    CAPTURE(k);
    CHECK(drift[k] == doctest::Approx(expected).epsilon(0.1).scale(0.05));
  }

  compile_options without;
  without.without = {"correct_biases"};
  const auto plain = prepared_with(g, samples, without);
  CHECK(drift_in(plain.scales, "first").empty());
  CHECK(squared_error(g, found.integers, asked) < squared_error(g, plain.integers, asked) / 2);

  compile_options three;
  three.threads = 3;
  CHECK(prepared_with(g, samples, three).scales == found.scales);
  check_same_filters(prepared_with(g, scale_source(found.scales)).integers, found.integers);
  check_same_filters(prepared_with(g, scale_source(found.scales), without).integers,
                     plain.integers);
  auto of_another = found.scales;
  for (auto& e : of_another.entries) e.drift.resize(e.drift.size() * 2);
  CHECK_THROWS_AS(prepared_with(g, scale_source(of_another)), error);
  compile_options with_table;
  with_table.known = found.scales;
  const auto few = prepared_with(g, samples.first(4), with_table);
  CHECK(drift_in(few.scales, "first") == drift);
  check_same_filters(few.integers, found.integers);
  compile_options wide;
  wide.precision = hw::precision::int16;
  auto in_16 = found.scales;
  const auto by_table = prepared_with(g, scale_source(in_16), wide);
  for (auto& e : in_16.entries) e.drift.clear();
  check_same_filters(by_table.integers, prepared_with(g, scale_source(in_16), wide).integers);
}

TEST_CASE("drift is found with padding, groups, sums and several inputs") {
  std::mt19937 random(43);
  net::graph g;
  const auto in = g.add("in", net::input{{6, 12, 12}});
  const auto beside = g.add("beside", net::input{{6, 12, 12}});
  const net::window three{.kernel_h = 3, .kernel_w = 3, .pad_top = 1, .pad_left = 1,
                          .pad_bottom = 1, .pad_right = 1};
  const auto each = g.add("each", net::convolution{.kernels = 6, .window = three, .groups = 6,
                                                   .weights = positive_values(random, 54),
                                                   .relu = true}, {in});
  const auto all = g.add("all", net::convolution{.kernels = 6, .window = three,
                                                 .weights = positive_values(random, 324)},
                         {each});
  const auto sum = g.add("sum", net::add{}, {all, beside});
  mark(g, g.add("last", net::convolution{.kernels = 4, .weights = positive_values(random, 24)},
                {sum}));
  const auto draw = [&](std::size_t count) {
    auto samples = above_integers(random, {6, 12, 12}, count, 0.4F);
    for (auto& s : samples) s.push_back(above_integers(random, {6, 12, 12}, 1, 0.3F)[0][0]);
    return samples;
  };
  const auto training = draw(16), asked = draw(16);
  compile_options without;
  without.without = {"correct_biases"};
  const auto found = prepared_with(g, std::span<const sample>(training));
  const auto plain = prepared_with(g, std::span<const sample>(training), without);
  for (const auto* layer : {"each", "all"}) CHECK(!drift_in(found.scales, layer).empty());
  CHECK(squared_error(found.graph, found.integers, asked) <
        squared_error(plain.graph, plain.integers, asked) / 2);
}

TEST_CASE("a map whose lines are as long as positions are apart is seen in all of its columns") {
  std::mt19937 random(44);
  net::graph g;
  const auto in = g.add("in", net::input{{1, 128, 128}});
  mark(g, g.add("out", net::convolution{.kernels = 1,
                                        .window = {.kernel_h = 3, .kernel_w = 3, .pad_top = 1,
                                                   .pad_left = 1, .pad_bottom = 1, .pad_right = 1},
                                        .weights = std::vector<float>(9, 0.1F)}, {in}));
  const auto training = above_integers(random, {1, 128, 128}, 16, 0.4F);
  const auto drift =
      drift_in(prepared_with(g, std::span<const sample>(training)).scales, "out");
  REQUIRE(drift.size() == 1);
  const double taps = 9.0 * std::pow((3 * 128 - 2) / 384.0, 2);  // that are not in the padding
  CHECK(drift[0] == doctest::Approx(-0.4 * double{step} * 0.1 * taps).epsilon(0.01));
}

TEST_CASE("a drift by which other samples are no better is not taken") {
  std::mt19937 random(42);
  const auto g = two_convolutions(random);
  auto training = above_integers(random, {3, 9, 9}, 16, 0.4F);
  const auto others = above_integers(random, {3, 9, 9}, 8, -0.4F);
  for (std::size_t i = 0; i < others.size(); ++i) training[2 * i + 1] = others[i];
  compile_options without;
  without.without = {"correct_biases"};
  const auto samples = std::span<const sample>(training);
  const auto found = prepared_with(g, samples), plain = prepared_with(g, samples, without);
  CHECK(found.scales == plain.scales);
  check_same_filters(found.integers, plain.integers);
}

TEST_CASE("an effort goes on from corrected biases, and is never worse") {
  std::mt19937 random(42);
  const auto g = two_convolutions(random);
  const auto training = above_integers(random, {3, 9, 9}, 32, 0.4F);
  const auto asked = above_integers(random, {3, 9, 9}, 16, 0.4F);
  const auto samples = std::span<const sample>(training);
  const double plain = squared_error(g, prepared_with(g, samples).integers, asked);
  for (const int effort : {1, 2, 3}) {
    CAPTURE(effort);
    compile_options more;
    more.effort = effort;
    CHECK(squared_error(g, prepared_with(g, samples, more).integers, asked) < 1.05 * plain);
  }
}

TEST_CASE("chance is no drift, and few samples tell none") {
  std::mt19937 random(42);
  const auto g = two_convolutions(random);
  const auto training = above_integers(random, {3, 9, 9}, 15, 0.4F);
  inputs noise;
  for (int i = 0; i < 64; ++i) noise.push_back({random_tensor(random, {3, 9, 9})});
  for (const auto& samples : {training, noise})
    for (const auto& e : prepared_with(g, std::span<const sample>(samples)).scales.entries)
      CHECK(e.drift.empty());
}

TEST_CASE("a network with much to compute needs more samples") {
  quantised::graph g;
  const auto in = g.add("in", quantised::input{}, {});
  const auto out =
      g.add("out", quantised::convolution{.kernels = 64, .weights = std::vector<std::int8_t>(4096)},
            {in});
  g[out].shape = {64, 96, 96};  // 38 million multiplications
  CHECK(!quant::tells_drift(g, 15));
  CHECK(quant::tells_drift(g, 16));
  g[out].shape = {64, 128, 128};
  CHECK(!quant::tells_drift(g, 255));
  CHECK(quant::tells_drift(g, 256));
}

TEST_CASE("outputs are clearly better when none is worse and they are so on average") {
  CHECK(quant::is_clearly_better({1, 2}, {0.5, 2}));
  CHECK(!quant::is_clearly_better({1, 2}, {0.95, 1.9}));
  CHECK(!quant::is_clearly_better({1, 2}, {0.1, 2.1}));
  CHECK(!quant::is_clearly_better({0}, {0}));
}
