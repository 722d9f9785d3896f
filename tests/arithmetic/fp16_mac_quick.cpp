// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <random>
#include <vector>

#include <nvdlac/arithmetic/fp16_mac.hpp>

using namespace nvdlac::arithmetic;

namespace {

// Zeros of both signs, and numbers whose exponent fields are in [low, high]: 0 are denormals, 31
// infinities and NaNs.
std::vector<std::uint16_t> random_halves(std::mt19937& random, std::size_t n, int low, int high) {
  std::uniform_int_distribution<int> exponents(low, high), eighths(0, 7);
  std::vector<std::uint16_t> values(n);
  for (auto& v : values) {
    const auto bits = static_cast<std::uint32_t>(random()) & 0x83ff;
    const auto exponent = static_cast<std::uint32_t>(exponents(random)) << 10;
    v = static_cast<std::uint16_t>(eighths(random) == 0 ? bits & 0x8000 : bits | exponent);
  }
  return values;
}

}  // namespace

TEST_CASE("the quick sum of products has every bit of its definition") {
  std::mt19937 random(1);
  int nans = 0, zeros = 0;
  constexpr std::array<std::array<int, 2>, 6> exponents{
      {{0, 30}, {13, 16}, {0, 2}, {28, 30}, {10, 20}, {29, 31}}};
  for (int i = 0; i < 30000; ++i) {
    const auto [low, high] = exponents[random() % exponents.size()];
    const auto n = 1 + random() % (i % 4 == 0 ? 4 : 64);
    const auto data = random_halves(random, n, low, high);
    const auto weights = random_halves(random, n, low, high);
    const auto expected = sum_of_products(data, weights);
    const auto got = quick_sum_of_products(data, weights);
    REQUIRE(got.nan == expected.nan);
    REQUIRE(got.exponent == expected.exponent);
    REQUIRE(got.mantissa == expected.mantissa);
    nans += got.nan != 0;
    zeros += got.mantissa == 0 && got.nan == 0;
  }
  CHECK(nans > 1000);
  CHECK(zeros > 100);
}

TEST_CASE("the quick sum of products holds 64 of the largest significands") {
  const std::vector<std::uint16_t> largest(64, 0x6fff), least(64, 0xefff);
  CHECK(quick_sum_of_products(largest, largest).mantissa == std::int64_t{0x3ff8} * 0x3ff8 * 64);
  CHECK(quick_sum_of_products(largest, least).mantissa == std::int64_t{-0x3ff8} * 0x3ff8 * 64);
}
