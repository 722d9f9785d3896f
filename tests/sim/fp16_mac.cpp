// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <random>

#include <nvdlac/sim/conv/fp16_winograd.hpp>
#include <nvdlac/sim/kernels/fp16_lanes.hpp>

using namespace nvdlac::sim;

namespace {

using halves = std::vector<std::uint16_t>;

template <std::size_t N>
constexpr fp16_pass pass(const std::uint16_t (&data)[N], const std::uint16_t (&weights)[N]) {
  return sum_of_products(data, weights);
}

constexpr std::uint32_t accumulated(std::initializer_list<fp16_pass> passes) {
  fp16_accumulator a;
  for (const auto& p : passes) a.add(p);
  return a.result().bits;
}

// The bits below the place of the result are cut from a sum and a carry.
static_assert(truncated_product(0x2abc, 0x3fff, false, 0) == 0x2abc * 0x3fff);
static_assert(truncated_product(0x2abc, 0x3fff, true, 0) == -0x2abc * 0x3fff);
static_assert(truncated_product(0x401, 0x400, true, 16) == -17);  // -16.02 rounded down
static_assert(truncated_product(0x401, 0x400, true, 20) == -1);   // one above that
static_assert(truncated_product(0x3fff, 0x3fff, false, 32) == 0);
static_assert(truncated_product(0, 0x2000, true, 0) == 0);

// 1 * 1; the exponent of a pass is that of its largest pair, in steps of 4.
static_assert(pass({0x3c00}, {0x3c00}).exponent == 24);
static_assert(pass({0x3c00}, {0x3c00}).mantissa == std::int64_t{1} << 26);
static_assert(pass({0x3c00, 0xbc00}, {0x3c00, 0x3c00}).mantissa == 0);
// A zero hides its pair, of either sign; a denormal does not, and an infinity is 65536.
static_assert(pass({0x7800, 0x3c00}, {0x8000, 0x3c00}).exponent == 24);
static_assert(pass({0x0001}, {0x0001}).mantissa == 4 && pass({0x0001}, {0x0001}).exponent == 0);
static_assert(accumulated({pass({0x0001}, {0x0001})}) == 0x27800000);  // 2^-48
static_assert(accumulated({pass({0x7c00}, {0x3c00})}) == 0x47800000);
static_assert(accumulated({pass({0xfc00}, {0x7c00})}) == 0xcf800000);
// NaN: the first of the weights before the first of the data; zeros do not hide it.
static_assert(pass({0x7c01, 0x0000}, {0x3c00, 0xfc05}).nan == 0xfc05);
static_assert(pass({0x0000, 0x7c01, 0xfe02}, {0x3c00, 0x0000, 0x3c00}).nan == 0x7c01);
static_assert(accumulated({pass({0x3c00}, {0x3c00}), pass({0xfe01}, {0}), pass({0x7c03}, {0})}) ==
              0xff800201);
static_assert(accumulated({}) == 0 && accumulated({pass({0x3c00}, {0x3c00})}) == 0x3f800000);
static_assert(accumulated({pass({0x3c00}, {0x3c00}), pass({0x3c00}, {0xbc00})}) == 0);
static_assert(accumulated({pass({0xbc00}, {0x3c00})}) == 0xbf800000);

// 39 bits of significand, half away from zero: 2^14 keeps 2^-24 but loses 2^-25 and below, except
// for the exact half; what is kept shows when 2^14 goes again.
constexpr fp16_pass large = pass({0x7400}, {0x3c00}), minus_large = pass({0x7400}, {0xbc00});
constexpr fp16_pass half = pass({0x1000}, {0x0400});  // 2^-11 * 2^-14
static_assert(accumulated({half}) == 0x33000000);
static_assert(accumulated({large, half, minus_large}) == 0x33800000);
static_assert(accumulated({large, pass({0x1000}, {0x03ff}), minus_large}) == 0);
static_assert(accumulated({minus_large, pass({0x1000}, {0x8400}), large}) == 0xb3800000);

// Winograd: a constant tile has only the middle terms; outputs are sums of nine.
static_assert(fp16_winograd_input({0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00,
                                   0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00,
                                   0x3c00})[5] == 0x4400);
static_assert([] {
  std::array<std::uint16_t, 64> ones{};
  for (auto& v : ones) v = 0x3c00;
  const auto passes = fp16_winograd_pass(ones, ones);
  return accumulated({passes[0]}) == 0x42100000 && accumulated({passes[1]}) == 0xc1400000 &&
         accumulated({passes[3]}) == 0x40800000;  // 36, -12, 4
}());

// Whether the transform of small integers is that of the integers.
constexpr bool transforms_like_integers(std::uint32_t seed) {
  tile integers{};
  std::array<std::uint16_t, 16> inputs{};
  for (std::size_t i = 0; i < 16; ++i) {
    seed = seed * 1664525 + 1013904223;
    integers[i] = static_cast<std::int64_t>(seed >> 24) - 128;
    inputs[i] = static_cast<std::uint16_t>(from_integer<fp16>(integers[i]).bits);
  }
  const auto expected = winograd_input<16>(integers, 0);
  const auto got = fp16_winograd_input(inputs);
  for (std::size_t i = 0; i < 16; ++i)
    if (to_integer<16>(fp16{got[i]}) != expected[i]) return false;
  return true;
}
static_assert(transforms_like_integers(1) && transforms_like_integers(2));

// Numbers of like and of distant exponents, denormals, infinities and zeros; the last are powers of
// two and their neighbours, whose sums often lie half way.
constexpr int spreads = 5;
std::uint16_t random_half(std::mt19937& random, int spread) {
  const auto r = static_cast<std::uint32_t>(random());
  if (random() % 16 == 0) return static_cast<std::uint16_t>(r & 0x8000);
  const int exponents[]{static_cast<int>(random() % 31), static_cast<int>(13 + random() % 4),
                        static_cast<int>(random() % 3), static_cast<int>(28 + random() % 3)};
  if (spread == 4) {
    const std::uint32_t fractions[]{0, 0, 1, 0x200, 0x3ff};
    return static_cast<std::uint16_t>((r & 0x8000) | (1 + r % 30) << 10 | fractions[random() % 5]);
  }
  if (spread == 3 && random() % 8 == 0) return static_cast<std::uint16_t>((r & 0x8000) | 0x7c00);
  return static_cast<std::uint16_t>((r & 0x83ff) | static_cast<std::uint32_t>(exponents[spread])
                                                       << 10);
}

halves random_halves(std::mt19937& random, std::size_t n, int spread) {
  halves v(n);
  for (auto& x : v) x = random_half(random, spread);
  return v;
}

// All bits of the accumulator, and what SDP gets of them.
void check_same(double sum, const fp16_accumulator& expected) {
  CHECK(sum == std::ldexp(static_cast<double>(expected.mantissa()), expected.exponent() - 101));
  CHECK(fp16_result(sum) == expected.result().bits);
}

std::vector<fp16_datum> data_of(const halves& values) {
  std::vector<fp16_datum> data;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (const fp16_operand x(values[i]); x.significand != 0) data.push_back(fp16_datum::of(x, i));
  return data;
}

}  // namespace

TEST_CASE("a cut product is the exact one rounded down, or one beside") {
  std::mt19937 random(1);
  int below = 0, above = 0;
  for (int i = 0; i < 100000; ++i) {
    const auto x = static_cast<std::uint32_t>(random() % 0x4000);
    const auto w = static_cast<std::uint32_t>(random() % 0x4000);
    const int shift = 4 * static_cast<int>(random() % 8);
    const bool negative = random() % 2 == 0;
    const auto exact = (negative ? -1 : 1) * static_cast<std::int64_t>(x) * w;
    const auto difference = truncated_product(x, w, negative, shift) - (exact >> shift);
    CHECK((difference == 0 || (shift != 0 && (difference == -1 || difference == 1))));
    below += difference == -1;
    above += difference == 1;
  }
  CHECK(below > 1000);
  CHECK(above > 1000);
}

TEST_CASE("a pass is near the exact sum of products") {
  std::mt19937 random(2);
  for (int i = 0; i < 3000; ++i) {
    const int spread = static_cast<int>(random() % 3);
    const auto data = random_halves(random, 64, spread);
    const auto weights = random_halves(random, 64, spread);
    const auto p = sum_of_products(data, weights);
    const auto value = [](std::uint16_t bits) {
      const fp16_operand x(bits);
      return std::ldexp(x.negative ? -1.0 * x.significand : x.significand, 4 * x.exponent - 25);
    };
    double exact = 0;
    for (std::size_t j = 0; j < 64; ++j) exact += value(data[j]) * value(weights[j]);
    const double got = std::ldexp(static_cast<double>(p.mantissa), p.exponent - 50);
    CHECK(std::fabs(got - exact) <= std::ldexp(128.0, p.exponent - 50));
  }
}

TEST_CASE("every way of this machine gives the accumulator's bits") {
  std::mt19937 random(3);
  for (const auto& way : fp16_ways())
    for (int i = 0; i < 1500; ++i) {
      const int spread = static_cast<int>(random() % spreads);
      fp16_accumulator expected[fp16_lane_count];
      double sums[fp16_lane_count]{};
      halves last;
      for (std::size_t p = 0, passes = 1 + random() % 5; p < passes; ++p) {
        const auto n = 1 + random() % (spread == 4 ? 2 : 64);
        auto data = random_halves(random, n, spread);
        // Sometimes the last pass with the other sign, for cancellation.
        if (p != 0 && random() % 3 == 0) {
          data = last;
          for (auto& v : data) v ^= 0x8000;
        }
        last = data;
        std::vector<fp16_weights> weights(data.size());
        for (std::size_t k = 0; k < fp16_lane_count; ++k) {
          const auto w = random_halves(random, data.size(), spread);
          for (std::size_t j = 0; j < w.size(); ++j) weights[j].set(k, w[j]);
          expected[k].add(sum_of_products(data, w));
        }
        way.accumulate(data_of(data), weights.data(), sums);
      }
      for (std::size_t k = 0; k < fp16_lane_count; ++k) check_same(sums[k], expected[k]);
    }
}

TEST_CASE("the addition in double rounds as the accumulator of 40 bits") {
  std::mt19937_64 random(4);
  int lost = 0;
  for (int i = 0; i < 20000; ++i) {
    fp16_accumulator expected;
    double sum = 0, exact = 0;
    for (int p = 0; p < 8; ++p) {
      // Mantissas with long runs of zeros and ones meet the halves.
      auto mantissa = static_cast<std::int64_t>(random() >> (30 + random() % 33));
      if (random() % 2 == 0) mantissa &= -(std::int64_t{1} << random() % 34);
      if (random() % 3 == 0) mantissa = std::int64_t{1} << random() % 34;
      mantissa += static_cast<std::int64_t>(random() % 3) - 1;
      if (random() % 2 == 0) mantissa = -mantissa;
      const int exponent = 4 * static_cast<int>(random() % 15);
      expected.add({.exponent = exponent, .mantissa = mantissa});
      sum = fp16_accumulated(sum, fp16_pass_value(mantissa, exponent));
      exact += fp16_pass_value(mantissa, exponent);
      check_same(sum, expected);
    }
    lost += sum != exact;
  }
  CHECK(lost > 10000);
}

TEST_CASE("every way of this machine rounds what lies beside a half") {
  const auto power = [](int exponent, bool negative) {
    return static_cast<std::uint16_t>((negative ? 0x8000 : 0) | (exponent + 15) << 10);
  };
  int beside = 0;
  for (const auto& way : fp16_ways())
    for (int top = 37; top < 43; ++top)
      for (int below = 13; below < 22; ++below)
        for (unsigned signs = 0; signs < 8; ++signs) {
          // +-2^top +- 2^(top - 39) +- 2^(top - 39 - below): the second is half of the last bit.
          const int tie = top - 39, rest = tie - below;
          const halves data{power(tie / 2, false), power(rest / 2, false)};
          const halves w{power(tie - tie / 2, (signs & 1) != 0),
                         power(rest - rest / 2, (signs & 2) != 0)};
          const int sign = (signs & 4) != 0 ? -1 : 1;
          const fp16_pass first{.exponent = 56, .mantissa = sign * (std::int64_t{1} << (top - 6))};
          fp16_accumulator expected;
          expected.add(first);
          expected.add(sum_of_products(data, w));
          double sums[fp16_lane_count]{};
          for (auto& s : sums) s = std::ldexp(sign, top);
          fp16_weights weights[2];
          for (std::size_t k = 0; k < fp16_lane_count; ++k)
            for (std::size_t i = 0; i < 2; ++i) weights[i].set(k, w[i]);
          way.accumulate(data_of(data), weights, sums);
          for (const auto s : sums) check_same(s, expected);
          beside += signs == 2 && sums[0] == std::ldexp(1.0, top);
        }
  CHECK(beside > 25);
}
