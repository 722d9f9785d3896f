// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/quant/feeds.hpp>
#include <nvdlac/quant/inputs.hpp>

#include <doctest/doctest.h>

#include "networks.hpp"

using namespace quant_test;

namespace {

// A picture, the same preprocessed, and a network of one convolution (and what comes with it).
struct fixture {
  std::mt19937 random{11};
  net::shape shape{3, 8, 9};
  std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(shape.size());
  net::preprocessing format{.mean = {123.675, 116.28, 103.53}, .scale = {0.0171, 0.0175, 0.0174}};
  net::graph g{};
  net::graph::id in = g.add("in", net::input{shape});

  net::float_tensor real() {
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random() >> 24);
    net::float_tensor t{shape};
    for (std::size_t i = 0; i < 72; ++i)
      for (std::size_t c = 0; c < 3; ++c)
        t.values[c * 72 + i] =
            static_cast<float>((bytes[i * 3 + c] - format.mean[c]) * format.scale[c]);
    return t;
  }
  net::convolution convolution() {
    return {.kernels = 4, .window = {.kernel_h = 3, .kernel_w = 3},
            .weights = random_values(random, 4 * 27, 0.3F), .bias = random_values(random, 4, 1)};
  }
};

const quantised::input& input_of(const quantised::graph& q) {
  return std::get<quantised::input>(q[net::input_nodes(q)[0]].op);
}

}  // namespace

TEST_CASE_FIXTURE(fixture, "means, scales and their remainders end in the convolution") {
  mark(g, g.add("conv", convolution(), {g.add("half", net::scale{.factor = {0.5F}}, {in})}));
  for (const double wild : {1.0, 3.0, -2.0}) {
    CAPTURE(wild);
    format.scale[1] = 0.0175 * wild;
    const auto x = real();
    const auto q = quant::quantise(g, min_max_table(g, {x}), {.pixels = format});
    REQUIRE(input_of(q).pixels);
    CHECK(input_of(q).pixels->mean == std::array<std::int16_t, 4>{124, 116, 104, 0});
    CHECK(input_of(q).pixels->cvt.scale >= 1 << 14);
    const auto wanted = net::evaluate(g, x)[0];
    const auto got = quantised::evaluate(q, quantised::feed(bytes))[0];
    double sum = 0;
    for (std::size_t i = 0; i < wanted.values.size(); ++i) {
      const double difference =
          q[q.outputs()[0]].scale * got.values[i] - static_cast<double>(wanted.values[i]);
      CHECK(std::fabs(difference) <= 3 * q[q.outputs()[0]].scale);
      sum += difference / q[q.outputs()[0]].scale;
    }
    CHECK(std::fabs(sum / static_cast<double>(wanted.values.size())) <= 0.15);  // no bias is left
  }
}

TEST_CASE_FIXTURE(fixture, "a scaling in the network ends in the input converter as one outside") {
  const net::scale given{.factor = {0.5F, 0.25F, -0.5F}, .bias = {0.1F, 0, -0.3F}};
  auto filters = convolution();
  filters.window.pad_top = filters.window.pad_left = 1;
  mark(g, g.add("conv", filters, {g.add("scale", given, {in})}));
  const auto x = real();
  const auto table = min_max_table(g, {x});
  const auto q = quant::quantise(g, table, {.pixels = format});
  REQUIRE(input_of(q).pixels);
  CHECK(q.size() == 2);
  const auto wanted = net::evaluate(g, x)[0];
  const auto got = quantised::evaluate(q, quantised::feed(bytes))[0];
  for (std::size_t i = 0; i < wanted.values.size(); ++i)
    CHECK(std::fabs(q[q.outputs()[0]].scale * got.values[i] - wanted.values[i]) <=
          3 * q[q.outputs()[0]].scale);
  const auto left_out = quant::quantise(g, table, {.pixels = format, .scale_pixels = false});
  CHECK_FALSE(input_of(left_out).pixels);
  CHECK(left_out.size() == 3);
}

TEST_CASE("black and white pixels reach the ends of int8 unless calibration cuts them off") {
  net::graph g;
  mark(g, g.add("conv", net::convolution{.weights = {1}}, {g.add("in", net::input{{1, 1, 1}})}));
  const auto at = [&](double mean, double scale, double wanted) {
    return *quant::as_pixels(g, 0, {.mean = {mean}, .scale = {scale}}, wanted);
  };
  CHECK(at(0, 1, 100).pixels(255, 0) == 127);
  CHECK(at(0, 1, 1.0).pixels(255, 0) == 127);
  CHECK(at(0, 1, 1.0).pixels(100, 0) == 100);
  CHECK(at(128, 1, 100).pixels(0, 0) == -127);
  CHECK(at(0, 1.0 / 255, 1.0 / 127).scale == doctest::Approx(1.0 / 127).epsilon(1e-4));
}

TEST_CASE("no channel saturates within the calibrated range, whatever the others' scales are") {
  net::graph g;
  mark(g, g.add("conv", net::convolution{.weights = {1, 1, 1}},
                {g.add("in", net::input{{3, 1, 1}})}));
  const std::vector<double> mean{-15, 240, 30}, scale{0.005, 0.006, 0.013};
  const double range = 2;
  const auto p = quant::as_pixels(g, 0, {.mean = mean, .scale = scale}, range / 127);
  REQUIRE(p);
  for (std::size_t c = 0; c < 3; ++c)
    for (int pixel = 0; pixel < 256; ++pixel) {
      const double real = scale[c] * (pixel - mean[c]);
      if (std::fabs(real) > range) continue;
      CAPTURE(c);
      CAPTURE(pixel);
      CHECK(std::fabs(p->scale * p->gain[c] * p->pixels(static_cast<std::uint8_t>(pixel), c) +
                      p->offset[c] - real) <= p->scale * p->gain[c]);
    }
}

TEST_CASE("padding means 0 where the mean lies between two pixel values") {
  net::graph g;
  mark(g, g.add("conv",
                net::convolution{.kernels = 2,
                                 .window = {.kernel_h = 2, .kernel_w = 2, .pad_top = 1,
                                            .pad_left = 1, .pad_bottom = 1, .pad_right = 1},
                                 .weights = {-0.076f, 0.263f, 0.5f, -0.25f, 0.9f, 0.7f, 0.6f,
                                             0.8f}},
                {g.add("in", net::input{{1, 1, 1}})}));
  const net::preprocessing how{.mean = {127.5}, .scale = {1 / 127.5}};
  for (const auto p : {hw::precision::int8, hw::precision::int16}) {
    CAPTURE(hw::name_of(p));
    for (const int pixel : {0, 127, 128, 255}) {
      CAPTURE(pixel);
      const net::float_tensor x{{1, 1, 1}, {static_cast<float>((pixel - 127.5) / 127.5)}};
      const auto integers = quant::quantise(g, min_max_table(g, {{{1, 1, 1}, {1}}}),
                                            {.pixels = how, .precision = p});
      CHECK(input_of(integers).pixels);
      const auto exact = net::evaluate(g, x)[0];
      const auto found =
          quantised::evaluate_any(integers, quant::feeds_of(integers, {x}, how))[0];
      const auto node = integers[integers.outputs()[0]];
      const auto real = quantised::real_of(found, node.scale, node.zero);
      for (std::size_t i = 0; i < exact.values.size(); ++i)
        CHECK(std::fabs(double{real.values[i]} - double{exact.values[i]}) <=
              (p == hw::precision::int8 ? 0.02 : 1e-4));
    }
  }
}

TEST_CASE_FIXTURE(fixture, "pixels are for convolutions of one group only") {
  const auto plain = [&](net::graph::any_operator op) {
    net::graph h;
    mark(h, h.add("reader", std::move(op), {h.add("in", net::input{shape})}));
    return !input_of(quant::quantise(h, min_max_table(h, {real()}), {.pixels = format})).pixels;
  };
  CHECK(plain(net::relu{}));
  CHECK(plain(net::fully_connected{.outputs = 1, .weights = random_values(random, 216, 1)}));
  CHECK(plain(net::convolution{.kernels = 3, .groups = 3, .weights = {1, 2, 3}}));
  CHECK_FALSE(plain(net::convolution{.kernels = 1, .weights = {1, 2, 3}}));
}

TEST_CASE_FIXTURE(fixture, "without a pixel format, and for two channels, the host gives int8") {
  mark(g, g.add("conv", convolution(), {in}));
  CHECK_FALSE(input_of(quant::quantise(g, min_max_table(g, {real()}))).pixels);
  net::graph two;
  mark(two, two.add("conv", net::convolution{.weights = {1, 1}},
                    {two.add("in", net::input{{2, 1, 1}})}));
  CHECK_FALSE(quant::as_pixels(two, 0, {}, 1));
}

TEST_CASE_FIXTURE(fixture, "numbers that are no means and scales are refused") {
  mark(g, g.add("conv", convolution(), {in}));
  const auto with = [&](net::preprocessing f) { return quant::as_pixels(g, 0, f, 1); };
  CHECK_THROWS_WITH_AS(with({.mean = {1, 2}}),
                       doctest::Contains("2 means of pixels for 3 channels"), error);
  CHECK_THROWS_AS(with({.mean = {1e9}}), error);
  CHECK_THROWS_AS(with({.scale = {0}}), error);
  CHECK_THROWS_AS(with({.scale = {std::nan("")}}), error);
}

TEST_CASE_FIXTURE(fixture,
                  "a clipping that pixels do not reach goes where the input becomes pixels") {
  const net::preprocessing as_bytes{.mean = {100}, .scale = {0.02}};  // -2 .. 3.1
  const auto clips_left = [&](net::shape s, net::clip clip, net::graph::any_operator reader,
                              const net::layer_precisions& p = {}) {
    net::graph h;
    const auto cut = h.add("cut", clip, {h.add("in", net::input{s})});
    mark(h, h.add("reader", std::move(reader), {cut}));
    quant::drop_idle_clips(h, as_bytes, p);
    net::infer_shapes(h);
    return h.size() == 3;
  };
  const net::clip idle{-2, 3.1F}, nearly{-1.99F, 3.1F}, real{-1, 3.1F};
  const net::convolution conv{.weights = {1, 2, 3}};
  CHECK_FALSE(clips_left(shape, idle, conv));
  CHECK_FALSE(clips_left(shape, nearly, conv));
  CHECK(clips_left(shape, real, conv));
  // An input that is given as values may be anything.
  CHECK(clips_left(shape, idle, conv, hw::precision::fp16));
  CHECK(clips_left({2, 4, 4}, idle, net::convolution{.weights = {1, 2}}));
  CHECK(clips_left({20, 1, 1}, idle,
                   net::fully_connected{.outputs = 1, .weights = random_values(random, 20, 1)}));
  CHECK(clips_left(shape, idle, net::scale{.factor = {1, 2, 3}}));
  CHECK(clips_left(shape, idle, net::pool{.kind = net::pool_kind::average, .global = true}));
}
