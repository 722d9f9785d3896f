// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nvdlac/quant/feeds.hpp>
#include <nvdlac/quant/own_steps.hpp>
#include <nvdlac/quant/quantise.hpp>

#include "networks.hpp"

using namespace quant_test;

namespace {

net::convolution filters(std::mt19937& random, std::int32_t kernels, std::int32_t channels,
                         float range, std::int32_t groups = 1) {
  const auto count = static_cast<std::size_t>(kernels * channels / groups) * 9;
  return {.kernels = kernels,
          .window = {.kernel_h = 3, .kernel_w = 3, .pad_top = 1, .pad_left = 1, .pad_bottom = 1,
                     .pad_right = 1},
          .groups = groups,
          .weights = random_values(random, count, range)};
}

const quantised::graph::node& node(const quantised::graph& q, const std::string& name) {
  for (quantised::graph::id n = 0; n < q.size(); ++n)
    if (q[n].name == name) return q[n];
  throw error("there is no " + name);
}

// Signal to noise of the only output in decibels, over all samples.
double snr(const net::graph& g, const quantised::graph& q,
           const std::vector<std::vector<net::float_tensor>>& samples) {
  double signal = 0, noise = 0;
  for (const auto& s : samples) {
    const auto feeds = quant::feeds_of(q, s, std::nullopt);
    const auto out = quantised::evaluate_any(q, std::span<const quantised::feed>(feeds));
    const auto& last = q[q.outputs()[0]];
    const auto real = quantised::real_of(out[0], last.scale, last.zero, last.gain);
    const auto wanted = net::evaluate(g, std::span<const net::float_tensor>(s))[0];
    for (std::size_t i = 0; i < wanted.values.size(); ++i) {
      const double x{wanted.values[i]}, d{real.values[i] - wanted.values[i]};
      signal += x * x;
      noise += d * d;
    }
  }
  return 10 * std::log10(signal / noise);
}

// Branches a and b of a picture, of which b's values are `times` as large, behind each other, and
// filters that make them count the same, in so many groups.
net::graph two_ranges(std::mt19937& random, float times, std::int32_t groups = 1,
                      bool pooled = false) {
  net::graph g;
  const auto in = g.add("in", net::input{{4, 9, 9}});
  const auto a = g.add("a", filters(random, 4, 4, 0.2F), {in});
  const auto b = g.add("b", filters(random, 4, 4, 0.2F * times), {in});
  auto last = g.add("joined", net::concat{}, {a, b});
  if (pooled)
    last = g.add("max", net::pool{.window = {.kernel_h = 3, .kernel_w = 3, .stride_h = 2,
                                             .stride_w = 2}}, {last});
  auto c = filters(random, 8, 8, 0.3F, groups);
  const std::size_t of_group = static_cast<std::size_t>(8 / groups);
  for (std::size_t i = 0; i < c.weights.size(); ++i) {
    const std::size_t kernel = i / (of_group * 9), group = kernel / of_group;
    const auto channel = group * of_group + i / 9 % of_group;
    if (channel >= 4) c.weights[i] /= times;
  }
  mark(g, g.add("c", c, {last}));
  return g;
}

}  // namespace

TEST_CASE("parts of a concat keep the sizes of their steps where weights take up the factor") {
  for (const std::int32_t groups : {1, 2, 8})
    for (const bool pooled : {false, true}) {
      CAPTURE(groups);
      CAPTURE(pooled);
      std::mt19937 random(11);
      const auto g = two_ranges(random, 30, groups, pooled);
      std::vector<std::vector<net::float_tensor>> samples;
      for (int i = 0; i < 4; ++i) samples.push_back({random_tensor(random, {4, 9, 9})});
      const auto table = quant::calibrate<quant::min_max>(
          g, std::span<const std::vector<net::float_tensor>>(samples));
      const auto q = quant::quantise(g, table);
      const auto& joined = node(q, "joined");
      REQUIRE(joined.gain.size() == 8);
      CHECK(joined.gain[7] / joined.gain[0] > 15);
      CHECK(snr(g, q, samples) > 36);  // 24 dB with one scale for both
    }
}

TEST_CASE("parts of one range have one scale, as before") {
  std::mt19937 random(12);
  const auto g = two_ranges(random, 1);
  const std::vector<std::vector<net::float_tensor>> samples{{random_tensor(random, {4, 9, 9})}};
  const auto q = quant::quantise(
      g, quant::calibrate<quant::min_max>(
             g, std::span<const std::vector<net::float_tensor>>(samples)));
  CHECK(node(q, "joined").gain.empty());
  CHECK(node(q, "a").scale == node(q, "b").scale);
}

TEST_CASE("what other layers read has one scale") {
  std::mt19937 random(13);
  auto g = two_ranges(random, 30);
  const auto joined = static_cast<net::graph::id>(3);
  REQUIRE(g[joined].name == "joined");
  CHECK(quant::may_have_own_steps(g, joined, {}));
  CHECK_FALSE(quant::may_have_own_steps(g, joined, hw::precision::fp16));
  net::layer_precisions mixed;
  mixed.of["c"] = hw::precision::int16;
  CHECK_FALSE(quant::may_have_own_steps(g, joined, mixed));
  mark(g, g.add("more", net::activation{.function = net::function::sigmoid}, {joined}));
  CHECK_FALSE(quant::may_have_own_steps(g, joined, {}));
}

TEST_CASE("an output has one scale, for whoever reads it by that alone") {
  std::mt19937 random(14);
  auto g = two_ranges(random, 30, 1, true);
  CHECK(quant::may_have_own_steps(g, 3, {}));
  g[4].output = true;  // the maximum behind the concat
  REQUIRE(g[4].name == "max");
  CHECK_FALSE(quant::may_have_own_steps(g, 3, {}));
  CHECK_FALSE(quant::may_have_own_steps(g, 4, {}));
}

TEST_CASE("features of an input that differ have steps of their own") {
  std::mt19937 random(15);
  net::graph g;
  const auto in = g.add("in", net::input{{9, 1, 1}});
  const float size[] = {0.05F, 1, 150};
  auto weights = random_values(random, 9 * 6, 1);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] /= size[i % 3];
  mark(g, g.add("y", net::fully_connected{.outputs = 6, .weights = weights}, {in}));
  std::vector<std::vector<net::float_tensor>> samples;
  for (int i = 0; i < 64; ++i) {
    auto x = random_tensor(random, {9, 1, 1});
    for (std::size_t k = 0; k < 9; ++k) x.values[k] *= size[k % 3];
    samples.push_back({x});
  }
  const std::span<const std::vector<net::float_tensor>> all(samples);
  const auto table = quant::calibrate(g, all);
  REQUIRE(table.entries[0].reach.size() == 9);
  const auto q = quant::quantise(g, table);
  CHECK(node(q, "in").gain.at(0) < node(q, "in").gain.at(2) / 1000);
  CHECK(node(q, "in").gain.at(2) == 1);
  CHECK(snr(g, q, samples) > 30);
  // Fewer samples leave room for what was not seen; four do not tell what a feature can be.
  for (const std::size_t few : {5U, 8U, 15U}) {
    CAPTURE(few);
    CHECK(snr(g, quant::quantise(g, quant::calibrate(g, all.first(few))), samples) > 15);
  }
  CHECK(quant::calibrate(g, all.first(4)).entries[0].reach.empty());
}

TEST_CASE("features that are mostly 0 keep the scale of all") {
  quant::channel_reach reach;
  std::mt19937 random(16);
  for (int i = 0; i < 100; ++i) {
    auto x = random_tensor(random, {3, 1, 1});
    x.values[1] = i == 50 ? 0.01F : 0.0F;
    x.values[2] = 0;
    reach.observe(x);
  }
  CHECK(reach.values().empty());
  quant::channel_reach few;
  for (int i = 0; i < 8; ++i) few.observe({{2, 1, 1}, {100, i == 3 ? 0.5F : 0.0F}});
  CHECK(few.values().empty());
}

namespace {

// Features of sizes far apart around means, a normalisation of them, and filters.
struct normalised {
  net::graph g{};
  net::graph::id in = 0, norm = 0;
  std::vector<std::vector<net::float_tensor>> samples{};

  normalised(std::mt19937& random, net::shape shape, const net::graph::any_operator& filters,
             float shift = 2, std::size_t count = 64) {
    const float size[] = {0.05F, 1, 150, 12};
    in = g.add("in", net::input{shape});
    net::scale s;
    const auto mean = [&](std::size_t c) { return c % 3 == 1 ? shift * size[c % 4] : 0; };
    const auto channels = static_cast<std::size_t>(shape.c);
    for (std::size_t c = 0; c < channels; ++c) {
      s.factor.push_back(1 / size[c % 4]);
      if (shift != 0) s.bias.push_back(-mean(c) / size[c % 4]);
    }
    norm = g.add("norm", s, {in});
    mark(g, g.add("y", filters, {norm}));
    const std::size_t area = shape.size() / channels;
    for (std::size_t i = 0; i < count; ++i) {
      auto x = random_tensor(random, shape);
      for (std::size_t k = 0; k < x.values.size(); ++k)
        x.values[k] = x.values[k] * size[k / area % 4] + mean(k / area);
      samples.push_back({x});
    }
  }

  quantised::graph quantise(const quant::options& how = {}) const {
    return quant::quantise(
        g, quant::calibrate<quant::min_max>(
               g, std::span<const std::vector<net::float_tensor>>(samples)), how);
  }
  double quality(const quantised::graph& q) const { return snr(g, q, samples); }
};

net::convolution unpadded(std::mt19937& random, std::int32_t groups) {
  auto op = filters(random, 8, 8, 0.5F, groups);
  op.window = {.kernel_h = 3, .kernel_w = 3};
  op.bias = random_values(random, 8, 0.5F);
  return op;
}

}  // namespace

TEST_CASE("filters take up the normalisation of features before them") {
  std::mt19937 random(17);
  const net::fully_connected fc{.outputs = 6, .weights = random_values(random, 8 * 6, 1),
                                .bias = random_values(random, 6, 0.5F)};
  const normalised features(random, {8, 1, 1}, fc);
  for (const auto p : {hw::precision::int8, hw::precision::int16}) {
    CAPTURE(hw::name_of(p));
    const double least = p == hw::precision::int8 ? 30 : 65;
    const auto q = features.quantise({.precision = p});
    CHECK(q.size() == 2);
    CHECK(features.quality(q) > least);
    // A layer of its own takes up the steps of channels likewise.
    const auto apart = features.quantise({.scale_filters = false, .precision = p});
    CHECK(apart.size() == 3);
    CHECK(features.quality(apart) > least);
  }
  CHECK(features.quantise({.precision = hw::precision::fp16}).size() == 3);
  for (const std::int32_t groups : {1, 2, 8}) {
    CAPTURE(groups);
    const normalised maps(random, {8, 7, 7}, unpadded(random, groups));
    const auto q = maps.quantise();
    CHECK(q.size() == 2);
    CHECK(maps.quality(q) > 30);
  }
}

TEST_CASE("a normalisation is a layer where filters cannot take it up, or lose by it") {
  std::mt19937 random(18);
  const auto padded = filters(random, 8, 8, 0.5F);
  CHECK(normalised(random, {8, 7, 7}, padded).quantise().size() == 3);
  CHECK(normalised(random, {8, 7, 7}, padded, 0).quantise().size() == 2);  // nothing is added
  // Four samples do not tell how far features reach: weights of all others would be lost.
  CHECK(normalised(random, {8, 1, 1}, net::fully_connected{
            .outputs = 2, .weights = random_values(random, 16, 1)}, 2, 4).quantise().size() == 3);
  auto read_twice = normalised(random, {8, 7, 7}, unpadded(random, 1));
  mark(read_twice.g, read_twice.g.add("max", net::pool{.global = true}, {read_twice.norm}));
  const auto q = read_twice.quantise();
  CHECK(node(q, "norm").gain.empty());
  CHECK(node(q, "in").gain.size() == 8);
  CHECK(read_twice.quality(q) > 25);
}

namespace {

// Filters whose channels reach from 1 / spread to spread, and others that even them out.
net::graph uneven_channels(std::mt19937& random, double spread, bool relu) {
  net::graph g;
  const auto in = g.add("in", net::input{{4, 9, 9}});
  auto a = filters(random, 8, 4, 0.2F);
  auto b = filters(random, 6, 8, 0.3F);
  a.relu = relu;
  const auto size = [&](std::size_t channel) {
    return static_cast<float>(std::pow(spread, static_cast<double>(channel) / 3.5 - 1));
  };
  for (std::size_t i = 0; i < a.weights.size(); ++i) a.weights[i] *= size(i / 36);
  for (std::size_t i = 0; i < b.weights.size(); ++i) b.weights[i] /= size(i / 9 % 8);
  mark(g, g.add("b", b, {g.add("a", a, {in})}));
  return g;
}

}  // namespace

TEST_CASE("channels of filters keep the sizes of their steps where filters even them out") {
  using hw::precision;
  for (const bool relu : {false, true})
    for (const double spread : {1.0, 30.0, 1e4}) {
      CAPTURE(relu);
      CAPTURE(spread);
      std::mt19937 random(21);
      const auto g = uneven_channels(random, spread, relu);
      std::vector<std::vector<net::float_tensor>> samples;
      for (int i = 0; i < 4; ++i) samples.push_back({random_tensor(random, {4, 9, 9})});
      const auto table = quant::calibrate<quant::min_max>(
          g, std::span<const std::vector<net::float_tensor>>(samples));
      const bool own = spread > 1;
      CHECK(table.entries[1].reach.empty() != own);
      for (const auto p : {precision::int8, precision::int16}) {
        CAPTURE(hw::name_of(p));
        const auto q = quant::quantise(g, table, {.precision = p});
        CHECK(node(q, "a").gain.empty() != own);
        CHECK(snr(g, q, samples) > (p == precision::int8 ? 30 : 70));
      }
    }
}

TEST_CASE("channels of filters that others read as well have one scale") {
  std::mt19937 random(22);
  auto g = uneven_channels(random, 1e3, false);
  mark(g, g.add("more", net::activation{net::function::sigmoid}, {1}));
  const std::vector<std::vector<net::float_tensor>> samples{{random_tensor(random, {4, 9, 9})}};
  const auto table = quant::calibrate<quant::min_max>(
      g, std::span<const std::vector<net::float_tensor>>(samples));
  CHECK(table.entries[1].reach.empty());
}

namespace {

// The layers that stand between filters whose channels differ and those that even them out.
enum class between { mean, mean_of_all, leaky, slopes, leaky_and_mean, concat, padding, repeated };

// Channels of filters `a` that differ by `spread` at most, and filters that even them out.
net::graph evened_out(std::mt19937& random, double spread, between what) {
  net::graph g;
  const auto in = g.add("in", net::input{{4, 9, 9}});
  auto first = filters(random, 8, 4, 0.2F);
  const auto factor = [&](std::size_t c) {
    return static_cast<float>(std::pow(spread, static_cast<double>(c) / 7));
  };
  for (std::size_t i = 0; i < first.weights.size(); ++i) first.weights[i] *= factor(i / 36);
  auto last = g.add("a", first, {in});
  const net::pool mean{.kind = net::pool_kind::average,
                       .window = {.kernel_h = 3, .kernel_w = 3, .stride_h = 3, .stride_w = 3}};
  std::size_t channels = 8;
  const auto add = [&](const net::graph::any_operator& op) { last = g.add("b", op, {last}); };
  switch (what) {
    case between::mean: add(mean); break;
    case between::mean_of_all:
      add(net::pool{.kind = net::pool_kind::average, .window = {.kernel_h = 9, .kernel_w = 9}});
      break;
    case between::leaky: add(net::prelu{{0.1F}}); break;
    case between::slopes: add(net::prelu{random_values(random, 8, 1)}); break;
    case between::leaky_and_mean:
      add(net::prelu{{0.1F}});
      last = g.add("c", mean, {last});
      break;
    case between::concat: {
      const auto other = g.add("other", filters(random, 4, 4, 0.2F), {in});
      last = g.add("b", net::concat{}, {other, last});
      channels = 12;
      break;
    }
    case between::padding:
    case between::repeated: {
      // Mirrored channels within a frame of zeros, or lines twice.
      net::move m;
      std::vector<net::box> boxes;
      const bool twice = what == between::repeated;
      m.target = twice ? net::shape{8, 18, 9} : net::shape{8, 9, 9};
      for (std::int32_t c = 0; c < 8; ++c)
        for (std::int32_t y = 0; y < 9; ++y)
          for (std::int32_t k = 0; k < (twice ? 2 : 1); ++k) {
            net::box b{.to = {7 - c, twice ? 2 * y + k : y, 0}, .from = {c, y, 0}};
            if (!twice && y == 0) b.input = net::box::filled;
            b.loops[0] = {.count = 9, .to = {0, 0, 1}, .from = {0, 0, 1}};
            boxes.push_back(b);
          }
      m.boxes = std::move(boxes);
      add(m);
      break;
    }
  }
  net::infer_shapes(g);
  auto c = filters(random, 6, static_cast<std::int32_t>(channels), 0.3F);
  const bool mirrored = what == between::padding || what == between::repeated;
  for (std::size_t i = 0; i < c.weights.size(); ++i) {
    const auto channel = i / 9 % channels;
    if (channels == 12) c.weights[i] /= channel < 4 ? 1 : factor(channel - 4);
    else c.weights[i] /= factor(mirrored ? 7 - channel : channel);
  }
  mark(g, g.add("y", c, {last}));
  return g;
}

}  // namespace

TEST_CASE("steps of channels are kept by means, slopes, concats and moves") {
  using enum between;
  for (const auto what : {mean, mean_of_all, leaky, slopes, leaky_and_mean, concat, padding,
                          repeated})
    for (const double spread : {1.0, 1e4}) {
      CAPTURE(static_cast<int>(what));
      CAPTURE(spread);
      std::mt19937 random(23);
      const auto g = evened_out(random, spread, what);
      std::vector<std::vector<net::float_tensor>> samples;
      for (int i = 0; i < 24; ++i) samples.push_back({random_tensor(random, {4, 9, 9})});
      const auto table = quant::calibrate<quant::min_max>(
          g, std::span<const std::vector<net::float_tensor>>(samples));
      const auto reach = std::ranges::find(table.entries, "a", &quant::scale_table::entry::layer);
      CHECK(reach->reach.empty() == (spread == 1));
      for (const auto p : {hw::precision::int8, hw::precision::int16}) {
        CAPTURE(hw::name_of(p));
        const auto q = quant::quantise(g, table, {.precision = p});
        CHECK(snr(g, q, samples) > (p == hw::precision::int8 ? 24 : 60));
      }
    }
}

TEST_CASE("slopes above 1 and moves that mix channels keep no steps of channels") {
  std::mt19937 random(24);
  auto g = evened_out(random, 1e4, between::leaky);
  const auto leaky = g.inputs(g.outputs()[0])[0];
  CHECK(quant::may_give_own_steps(g, g.inputs(leaky)[0]));
  g[leaky].op = net::prelu{{1.5F}};
  CHECK_FALSE(quant::may_give_own_steps(g, g.inputs(leaky)[0]));
  g[leaky].op = net::clip{-1, 1};
  CHECK_FALSE(quant::may_give_own_steps(g, g.inputs(leaky)[0]));
  auto turned = evened_out(random, 1e4, between::repeated);
  const auto moved = turned.inputs(turned.outputs()[0])[0];
  auto m = std::get<net::move>(turned[moved].op);
  std::vector<net::box> boxes(m.boxes.begin(), m.boxes.end());
  std::swap(boxes[0].from, boxes[20].from);
  m.boxes = std::move(boxes);
  turned[moved].op = m;
  CHECK_FALSE(quant::may_give_own_steps(turned, turned.inputs(moved)[0]));
}
