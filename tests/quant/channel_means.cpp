// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/quant/calibrate.hpp>
#include <nvdlac/quant/channel_means.hpp>

#include <doctest/doctest.h>

#include "networks.hpp"

using namespace quant_test;

namespace {

// Values that are well above 0, as those behind a ReLU are.
net::float_tensor positive(std::mt19937& random, net::shape s) {
  auto t = random_tensor(random, s, 0.25F);
  for (float& x : t.values) x += 0.75F;
  return t;
}

// How far the means of the output's channels are from the real ones, at most, in its steps.
double worst_mean(const net::graph& g, const quant::scale_table& table,
                  const net::float_tensor& x) {
  const auto q = quant::quantise(g, table);
  const auto found = quantised::evaluate(q, feed_of(x, q[0].scale)).at(0);
  const auto real = net::evaluate(g, x).at(0);
  const auto channels = static_cast<std::size_t>(real.shape.c);
  const std::size_t area = real.values.size() / channels;
  double worst = 0;
  for (std::size_t c = 0; c < channels; ++c) {
    double sum = 0;
    for (std::size_t i = c * area; i < (c + 1) * area; ++i)
      sum += found.values[i] - double{real.values[i]} / q[q.outputs().at(0)].scale;
    worst = std::max(worst, std::fabs(sum / static_cast<double>(area)));
  }
  return worst;
}

}  // namespace

TEST_CASE("calibration keeps the channels' means of what weights are multiplied with") {
  net::graph g;
  const auto in = g.add("in", net::input{{2, 1, 2}});
  const auto flat = g.add("flat", net::flatten{}, {in});
  const auto fc =
      g.add("fc", net::fully_connected{.outputs = 1, .weights = {1, 1, 1, 1}}, {flat});
  const auto relu = g.add("relu", net::relu{}, {fc});
  mark(g, relu);
  CHECK(quant::weights_read(g, in));
  CHECK(quant::weights_read(g, flat));
  CHECK_FALSE(quant::weights_read(g, fc));
  const std::vector<net::float_tensor> samples{{{2, 1, 2}, {1, 2, -3, 0}},
                                               {{2, 1, 2}, {3, 6, -1, 0}}};
  const auto table = quant::calibrate(g, samples);
  CHECK(table.entries.at(in).means == std::vector<double>{3, -1});
  CHECK(table.entries.at(flat).means == std::vector<double>{2, 4, -2, 0});
  CHECK(table.entries.at(fc).means.empty());
  CHECK(table.entries.at(relu).means.empty());
}

TEST_CASE("biases take back what rounded weights add on average") {
  std::mt19937 random(8);
  for (const std::int32_t groups : {1, 2}) {
    CAPTURE(groups);
    net::graph g;
    const auto in = g.add("in", net::input{{256, 20, 20}});
    const auto taps = static_cast<std::size_t>(256 / groups);
    auto weights = random_values(random, 8 * taps, 0.5F);
    for (std::size_t k = 0; k < 8; ++k) {  // kernels that look at differences
      float sum = 0;
      for (std::size_t i = 0; i < taps; ++i) sum += weights[k * taps + i];
      for (std::size_t i = 0; i < taps; ++i)
        weights[k * taps + i] -= sum / static_cast<float>(taps);
    }
    mark(g, g.add("conv", net::convolution{.kernels = 8, .groups = groups, .weights = weights,
                                           .bias = random_values(random, 8, 0.5F)}, {in}));
    const auto x = positive(random, {256, 20, 20});
    const auto table = min_max_table(g, {x});
    auto without = table;
    for (auto& e : without.entries) e.means.clear();
    CHECK(worst_mean(g, table, x) < 0.1);
    CHECK(worst_mean(g, without, x) > 0.5);

    // The weights are the same.
    const auto q = quant::quantise(g, table), plain = quant::quantise(g, without);
    const auto &a = std::get<quantised::convolution>(q[1].op),
               &b = std::get<quantised::convolution>(plain[1].op);
    CHECK(a.weights == b.weights);
    CHECK(a.multiplier == b.multiplier);
    CHECK(a.bias != b.bias);
  }
}

TEST_CASE("means count in steps from the integer for 0 on, and saturate") {
  const std::vector<float> weights(3);
  quant::real_filters f{.weights = weights, .mean = {1, -4, 1e30}};
  CHECK(quant::detail::means_in_steps(f, 0.5) == std::vector<double>{2, -8, 127});
  f.in_zero = -128;
  CHECK(quant::detail::means_in_steps(f, 0.5) == std::vector<double>{2, 0, 255});
  f.in_zero = 0;
  f.gain = {1, 0.5, 1};
  f.offset = {-1, 2, 0};
  CHECK(quant::detail::means_in_steps(f, 0.5) == std::vector<double>{4, -24, 127});
  f.mean.clear();
  CHECK(quant::detail::means_in_steps(f, 0.5).empty());
}

TEST_CASE("means that are not those of the layer's channels are an error") {
  net::graph g;
  const auto in = g.add("in", net::input{{2, 1, 1}});
  mark(g, g.add("conv", net::convolution{.weights = {1, 1}}, {in}));
  CHECK_THROWS_WITH_AS(
      quant::quantise(g, {.entries = {{"in", 1, {1, 2, 3}}, {"conv", 1}}, .file = "t.json"}),
      "t.json: layer 'in': the scale table has 3 means for its 2 channels "
      "(calibrate with this network)",
      error);  // Fewer, of which the weights would read more than there are.
  const std::vector<float> weights(8);
  quant::real_filters f{.groups = 2, .weights = weights};
  for (std::size_t n = 1; n < 20; ++n) {
    f.mean.assign(n, 0.5);
    if (n != 16)
      CHECK_THROWS_WITH_AS(
          quant::quantise(f, 1, 1, "conv"),
          text("layer 'conv': it has the means of ", n, " of its 16 input channels").c_str(),
          error);
    else CHECK_NOTHROW(quant::quantise(f, 1, 1, "conv"));
    if (n != 2)
      CHECK_THROWS_AS(
          quant::quantise(g, {.entries = {{"in", 1, std::vector<double>(n)}, {"conv", 1}}}), error);
  }
}
