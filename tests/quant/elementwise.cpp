// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/quant/elementwise.hpp>

#include <array>

#include <doctest/doctest.h>

#include <nvdlac/quant/moving.hpp>

#include "networks.hpp"

using namespace quant_test;

TEST_CASE("shifts give multipliers of 15 bits") {
  CHECK(quant::shift_for(1.0) == 14);
  CHECK(quant::shift_for(0.999999999) == 14);  // would round up to 2^15 at shift 15
  CHECK(quant::shift_for(32767) == 0);
  CHECK(quant::shift_for(1e9) == 0);
  CHECK(quant::shift_for(1e-30) == quant::highest_shift);
  CHECK(quant::nearest_converter(1.0) == converter{.offset = 0, .scale = 1 << 14, .shift = 14});
  CHECK(quant::nearest_converter(1e30) == converter{.offset = 0, .scale = 32767, .shift = 0});
  CHECK(quant::nearest_converter(1e-30).scale == 0);
}

TEST_CASE("sums of any two scales are right to a step and a bit") {
  for (const double ratio : {1.0, 1.5, 100.0, 16384.0, 32768.0, 1e6, 1e30})
    for (const double out : {1e-30, 1e-6, 0.01, 1.0, 3.0, 1e4, 1e30}) {
      const double sa = 1, sb = 1 / ratio;
      const auto q = quant::quantise_add(sa, sb, false, out);
      for (const int a : {-128, -1, 0, 1, 100})
        for (const int b : {-128, -7, 0, 3, 127}) {
          CAPTURE(ratio); CAPTURE(out); CAPTURE(a); CAPTURE(b);
          const double wanted = std::clamp((sa * a + sb * b) / out, -128.0, 127.0);
          const int got = q.finish(static_cast<std::int8_t>(a), static_cast<std::int8_t>(b));
          CHECK(std::fabs(got - wanted) <= (ratio > 32767 ? 1.5 : 0.52));
        }
    }
}

TEST_CASE("per-channel scalings of any size are right to half a step and a bit") {
  for (const double f : {-1e20, -3.0, 0.0, 1e-20, 0.7, 1e20})
    for (const double b : {-1e25, 0.0, 5.0, 1e-20})
      for (const double out : {1e-20, 0.1, 1.0, 1e22}) {
        const std::vector factor{f, f / 3}, bias{b, -b};
        const auto q = quant::quantise_scale(factor, bias, false, 0.05, out);
        CHECK(q.addend_shift <= 16);
        for (const int x : {-128, -3, 0, 1, 127})
          for (const std::size_t c : {std::size_t{0}, std::size_t{1}}) {
            CAPTURE(f); CAPTURE(b); CAPTURE(out); CAPTURE(x); CAPTURE(c);
            const double wanted = std::clamp((factor[c] * 0.05 * x + bias[c]) / out, -128.0, 127.0);
            CHECK(std::fabs(q.finish(static_cast<std::int8_t>(x), c) - wanted) <= 0.55);
          }
      }
}

TEST_CASE("equal numbers of a scaling are kept once") {
  const std::vector<double> factor(8, 0.5), bias(8, 0.25);
  const auto q = quant::quantise_scale(factor, bias, true, 1, 1);
  CHECK(q.multiplier.size() == 1);
  CHECK(q.addend.size() == 1);
  CHECK(q.relu);
}

TEST_CASE("concat copies what has its scale and rescales the rest") {
  const std::vector scales{0.5, 0.25, 0.5 * (1 + 1e-12), 1e-9, 1e9};
  const auto q = quant::quantise_concat(scales, 0.5);
  CHECK_FALSE(q.multiplier[0]);
  CHECK_FALSE(q.multiplier[2]);
  REQUIRE(q.multiplier[1]);
  const auto finish = [&](std::int8_t x, std::size_t input) { return q.finish(x, input); };
  CHECK(finish(100, 1) == 50);
  CHECK(finish(100, 3) == 0);
  CHECK(finish(1, 4) == 127);
  CHECK(finish(-1, 4) == -128);
  CHECK(finish(0, 4) == 0);
}

namespace {

// The largest error, in steps of the output, over pairs of all magnitudes; `exact` in such steps.
template <class Op, class Exact>
double worst_pair(const Op& op, const Exact& exact) {
  double worst = 0;
  for (int a = -128; a <= 127; a += 3)
    for (int b = -128; b <= 127; ++b) {
      double real = std::clamp(exact(a, b), -128.0, 127.0);
      if (op.relu) real = std::max(real, 0.0);
      const int got = op.finish(static_cast<std::int8_t>(a), static_cast<std::int8_t>(b));
      worst = std::max(worst, std::fabs(real - got));
    }
  return worst;
}

}  // namespace

TEST_CASE("sums and extrema of any two scales round once") {
  std::mt19937 random(5);
  const auto power = [&](double low, double high) {
    return std::exp2(low + (high - low) * static_cast<double>(random() >> 8) / 16777216.0);
  };
  for (int i = 0; i < 200; ++i) {
    const double a = power(-14, 6) * (random() % 2 == 0 ? 1 : -1), b = power(-14, 6);
    const bool relu = random() % 2 == 0;
    CHECK(worst_pair(quant::quantise_sum(a, b, relu, 1), [&](int x, int y) {
            return a * x + b * y;
          }) < 0.55);
    CHECK(worst_pair(quant::quantise_sum(a, -b, false, 1), [&](int x, int y) {
            return a * x - b * y;
          }) < 0.55);
    const auto maximum =
        quant::quantise_extremum(net::extremum_kind::maximum, std::fabs(a), b, relu, 1);
    CHECK(worst_pair(maximum, [&](int x, int y) {
            return std::max(std::fabs(a) * x, b * y);
          }) < 0.55);
    const auto minimum =
        quant::quantise_extremum(net::extremum_kind::minimum, std::fabs(a), b, relu, 1);
    CHECK(worst_pair(minimum, [&](int x, int y) {
            return std::min(std::fabs(a) * x, b * y);
          }) < 0.55);
    CHECK(worst_pair(quant::quantise_multiply(std::fabs(a), b, relu, 1), [&](int x, int y) {
            return std::fabs(a) * b * x * y;
          }) < 0.55);
  }
}

TEST_CASE("sums count from any integers") {
  std::mt19937 random(6);
  const auto power = [&](double low, double high) {
    return std::exp2(low + (high - low) * static_cast<double>(random() >> 8) / 16777216.0);
  };
  const auto zero = [&] { return random() % 2 == 0 ? -128 : 0; };
  for (int i = 0; i < 200; ++i) {
    const double a = power(-30, 6) * (random() % 2 == 0 ? 1 : -1);
    const double b = power(-30, 6) * (random() % 2 == 0 ? 1 : -1);
    const quant::sum_zeros z{zero(), zero(), zero()};
    CAPTURE(a);
    CAPTURE(b);
    CHECK(worst_pair(quant::quantise_sum(a, b, false, 1, 127, z), [&](int x, int y) {
            return a * (x - z.a) + b * (y - z.b) + z.out;
          }) < (std::fabs(a / b) > 32767 ? 1 : 0.55));  // all of b is less than a step there
  }
}

TEST_CASE("rescaled integers keep what stands for 0") {
  for (const double ratio : {1e-12, 0.001, 0.3, 0.999, 1.0, 2.0, 100.0, 1e9}) {
    CAPTURE(ratio);
    const std::array scales{ratio, 1.0};
    const auto both = quant::quantise_concat(scales, 1, 127, -128);
    const auto alone = quant::rescaling(ratio, 1, 127, -128, -128);
    for (int x = -128; x < 128; ++x) {
      const double real = std::min(ratio * (x + 128) - 128, 127.0);
      const auto integer = static_cast<std::int8_t>(x);
      CHECK(std::fabs(both.finish(integer, 0) - real) < 0.51);
      CHECK(both.finish(integer, 1) == x);
      CHECK(std::fabs(alone.finish(integer, 0) - real) < 0.51);
    }
  }
}

TEST_CASE("concats and rescalings count from one integer before and from another behind") {
  for (const double ratio : {0.001, 0.3, 0.999, 1.0, 2.0, 100.0})
    for (const int before : {-128, -77, 0, 5})
      for (const int behind : {-128, -100, -77, 0}) {
        CAPTURE(ratio); CAPTURE(before); CAPTURE(behind);
        const std::array scales{ratio, 1.0};
        const std::vector zeros{static_cast<std::int8_t>(before),
                                static_cast<std::int8_t>(behind)};
        const auto both = quant::quantise_concat(scales, 1, 127, zeros[1], zeros);
        const auto alone = quant::rescaling(ratio, 1, 127, before, behind);
        CHECK(both.multiplier[0].has_value() == (ratio != 1 || before != behind));
        CHECK_FALSE(both.multiplier[1]);
        for (int x = -128; x < 128; ++x) {
          const double real = std::clamp(ratio * (x - before) + behind, -128.0, 127.0);
          const auto integer = static_cast<std::int8_t>(x);
          CHECK(std::fabs(both.finish(integer, 0) - real) < 0.51);
          CHECK(both.finish(integer, 1) == x);
          CHECK(std::fabs(alone.finish(integer, 0) - real) < 0.51);
        }
      }
}

TEST_CASE("a scaling with a ReLU has 256 steps") {
  const std::array factor{0.02, -3.0}, bias{1.0, 200.0};
  const auto q = quant::quantise_scale(factor, bias, true, 1, 0.5, 127, -128);
  CHECK_FALSE(q.relu);
  for (int x = -128; x < 128; ++x)
    for (const std::size_t c : {std::size_t{0}, std::size_t{1}})
      CHECK(std::fabs(q.finish(static_cast<std::int8_t>(x), c) -
                      std::clamp((factor[c] * x + bias[c]) / 0.5 - 128, -128.0, 127.0)) < 0.55);
}

TEST_CASE("element-wise operators of different scales are close to the real ones") {
  using namespace quant_test;
  std::mt19937 random(3);
  const std::vector x{random_tensor(random, {5, 4, 3}, 2), random_tensor(random, {5, 4, 3}, 0.3F),
                      random_tensor(random, {5, 1, 1}, 1)};
  const auto steps = [&](const auto& op, std::size_t first, std::size_t second) {
    net::graph g;
    std::vector<net::graph::id> in;
    for (std::size_t i = 0; i < x.size(); ++i)
      in.push_back(g.add("in" + std::to_string(i), net::input{x[i].shape}));
    mark(g, g.add("y", op, {in[first], in[second]}));
    const auto q = quant::quantise(g, min_max_table(g, x));
    return worst_steps(g, q, x);
  };
  for (const auto& [a, b] : {std::pair{0, 1}, {1, 0}, {0, 0}, {0, 2}, {2, 1}})
    for (const bool relu : {false, true}) {
      const auto first = static_cast<std::size_t>(a), second = static_cast<std::size_t>(b);
      for (const std::array<float, 2> c : {std::array{1.0F, 1.0F}, {1.0F, -1.0F}, {-0.5F, 2.0F},
                                           {-1.0F, -3.0F}, {2.0F, 0.0F}, {0.0F, -1.0F}})
        CHECK(steps(net::add{.relu = relu, .coefficients = c}, first, second) < 2.6);
      CHECK(steps(net::multiply{relu}, first, second) < 2.6);
      // A step of the coarsest input is 7 steps of the smallest output.
      CHECK(steps(net::extremum{net::extremum_kind::maximum, relu}, first, second) < 4.1);
      CHECK(steps(net::extremum{net::extremum_kind::minimum, relu}, first, second) < 4.1);
    }
}

TEST_CASE("PReLU with a slope for each element is close to the real one") {
  using namespace quant_test;
  std::mt19937 random(7);
  const auto x = random_tensor(random, {5, 4, 3}, 2);
  const auto with = [&](net::float_tensor slopes) {
    net::graph g;
    const auto in = g.add("in", net::input{x.shape});
    const auto k = g.add("slopes", net::constant{std::move(slopes)});
    mark(g, g.add("y", net::elementwise_prelu{}, {in, k}));
    return g;
  };
  const auto each = random_tensor(random, x.shape, 0.4F);
  for (const auto& g : {with(each), with(random_tensor(random, {5, 1, 1}, 30)),
                        with(net::float_tensor{x.shape})}) {
    const auto q = quant::quantise(g, min_max_table(g, {x}));
    CHECK(q.size() == 3);
    CHECK(worst_steps(g, q, {x}) < 2);
    for (const auto p : {hw::precision::int16, hw::precision::fp16})
      CHECK(std::holds_alternative<quantised::elementwise_prelu>(
          quant::quantise(g, min_max_table(g, {x}), {.precision = p})[g.outputs()[0]].op));
  }
  CHECK_THROWS_WITH_AS(quant::quantise(with({{5, 1, 1}, {1, 2, 300, 4, 5}}),
                                       min_max_table(with(each), {x})),
                       doctest::Contains("its largest slope is 300, which is above 127 (a "),
                       error);

  net::graph computed;
  const auto a = computed.add("a", net::input{x.shape}), b = computed.add("b", net::relu{}, {a});
  mark(computed, computed.add("y", net::elementwise_prelu{}, {a, b}));
  CHECK_THROWS_WITH_AS(quant::quantise(computed, min_max_table(computed, {x})),
                       doctest::Contains("its slopes are computed in the network"), error);
}
