// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/net/verify.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <tests/net/random.hpp>

using namespace nvdlac;
using namespace nvdlac::quantised;
using net::int8_tensor;
using net::shape;

namespace {

using values = std::vector<std::int8_t>;

// Division by 2^shift, half away from zero, by way of the quotient and the remainder.
std::int64_t divided(std::int64_t x, int shift) {
  const std::int64_t unit = std::int64_t{1} << shift, size = x < 0 ? -x : x;
  const std::int64_t quotient = size / unit + (size % unit * 2 >= unit ? 1 : 0);
  return x < 0 ? -quotient : quotient;
}
std::int64_t clamped(std::int64_t x, int bits) {
  const std::int64_t top = (std::int64_t{1} << (bits - 1)) - 1;
  return std::clamp(x, -top - 1, top);
}

int8_tensor naive(const convolution& op, const int8_tensor& x) {
  int8_tensor y{op.infer(std::array{x.shape})};
  const auto& w = op.window;
  const std::int32_t c_of_group = x.shape.c / op.groups, k_of_group = op.kernels / op.groups;
  const shape kernel{c_of_group, w.kernel_h, w.kernel_w};
  for (std::int32_t k = 0; k < op.kernels; ++k)
    for (std::int32_t oy = 0; oy < y.shape.h; ++oy)
      for (std::int32_t ox = 0; ox < y.shape.w; ++ox) {
        const auto ki = static_cast<std::size_t>(k);
        std::int64_t sum = 0;
        for (std::int32_t c = 0; c < c_of_group; ++c)
          for (std::int32_t r = 0; r < w.kernel_h; ++r)
            for (std::int32_t s = 0; s < w.kernel_w; ++s) {
              const std::int32_t iy = oy * w.stride_h - w.pad_top + r * w.dilation_h;
              const std::int32_t ix = ox * w.stride_w - w.pad_left + s * w.dilation_w;
              const bool inside = iy >= 0 && iy < x.shape.h && ix >= 0 && ix < x.shape.w;
              sum += std::int64_t{inside ? x.at(k / k_of_group * c_of_group + c, iy, ix) : op.pad} *
                     op.weights[ki * kernel.size() + kernel.at(c, r, s)];
            }
        std::int64_t v = clamped(divided(sum, op.truncate), 32);
        v = (v + op.bias[ki] * (std::int64_t{1} << op.bias_shift)) * op.multiplier[ki];
        v = clamped(divided(v, op.shift), 32);
        if (op.relu && v < 0) v = 0;
        y.at(k, oy, ox) = static_cast<std::int8_t>(clamped(v, 8));
      }
  return y;
}

}  // namespace

TEST_CASE("integer convolution agrees with its definition bit for bit") {
  randomness random(11);
  for (int i = 0; i < 120; ++i) {
    const std::int32_t groups = random.integer(1, 2);
    convolution op{.kernels = groups * random.integer(1, 6), .window = random.window(4, true),
                   .groups = groups, .relu = random.coin()};
    const shape in{groups * random.integer(1, 70), random.integer(7, 10), random.integer(7, 10)};
    const auto k = static_cast<std::size_t>(op.kernels);
    op.weights =
        random.integers<std::int8_t>(static_cast<std::size_t>(op.weight_count(in)), -128, 127);
    op.bias = random.integers<std::int16_t>(k, -32768, 32767);
    op.multiplier = random.integers<std::int16_t>(k, -32768, 32767);
    op.bias_shift = static_cast<std::uint8_t>(random.integer(0, 16));
    op.truncate = static_cast<std::uint8_t>(random.integer(0, 16));
    op.shift = static_cast<std::uint8_t>(random.integer(10, 40));
    op.pad = static_cast<std::int8_t>(random.integer(-128, 127));
    const auto x = random.int8(in);
    CHECK(computed(op, x) == naive(op, x));
  }
}

TEST_CASE("sums are exact at the ends of the range") {
  const shape in{4096, 3, 3};
  convolution op{.kernels = 2, .window = {.kernel_h = 3, .kernel_w = 3}, .bias = {0, 0},
                 .multiplier = {1, 1}, .shift = 0, .truncate = 16};
  op.weights.assign(static_cast<std::size_t>(op.weight_count(in)), -128);
  op.weights.back() = -127;
  for (const std::int32_t width : {3, 12}) {
    const shape wide{in.c, in.h, width};
    int8_tensor x{wide, values(wide.size(), -128)};
    CHECK(computed(op, x) == naive(op, x));
  }
  // 36864 products of 2^14 are 603979776; the second kernel's last weight takes 128 away.
  op.truncate = 0;
  op.bias = {-18432, -18432};
  op.bias_shift = 15;
  const int8_tensor x{in, values(in.size(), -128)};
  CHECK(computed(op, x).values == values{0, -128});
}

TEST_CASE("integer convolution saturates and rounds half away from zero") {
  convolution op{.weights = {1}, .bias = {0}, .multiplier = {1}, .shift = 1};
  CHECK(computed(op, int8_tensor{{1, 1, 4}, {1, -1, 3, -3}}).values == values{1, -1, 2, -2});
  op.multiplier = {32767};
  op.shift = 0;
  CHECK(computed(op, int8_tensor{{1, 1, 3}, {1, -1, 0}}).values == values{127, -128, 0});
  op.relu = true;
  CHECK(computed(op, int8_tensor{{1, 1, 3}, {1, -1, 0}}).values == values{127, 0, 0});
}

TEST_CASE("integer pooling by hand") {
  const int8_tensor x{{1, 3, 3}, {1, 2, 3, 4, -5, 6, 7, 8, -128}};
  const net::window w{.kernel_h = 2, .kernel_w = 2, .stride_h = 2, .stride_w = 2};
  CHECK(computed(pool{.window = w, .ceil = true}, x).values == values{4, 6, 8, -128});
  CHECK(computed(pool{.kind = net::pool_kind::minimum, .window = w, .ceil = true}, x).values ==
        values{-5, 3, 7, -128});
  // Top left: 1+2+4-5 = 2; 2 * 32768 / 65536 = 1; 1 * 32768 / 65536 = 0.5, rounded to 1.
  // Top right: 3+6 = 9, one column, two rows: 4.5 is 5. Bottom left: 15, two columns: 7.5 is 8.
  const pool mean{.kind = net::pool_kind::average, .window = w, .ceil = true};
  CHECK(computed(mean, x).values == values{1, 5, 8, -128});
  const pool thirds{.kind = net::pool_kind::average, .window = {.kernel_h = 3, .kernel_w = 3}};
  const int8_tensor full{{1, 3, 3}, values(9, 127)};
  // 65536 / 3 is 21845: 1143 * 21845 / 65536 = 380.99, 381; 381 * 21845 / 65536 = 126.998, 127.
  CHECK(computed(thirds, full).values == values{127});
  const pool padded{
      .kind = net::pool_kind::average,
      .window =
          {.kernel_h = 2, .kernel_w = 2, .stride_h = 2, .stride_w = 2, .pad_top = 1, .pad_left = 1},
      .count_include_pad = true};
  CHECK(computed(padded, int8_tensor{{1, 1, 1}, {100}}).values == values{25});
  CHECK_THROWS_AS(pool{.window = {.kernel_h = 9}}.infer(std::array{shape{1, 9, 9}}), error);
  CHECK_THROWS_WITH_AS(computed(pool{.pad = 1}, net::fp16_tensor{{1, 1, 1}}),
                       "it is a pooling of fp16, whose padding has no value but 0", error);
}

TEST_CASE("integer means differ from real ones by their two roundings at most") {
  randomness random(12);
  for (int i = 0; i < 300; ++i) {
    const pool op{.kind = net::pool_kind::average,
                  .window = random.window(8, false),
                  .ceil = random.coin(),
                  .count_include_pad = random.coin()};
    const auto x = random.int8({2, random.integer(8, 20), random.integer(8, 20)});
    const net::pool real{.kind = op.kind, .window = op.window, .ceil = op.ceil,
                         .count_include_pad = op.count_include_pad};
    const net::float_tensor fx{x.shape, {x.values.begin(), x.values.end()}};
    const auto y = computed(op, x);
    const auto expected = computed(real, fx);
    REQUIRE(y.shape == expected.shape);
    for (std::size_t n = 0; n < y.values.size(); ++n)
      CHECK(std::abs(static_cast<float>(y.values[n]) - expected.values[n]) <= 1.02F);
  }
}

TEST_CASE("integer scale, add, concat and reshape by hand") {
  const int8_tensor x{{2, 1, 2}, {1, -2, 100, -128}};
  CHECK(computed(
            scale{.multiplier = {3, -1}, .addend = {1, 0}, .addend_shift = 2, .out = {0, 1, 1}}, x)
            .values == values{4, -1, -50, 64});
  CHECK(computed(scale{.multiplier = {2}, .relu = true}, x).values == values{2, 0, 127, 0});
  CHECK(computed(add{.multiplier = 2, .operand_shift = 1, .out = {0, 1, 2}}, x, x).values ==
        values{1, -2, 100, -128});
  CHECK(computed(add{.relu = true}, x, x).values == values{2, 0, 127, 0});
  CHECK(computed(add{}, x, x).values == values{2, -4, 127, -128});
  CHECK(computed(concat{.multiplier = {std::nullopt, std::int16_t{-3}}, .shift = 1}, x, x).values ==
        values{1, -2, 100, -128, -2, 3, -128, 127});
  CHECK(computed(reshape{{4, 1, 1}}, x) == int8_tensor{{4, 1, 1}, x.values});
  CHECK_THROWS_AS(computed(concat{}, x), error);
  CHECK_THROWS_AS(computed(scale{.multiplier = {1, 2, 3}}, x), error);
}

TEST_CASE("a picture becomes int8 by the input converter") {
  const input op{{3, 1, 2}, pixels{.mean = {128, 0, -1}, .cvt = {0, 3, 2}}};
  const auto y =
      std::get<int8_tensor>(op.evaluate(std::vector<std::uint8_t>{128, 1, 2, 0, 255, 9}));
  CHECK(y == int8_tensor{{3, 1, 2}, {0, -96, 1, 127, 2, 8}});
  CHECK_THROWS_AS(op.evaluate(std::vector<std::uint8_t>(5)), error);
  CHECK_THROWS_AS(op.evaluate(int8_tensor{{3, 1, 2}}), error);
  CHECK_THROWS_AS((input{{3, 1, 2}, {}}.evaluate(std::vector<std::uint8_t>(6))), error);
  CHECK_THROWS_AS((input{{2, 1, 2}, pixels{}}.infer({})), error);
}

// The values that the public runtime's emulator gives.
TEST_CASE("a softmax computes as the public runtime does") {
  const auto computed = [](double scale, values x) {
    const int8_tensor in{{static_cast<std::int32_t>(x.size()), 1, 1}, std::move(x)};
    const int8_tensor* const inputs[]{&in};
    return softmax{}.evaluate<std::int8_t>(inputs, scale, 1.0 / 127).values;
  };
  CHECK(computed(0.5, {0, 1, 4, -3, 2, 1, 0, -128}) == values{8, 13, 60, 1, 22, 13, 8, 0});
  CHECK(computed(0.0371, {127, 126, 3, -5, 90, 127, 60, -128}) ==
        values{38, 36, 0, 0, 9, 38, 3, 0});
  CHECK(computed(2.7, {5, 4, 5, 3, 5, 0, -1, 4}) == values{40, 2, 40, 0, 40, 0, 0, 2});
  CHECK(computed(500, {127, 127, -128, 0, 1, 127, 126, 2}) ==
        values{42, 42, 0, 0, 0, 42, 0, 0});
  CHECK(computed(0.25, {40, 0, 0, 0, 0, 0, 0, 0}) == values{126, 0, 0, 0, 0, 0, 0, 0});
  CHECK(computed(1e9, {127, 127, -128, 0, 126}) == values{63, 63, 0, 0, 0});
  CHECK_THROWS_AS(computed(0, {1, 2}), error);
}

TEST_CASE("16-bit floats: nearest, ties away from zero, steps of 2^-24 at the small end") {
  CHECK(half_precision(0) == 0);
  CHECK(half_precision(1) == 1);
  CHECK(half_precision(1 + 0x1p-11f) == 1 + 0x1p-10f);
  CHECK(half_precision(-1 - 0x1p-11f) == -1 - 0x1p-10f);
  CHECK(half_precision(1 + 0x1.8p-12f) == 1);
  CHECK(half_precision(0x1.fffp0f) == 2);
  CHECK(half_precision(0x1p-25f) == 0x1p-24f);
  CHECK(half_precision(0x1.fp-26f) == 0);
  CHECK(half_precision(0x1.008p-14f) == 0x1.008p-14f);
}

TEST_CASE("an integer graph is inferred, verified and computed like a real one") {
  graph g;
  const auto data = g.add("data", input{{1, 1, 2}});
  const auto conv = g.add(
      "conv", convolution{.kernels = 2, .weights = {1, -1}, .bias = {0, 1}, .multiplier = {1, 1}},
      {data});
  const auto prob = g.add("prob", softmax{}, {conv});
  g[conv].scale = 0.5;
  g[prob].scale = 1.0 / 127;
  g[prob].output = true;
  net::infer_shapes(g);
  CHECK(net::verify(g).empty());
  // softmax of (0, 0.5) and (2, -1.5): 0.3775, 0.6225 and 0.9707, 0.0293, in units of 1/127,
  // truncated.
  CHECK(evaluate(g, int8_tensor{{1, 1, 2}, {0, 4}})[0].values == values{47, 123, 79, 3});
  int seen = 0;
  const feed given = int8_tensor{{1, 1, 2}, {0, 4}};
  evaluate_each(g, std::span(&given, 1), [&](auto n, const int8_tensor& t) {
    CHECK(t.shape == g[n].shape);
    ++seen;
  });
  CHECK(seen == 3);
  CHECK_THROWS_AS(evaluate(g, int8_tensor{{1, 2, 1}}), error);
}
