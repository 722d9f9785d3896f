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
    for (std::size_t i = k * 4; i < (k + 1) * 4; ++i)
      weights[i] = std::ldexp(weights[i], -halvings);
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

// Two uneven branches, joined and shuffled, of which half is pooled and added to what filters make
// of it.
net::graph branching(std::mt19937& random) {
  net::graph g;
  const auto in = g.add("in", net::input{{4, 8, 8}});
  const auto branch = [&](const char* name) {
    auto weights = random_values(random, 4 * 4, 1);
    for (std::size_t i = 0; i < 16; ++i)
      weights[i] = std::ldexp(weights[i], -static_cast<int>(i / 4));
    return g.add(name, net::convolution{.kernels = 4, .weights = weights, .relu = true}, {in});
  };
  const auto one = branch("one"), two = branch("two");
  const auto both = g.add("both", net::concat{}, {one, two});
  net::move shuffle{.target = {8, 8, 8}};
  for (std::int32_t c = 0; c < 8; ++c)
    shuffle.boxes.push_back({.to = {c, 0, 0}, .from = {c % 2 * 4 + c / 2, 0, 0},
                             .loops = {{{8, {0, 1, 0}, {0, 1, 0}}, {8, {0, 0, 1}, {0, 0, 1}}}}});
  const auto shuffled = g.add("shuffled", shuffle, {both});
  const auto pooled = g.add(
      "pooled", net::pool{.window = {.kernel_h = 2, .kernel_w = 2, .stride_h = 2, .stride_w = 2}},
      {shuffled});
  const auto made = g.add(
      "made", net::convolution{.kernels = 8, .weights = random_values(random, 64, 1)}, {pooled});
  const auto sum = g.add("sum", net::add{}, {pooled, made});
  auto last = random_values(random, 2 * 8, 1);
  for (std::size_t i = 0; i < 16; ++i) last[i] = std::ldexp(last[i], static_cast<int>(i % 8 / 2));
  mark(g, g.add("last", net::convolution{.kernels = 2, .weights = last}, {sum}));
  return g;
}

net::graph equalised(const net::graph& g, const std::vector<net::float_tensor>& samples,
                     std::size_t threads = 1) {
  quant::equaliser<net::graph> channels(g);
  CHECK_FALSE(channels.empty());
  for (const auto& s : samples)
    net::evaluate_each(g, std::span(&s, 1), [&](auto n, const net::float_tensor& t) {
      channels.observe(n, t);
    });
  auto result = g;
  channels.settle(threads);
  channels.run(result);
  return result;
}

void check_same(const net::graph& g, const net::graph& made,
                const std::vector<net::float_tensor>& samples) {
  for (const auto& s : samples) {
    const auto wanted = net::evaluate(g, s).at(0), found = net::evaluate(made, s).at(0);
    for (std::size_t i = 0; i < wanted.values.size(); ++i)
      CHECK(double{found.values[i]} ==
            doctest::Approx(double{wanted.values[i]}).epsilon(1e-4).scale(1));
  }
}

// The squared error of the network that was made of g, whose channels have steps of one size.
double error_of(const net::graph& g, const net::graph& made,
                const std::vector<net::float_tensor>& samples) {
  auto table = min_max_table(made, {samples[0]});
  for (auto& e : table.entries) e.reach.clear();
  const auto q = quant::quantise(made, table);
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
      check_same(g, made, samples);
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
  CHECK(weights[2] > 0.4);  // four times as fine at least
  CHECK(double{weights[2]} * 2 <= 6 / 1.5);
}

TEST_CASE("factors go along concats, shuffled channels, poolings and sums") {
  std::mt19937 random(6);
  const auto g = branching(random);
  const std::vector<net::float_tensor> samples{random_tensor(random, {4, 8, 8}),
                                               random_tensor(random, {4, 8, 8})};
  const auto made = equalised(g, samples);
  check_same(g, made, samples);
  CHECK(error_of(g, made, samples) < error_of(g, g, samples) / 2);
  const auto weights = [](const net::graph& of) {
    return std::get<net::convolution>(of[1].op).weights;
  };
  CHECK(weights(equalised(g, samples, 3)) == weights(made));
}

TEST_CASE("channels that lie far from 0 get an offset, where no padding would see it") {
  for (const std::int32_t pad : {0, 1}) {
    CAPTURE(pad);
    std::mt19937 random(8);
    net::graph g;
    const auto in = g.add("in", net::input{{2, 6, 6}});
    const auto a = g.add("a", net::convolution{.kernels = 4, .weights = random_values(random, 8, 1),
                                               .bias = {20, -20, 10, -15}}, {in});
    mark(g, g.add("b", net::convolution{
                           .kernels = 2, .window = {.pad_top = pad, .pad_left = pad},
                           .weights = {1, 1, 0.5F, 0.5F, 1, 1, -0.5F, -0.5F}}, {a}));
    const std::vector<net::float_tensor> samples{random_tensor(random, {2, 6, 6})};
    const auto made = equalised(g, samples);
    check_same(g, made, samples);
    const auto& bias = std::get<net::convolution>(made[a].op).bias;
    CHECK((std::fabs(bias[0]) < 5) == (pad == 0));
    const double before = error_of(g, g, samples), behind = error_of(g, made, samples);
    if (pad == 0) CHECK(behind < before / 4);
  }
}

TEST_CASE("layers in fp16 keep their channels, and the noise of int16 does not count") {
  std::mt19937 random(2);
  const auto g = uneven(random, false, 1);
  CHECK(quant::equaliser<net::graph>(g, hw::precision::fp16).empty());
  net::layer_precisions mixed;
  mixed.of["b"] = hw::precision::fp16;
  CHECK(quant::equaliser<net::graph>(g, mixed).empty());
  CHECK_FALSE(quant::equaliser<net::graph>(g).empty());
  const auto sample = random_tensor(random, {4, 6, 6});
  quant::equaliser<net::graph> wide(g, hw::precision::int16);
  net::evaluate_each(g, std::span(&sample, 1),
                     [&](auto n, const net::float_tensor& t) { wide.observe(n, t); });
  wide.settle(1);
  auto made = g;
  wide.run(made);
  CHECK(std::get<net::convolution>(made[1].op).weights ==
        std::get<net::convolution>(g[1].op).weights);
}

TEST_CASE("factors of least noise are those that a search finds") {
  // Three channels of one range, one without a factor, and filters that read them.
  const double range[]{1, 0.2, 0.05}, gain[]{1, 1, 4}, energy[]{0.3, 0.01, 0.001};
  const float weights[]{1, 0.5F, 2, 0.25F, 1, 4};
  const double part = 0.001;
  const std::size_t classes[]{quant::channel_noise::no_class, 0, 1};
  quant::channel_noise noise(2);
  quant::channel_noise::shared_range r;
  quant::channel_noise::filters f{.largest = {weights, weights + 6}, .part = {part, part}};
  for (std::size_t c = 0; c < 3; ++c) {
    r.ranges.emplace_back(classes[c], range[c]);
    r.gains.emplace_back(classes[c], gain[c]);
    f.classes.push_back(classes[c]);
    f.energy.push_back(energy[c]);
  }
  noise.add(r);
  noise.add(f);
  const auto noise_at = [&](double a, double b) {
    const double factor[]{1, a, b};
    double most = 0, sum = 0, all = 0, result = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      most = std::max(most, range[c] * factor[c]);
      sum += gain[c] / (factor[c] * factor[c]);
      all += energy[c] * factor[c] * factor[c];
    }
    result = most * most * sum;
    for (std::size_t k = 0; k < 2; ++k) {
      double largest = 0;
      for (std::size_t c = 0; c < 3; ++c)
        largest = std::max(largest, double{weights[k * 3 + c]} / factor[c]);
      result += part * largest * largest * all;
    }
    return result;
  };
  const std::vector<double> low{-4, -4}, high{4, 4};
  const auto logs = noise.least(low, high, 120, 1);
  CHECK(noise.least(low, high, 120, 3) == logs);
  double least = noise_at(1, 1);
  for (double a = -1; a < 4; a += 0.05)
    for (double b = -1; b < 4; b += 0.05)
      least = std::min(least, noise_at(std::exp(a), std::exp(b)));
  CHECK(noise_at(std::exp(logs[0]), std::exp(logs[1])) < 1.1 * least);
  CHECK(noise_at(1, 1) > 2 * least);
  const std::vector<double> bound{0.5, 0.5};
  for (const double x : noise.least(low, bound, 120, 1)) CHECK(x <= 0.5);
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
