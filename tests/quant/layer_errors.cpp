// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/quant/layer_errors.hpp>

#include <doctest/doctest.h>

#include "networks.hpp"

using namespace quant_test;

namespace {

quant::layer_errors<net::graph> compared(const net::graph& g, const quantised::graph& q,
                                         const std::vector<net::float_tensor>& x) {
  quant::layer_errors errors(g, q);
  errors.observe(x);
  std::vector<net::any_tensor> tensors(q.size());
  const quantised::feed feed = feed_of(x[0], q[net::input_nodes(q)[0]].scale);
  quantised::evaluate_any_each(q, std::span(&feed, 1),
                                  [&](auto n, const net::any_tensor& t) { tensors[n] = t; });
  errors.add(x, tensors, true);
  return errors;
}
std::vector<quant::layer_error> errors_of(const net::graph& g, const quantised::graph& q,
                                          const std::vector<net::float_tensor>& x) {
  return compared(g, q, x).results();
}

const quant::layer_error& named(const std::vector<quant::layer_error>& all,
                                const std::string& name) {
  for (const auto& e : all)
    if (e.name == name) return e;
  throw error("no layer " + name);
}

}  // namespace

TEST_CASE("an error is found where it arises, not where it is seen") {
  std::mt19937 random(4);
  net::graph g;
  auto n = g.add("in", net::input{{4, 8, 8}});
  for (const char* name : {"a", "b", "c", "d"})
    n = g.add(name, net::convolution{.kernels = 4, .weights = random_values(random, 16, 1)}, {n});
  mark(g, n);
  const std::vector x{random_tensor(random, {4, 8, 8})};
  auto table = min_max_table(g, x);
  for (auto& e : table.entries)
    if (e.layer == "b") e.range = e.range.times(20);
  const auto found = errors_of(g, quant::quantise(g, table), x);
  REQUIRE(found.size() == 4);
  for (const char* later : {"a", "c", "d"})
    CHECK(named(found, "b").snr_arising() < named(found, later).snr_arising() - 10);
  CHECK(named(found, "d").snr() < named(found, "b").snr() + 6);  // it inherits the error
  CHECK(named(found, "b").lost() > 20);
  for (const char* other : {"a", "c", "d"}) CHECK(named(found, other).lost() < 0.1);
}

TEST_CASE("what a clipping or slopes joined is compared behind them") {
  std::mt19937 random(5);
  net::graph g;
  const auto in = g.add("in", net::input{{4, 6, 6}});
  const auto a = g.add("a", net::convolution{.kernels = 4, .weights = random_values(random, 16, 1)},
                       {in});
  const auto slopes = g.add("slopes", net::prelu{{0.1F, 0.2F, 0.1F, 0.1F}}, {a});
  const auto b = g.add("b", net::convolution{.kernels = 4, .weights = random_values(random, 16, 1)},
                       {slopes});
  mark(g, g.add("six", net::clip{0, 0.6F}, {b}));
  const std::vector x{random_tensor(random, {4, 6, 6})};
  for (const auto& e : errors_of(g, quant::quantise(g, min_max_table(g, x)), x)) {
    CAPTURE(e.name);
    CHECK(e.snr_arising() > 35);
  }
}

TEST_CASE("what an output loses is laid to the layer whose own error reaches it") {
  std::mt19937 random(6);
  net::graph g;
  const auto in = g.add("in", net::input{{4, 8, 8}});
  const auto weights = random_values(random, 16, 1);
  const auto wide = g.add("wide", net::convolution{.kernels = 4, .weights = weights}, {in});
  const auto cut = g.add("cut", net::clip{-0.05F, 0.05F}, {wide});
  const auto other = g.add("other", net::convolution{.kernels = 4, .weights = weights}, {in});
  mark(g, g.add("y", net::add{.coefficients = {1, 1}}, {cut, other}));
  g[wide].output = false;
  const std::vector x{random_tensor(random, {4, 8, 8})};
  auto table = min_max_table(g, x);
  for (auto& e : table.entries)
    if (e.layer == "other") e.range = e.range.times(4);
  const auto found = errors_of(g, quant::quantise(g, table), x);
  for (const auto& e : found) {
    CAPTURE(e.name);
    REQUIRE(e.at_outputs.size() == 1);
    CHECK(named(found, "other").snr_at_outputs() <= e.snr_at_outputs());
  }
  // The whole that a layer adds is seen at an output that it gives.
  CHECK(named(found, "y").snr_at_outputs() == doctest::Approx(named(found, "y").snr_arising()));
}

TEST_CASE("the rounding of an input is told beside the errors of layers") {
  std::mt19937 random(7);
  net::graph g;
  const auto in = g.add("in", net::input{{4, 8, 8}});
  // Remains of large values that cancel out are as large as their rounding.
  std::vector<float> weights(8, 0);
  weights[0] = weights[6] = 100;
  weights[1] = weights[7] = -100;
  mark(g, g.add("y", net::convolution{.kernels = 2, .weights = weights}, {in}));
  std::vector x{random_tensor(random, {4, 8, 8})};
  for (std::size_t i = 0; i < 64; ++i)
    for (const std::size_t c : {std::size_t{0}, std::size_t{2}}) {
      auto* const values = x[0].values.data() + c * 64 + i;
      values[64] = values[0] + 0.02F * values[64];
    }
  const auto q = quant::quantise(g, min_max_table(g, x));
  const auto errors = compared(g, q, x);
  CHECK(errors.results().size() == 1);
  const auto all = errors.results_and_inputs();
  REQUIRE(all.size() == 2);
  const auto& of_input = named(all, "in");
  const auto& of_layer = named(all, "y");
  CHECK(of_input.is_input);
  CHECK(!of_layer.is_input);
  CHECK(of_input.snr_arising() > 35);
  CHECK(of_input.snr_at_outputs() < of_layer.snr_at_outputs() - 6);
}
