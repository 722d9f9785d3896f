// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/quant/reconstruct.hpp>

#include <doctest/doctest.h>

#include <map>
#include <utility>

#include <nvdlac/quant/feeds.hpp>

#include "networks.hpp"

using namespace quant_test;

namespace {

using inputs = std::vector<std::vector<net::float_tensor>>;

// Inputs whose channels and neighbours are alike, as those of trained networks are.
inputs alike(std::mt19937& random, net::shape s, std::size_t count) {
  inputs result;
  for (std::size_t n = 0; n < count; ++n) {
    auto t = random_tensor(random, s, 0.2F);
    const auto area = t.values.size() / static_cast<std::size_t>(s.c);
    const auto common = random_values(random, area, 1);
    for (std::size_t i = 0; i < t.values.size(); ++i) t.values[i] += common[i % area];
    result.push_back({t});
  }
  return result;
}

struct chosen_network {
  quantised::graph nearest{}, chosen{};
};

// With weights rounded to the nearest, and chosen by samples; kernels of 3x3 in Winograd's mode if
// that is asked for.
chosen_network choose(const net::graph& g, const inputs& samples, std::size_t threads = 1,
                      bool winograd = false) {
  const auto table = quant::calibrate<quant::min_max>(
      g, std::span<const std::vector<net::float_tensor>>(samples));
  quant::known_filters exact;
  chosen_network result;
  quant::options how{.filters = [&](const std::string& layer, quant::exact_filters f) {
    exact[layer] = std::move(f);
  }};
  if (winograd)
    how.winograd = [](const auto&, const auto*, auto, hw::precision) { return true; };
  result.nearest = quant::quantise(g, table, how);
  result.chosen = result.nearest;
  std::vector<std::vector<quantised::feed>> feeds;
  for (const auto& s : samples) feeds.push_back(quant::feeds_of(result.nearest, s, {}));
  std::size_t told = 0;
  quant::reconstruct(g, result.chosen, exact, samples, feeds, threads,
                     [&](std::size_t done, std::size_t all) {
                       CHECK(done == ++told);
                       CHECK(all == result.nearest.size());
                     });
  CHECK(told == result.nearest.size());
  return result;
}

double squared_error(const net::graph& g, const quantised::graph& q, const inputs& samples) {
  double sum = 0;
  for (const auto& s : samples) {
    const auto wanted = net::evaluate(g, std::span<const net::float_tensor>(s));
    const auto found = run(q, s);
    for (std::size_t o = 0; o < wanted.size(); ++o)
      for (std::size_t i = 0; i < wanted[o].values.size(); ++i) {
        const double off = double{found[o].values[i]} - double{wanted[o].values[i]};
        sum += off * off;
      }
  }
  return sum;
}

const quantised::convolution& filters_of(const quantised::graph& g, const std::string& name) {
  for (quantised::graph::id n = 0; n < g.size(); ++n)
    if (g[n].name == name) return std::get<quantised::convolution>(g[n].op);
  throw error(text("no layer ", name));
}

net::convolution random_filters(std::mt19937& random, std::int32_t kernels, std::int32_t channels,
                                std::int32_t side, std::int32_t groups = 1) {
  const auto taps = static_cast<std::size_t>(channels / groups * side * side);
  return {.kernels = kernels,
          .window = {.kernel_h = side, .kernel_w = side, .pad_top = side / 2, .pad_left = side / 2,
                     .pad_bottom = side / 2, .pad_right = side / 2},
          .groups = groups,
          .weights = random_values(random, static_cast<std::size_t>(kernels) * taps, 0.5F),
          .bias = random_values(random, static_cast<std::size_t>(kernels), 0.5F)};
}

// Dense, of groups, with a clipping, slopes, a sum behind a convolution, fully connected.
net::graph several_layers(std::mt19937& random) {
  net::graph g;
  const auto in = g.add("in", net::input{{6, 8, 8}});
  auto first = random_filters(random, 8, 6, 3);
  first.relu = true;
  const auto a = g.add("a", std::move(first), {in});
  const auto b = g.add("b", random_filters(random, 8, 8, 3, 8), {a});
  const auto clip = g.add("clip", net::clip{.low = 0, .high = 1}, {b});
  const auto c = g.add("c", random_filters(random, 8, 8, 1), {clip, a});
  const auto d = g.add("d", random_filters(random, 6, 8, 3, 2), {c});
  const auto slopes =
      g.add("slopes", net::prelu{.slope = {0.1F, 0.2F, 0.3F, 0.1F, 0.2F, 0.3F}}, {d});
  const auto flat = g.add("flat", net::flatten{}, {slopes});
  mark(g, g.add("fc", net::fully_connected{.outputs = 5,
                                           .weights = random_values(random, 5 * 6 * 64, 0.1F),
                                           .bias = random_values(random, 5, 0.5F)}, {flat}));
  return g;
}

}  // namespace

TEST_CASE("the sums of a layer are no further from those in float than with nearest weights") {
  std::mt19937 random(3);
  for (int round = 0; round < 30; ++round) {
    CAPTURE(round);
    const auto taps = 1 + random() % 40, rows = 1 + random() % 200;
    const auto samples = alike(random, {static_cast<std::int32_t>(taps), 1, 1}, rows);
    std::vector<net::any_tensor> numbers;
    for (const auto& s : samples) numbers.push_back(std::get<0>(feed_of(s[0], 0.01)));
    const quantised::convolution op{.kernels = 1};
    const net::shape in = samples[0][0].shape, out{1, 1, 1};
    const quant::detail::group_of_filters filters(
        quant::input_rows::gather(op, 0, numbers, in, out, {.count = rows, .all = rows}, 1), 1);
    if (!filters.is_definite()) continue;  // one row
    const auto exact = random_values(random, taps, 100);
    const std::vector<double> weights(exact.begin(), exact.end());
    quant::detail::group_of_filters::target target{.low = -300, .high = 2000};
    double mean = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      target.sums.push_back(random_values(random, 1, 500)[0]);
      for (std::size_t i = 0; i < taps; ++i)
        target.sums[row] += weights[i] * double{samples[row][0].values[i]} * 100;
      mean += target.sums[row] / static_cast<double>(rows);
    }
    for (double& x : target.sums) x -= mean;
    std::vector<std::int8_t> nearest;
    for (const double w : weights) nearest.push_back(quant::round8(w));
    auto chosen = nearest;
    filters.choose(weights, target, chosen);
    CHECK(filters.squared_error(chosen, target) <= filters.squared_error(nearest, target));
  }
}

TEST_CASE("chosen weights are better for samples that have not been seen") {
  std::mt19937 random(5);
  net::graph g;
  const auto in = g.add("in", net::input{{16, 12, 12}});
  mark(g, g.add("conv", random_filters(random, 8, 16, 3), {in}));
  const auto samples = alike(random, {16, 12, 12}, 24), others = alike(random, {16, 12, 12}, 8);
  const auto [nearest, chosen] = choose(g, samples);
  CHECK(filters_of(nearest, "conv").weights != filters_of(chosen, "conv").weights);
  CHECK(squared_error(g, chosen, others) < squared_error(g, nearest, others));
}

TEST_CASE("weights of Winograd's mode make up for what it cuts off its input") {
  std::mt19937 random(11);
  net::graph g;
  const auto in = g.add("in", net::input{{12, 13, 10}});
  auto first = random_filters(random, 12, 12, 3);
  first.relu = true;
  const auto conv = g.add("conv", first, {in});
  mark(g, g.add("last", random_filters(random, 8, 12, 3), {conv}));
  const auto samples = alike(random, {12, 13, 10}, 24), others = alike(random, {12, 13, 10}, 8);
  const auto [nearest, chosen] = choose(g, samples, 1, true);
  for (const char* name : {"conv", "last"}) {
    CHECK(filters_of(nearest, name).winograd);
    CHECK(filters_of(nearest, name).weights != filters_of(chosen, name).weights);
  }
  CHECK(squared_error(g, chosen, others) < squared_error(g, nearest, others));
}

TEST_CASE("what a filter of Winograd's mode reads at a position gives its sum there") {
  std::mt19937 random(13);
  for (const auto cut : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{2}}) {
    const net::shape in{5, 7, 6}, out{3, 8, 5};
    quantised::convolution op{.kernels = out.c,
                              .window = {.kernel_h = 3, .kernel_w = 3, .pad_top = 1, .pad_left = 0,
                                         .pad_bottom = 2, .pad_right = 1},
                              .pad = -100, .winograd = true, .input_truncate = cut};
    std::vector<std::int8_t> weights(std::size_t{3} * 5 * quantised::winograd_taps);
    for (auto& w : weights) w = static_cast<std::int8_t>(random());
    net::int8_tensor x{in};
    for (auto& v : x.values) v = static_cast<std::int8_t>(random());
    std::vector<std::int64_t> sums(out.size());
    const std::size_t area = net::shape{1, out.h, out.w}.size(), taps = weights.size() / 3;
    quantised::winograd_sums(
        op.window, x, out, weights.data(), cut, static_cast<std::int8_t>(op.pad),
        [&](std::size_t k, std::size_t at, std::int64_t sum) { sums[k * area + at] = sum; });
    const auto rows = quant::input_rows::gather(op, 0, {net::any_tensor(x)}, in, out,
                                                {.count = area, .all = area, .area = area}, 2);
    const std::vector<double> no_means(taps);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto found =
          rows.sums(std::span(weights).subspan(k * taps, taps), no_means, 0, area);
      for (std::size_t at = 0; at < area; ++at)
        CHECK(found[at] == static_cast<double>(sums[k * area + at]));
    }
  }
}

TEST_CASE("only weights and biases are chosen, the same by any number of threads") {
  std::mt19937 random(7);
  const auto g = several_layers(random);
  const auto samples = alike(random, {6, 8, 8}, 9);
  bool winograd = false;
  SUBCASE("in direct mode") {}
  SUBCASE("in Winograd's mode") { winograd = true; }
  const auto [nearest, one] = choose(g, samples, 1, winograd);
  CHECK(squared_error(g, one, samples) < squared_error(g, nearest, samples));
  for (const auto threads : {std::size_t{2}, std::size_t{5}}) {
    const auto several = choose(g, samples, threads, winograd).chosen;
    REQUIRE(several.size() == one.size());
    for (quantised::graph::id n = 0; n < one.size(); ++n) {
      const auto* a = one.get_if<quantised::convolution>(n);
      if (a == nullptr) continue;
      const auto& b = std::get<quantised::convolution>(several[n].op);
      const auto& c = std::get<quantised::convolution>(nearest[n].op);
      CHECK(a->weights == b.weights);
      CHECK(a->bias == b.bias);
      CHECK(a->multiplier == c.multiplier);
      CHECK(a->shift == c.shift);
      CHECK(one[n].scale == nearest[n].scale);
    }
  }
}

TEST_CASE("weights of 0 stay so, and those that need no rounding stay what they are") {
  std::mt19937 random(9);
  net::graph g;
  const auto in = g.add("in", net::input{{8, 8, 8}});
  auto sparse = random_filters(random, 4, 8, 3);
  for (std::size_t i = 0; i < sparse.weights.size(); ++i)
    if (random() % 3 != 0) sparse.weights[i] = 0;
  mark(g, g.add("sparse", sparse, {in}));
  const auto chosen = choose(g, alike(random, {8, 8, 8}, 6)).chosen;
  const auto& q = filters_of(chosen, "sparse").weights;
  for (std::size_t i = 0; i < sparse.weights.size(); ++i)
    if (sparse.weights[i] == 0) CHECK(q[i] == 0);
}

TEST_CASE("one by one rounding is exact where the inputs have nothing in common") {
  quant::square_matrix h(3);
  for (std::size_t i = 0; i < 3; ++i) h.row(i)[i] = static_cast<double>(i + 1);
  const quant::error_of_sums sums(h);
  REQUIRE(sums.is_definite());
  std::vector<std::int8_t> q(3);
  const std::vector<double> best{1.4, -2.6, 300};
  sums.round(best, {false, false, false}, q);
  CHECK(q == std::vector<std::int8_t>{1, -3, 127});
  const auto x = sums.solve(std::vector<double>{1, 1, 1});
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(x[i] == doctest::Approx(1 / static_cast<double>(i + 1)));
  CHECK_FALSE(quant::error_of_sums(quant::square_matrix(2)).is_definite());
}

TEST_CASE("what a matrix couples is rounded together") {
  // Only the sum of the weights counts for inputs that are equal.
  quant::square_matrix h(2);
  for (std::size_t i = 0; i < 2; ++i) {
    h.row(i)[i] = 1;
    h.row(i)[1 - i] = 0.999;
  }
  const quant::error_of_sums sums(h);
  std::vector<std::int8_t> q(2);
  const std::vector<double> best{0.4, 0.4};
  sums.round(best, {false, false}, q);
  CHECK(q[0] + q[1] == 1);
  CHECK(sums.error(best, q) < sums.error(best, std::vector<std::int8_t>{0, 0}));
}
