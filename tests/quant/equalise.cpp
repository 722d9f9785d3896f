// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/quant/equalise.hpp>

#include <doctest/doctest.h>

#include <nvdlac/quant/adopt.hpp>
#include <nvdlac/quant/scale_table_json.hpp>

#include "networks.hpp"

using namespace quant_test;

namespace {

// Eight channels, each reaching half as far as the one before, then one filter for each channel or
// dense ones; what is between them bends or clips.
net::graph uneven(std::mt19937& random, bool is_clipped, std::int32_t groups) {
  net::graph g;
  const auto in = g.add("in", net::input{{4, 6, 6}});
  auto weights = random_values(random, 8 * 4, 1);
  std::vector<float> bias(8);
  for (std::size_t k = 0; k < 8; ++k) {
    const int halvings = static_cast<int>(k);
    for (std::size_t i = k * 4; i < (k + 1) * 4; ++i) weights[i] = std::ldexp(weights[i], -halvings);
    bias[k] = std::ldexp(0.5F, -halvings);
  }
  const auto a = g.add("a", net::convolution{.kernels = 8, .weights = weights, .bias = bias}, {in});
  const auto between = is_clipped ? g.add("between", net::clip{.low = 0, .high = 6}, {a})
                                  : g.add("between", net::relu{}, {a});
  auto behind = random_values(random, static_cast<std::size_t>(8 * 8 / groups), 1);
  for (std::size_t i = 0; i < behind.size(); ++i) {
    const auto channel = groups == 1 ? i % 8 : i;
    behind[i] = std::ldexp(behind[i], static_cast<int>(channel));
  }
  mark(g, g.add("b", net::convolution{.kernels = 8, .groups = groups, .weights = behind},
                {between}));
  return g;
}

net::graph equalised(const net::graph& g, const std::vector<net::float_tensor>& samples) {
  quant::equaliser<net::graph> channels(g);
  CHECK_FALSE(channels.empty());
  for (const auto& s : samples)
    net::evaluate_each(g, std::span(&s, 1), [&](auto n, const net::float_tensor& t) {
      channels.observe(n, t);
    });
  auto result = g;
  channels.run(result);
  return result;
}

double error_of(const net::graph& g, const net::graph& made,
                const std::vector<net::float_tensor>& samples) {
  const auto q = quant::quantise(made, min_max_table(made, {samples[0]}));
  double sum = 0;
  for (const auto& s : samples) {
    const auto wanted = net::evaluate(g, s).at(0), found = run(q, {s}).at(0);
    for (std::size_t i = 0; i < wanted.values.size(); ++i) {
      const double off = double{wanted.values[i]} - double{found.values[i]};
      sum += off * off;
    }
  }
  return sum;
}

}  // namespace

TEST_CASE("channels of one range change nothing in float, and little is left of int8's error") {
  std::mt19937 random(2);
  for (const bool is_clipped : {false, true})
    for (const std::int32_t groups : {1, 8}) {
      CAPTURE(is_clipped);
      CAPTURE(groups);
      const auto g = uneven(random, is_clipped, groups);
      const std::vector<net::float_tensor> samples{random_tensor(random, {4, 6, 6})};
      const auto made = equalised(g, samples);
      const auto wanted = net::evaluate(g, samples[0]).at(0);
      const auto found = net::evaluate(made, samples[0]).at(0);
      for (std::size_t i = 0; i < wanted.values.size(); ++i)
        CHECK(double{found.values[i]} == doctest::Approx(double{wanted.values[i]}).epsilon(1e-4));
      CHECK(error_of(g, made, samples) < error_of(g, g, samples) / 4);
    }
}

TEST_CASE("a clipped channel is not brought beyond its bound") {
  std::mt19937 random(4);
  net::graph g;
  const auto in = g.add("in", net::input{{2, 4, 4}});
  const auto a = g.add("a", net::convolution{.kernels = 2, .weights = {10, 10, 0.1F, 0.1F}}, {in});
  const auto clip = g.add("clip", net::clip{.low = 0, .high = 6}, {a});
  mark(g, g.add("b", net::convolution{.kernels = 2, .groups = 2, .weights = {1, 1}}, {clip}));
  const std::vector<net::float_tensor> samples{{{2, 4, 4}, std::vector<float>(32, 1.0F)}};
  const auto made = equalised(g, samples);
  const auto& weights = std::get<net::convolution>(made[a].op).weights;
  CHECK(weights[0] == 10);  // it reaches the bound
  CHECK(double{weights[2]} * 2 == doctest::Approx(6 / 1.5));
}

TEST_CASE("tensors that others read, and outputs, keep their channels") {
  net::graph g;
  const auto in = g.add("in", net::input{{1, 4, 4}});
  const auto a = g.add("a", net::convolution{.kernels = 2, .weights = {1, 2}}, {in});
  const auto b = g.add("b", net::convolution{.kernels = 2, .weights = {1, 2, 3, 4}}, {a});
  mark(g, g.add("sum", net::add{}, {a, b}));
  CHECK(quant::equaliser<net::graph>(g).empty());
}

TEST_CASE("the scales of equalised channels are of no other network") {
  quant::scale_table table{.method = "m", .entries = {{.layer = "in"}, {.layer = "a"}},
                           .equalised = true};
  const auto read = quant::read_scales(quant::write_scales(table));
  CHECK(read == table);
  CHECK_THROWS_WITH_AS(quant::write_public_scales(table), doctest::Contains("one range"), error);
  net::graph g;
  const auto in = g.add("in", net::input{{1, 1, 1}});
  mark(g, g.add("a", net::convolution{.kernels = 1, .weights = {1}}, {in}));
  CHECK_THROWS_WITH_AS(quant::adopt(table, g, g), doctest::Contains("the same effort"), error);
}
