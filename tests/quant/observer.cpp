// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/quant/observer.hpp>

#include <doctest/doctest.h>

#include <ctime>

#include "networks.hpp"

using namespace quant_test;

namespace {

template <quant::observer Observer>
double range_of(const std::vector<float>& values) {
  Observer o;
  o.observe(values);
  return o.range();
}

// Roughly normal values, and one far outlier.
std::vector<float> bell(float outlier) {
  std::mt19937 random(5);
  std::vector<float> v(20000);
  for (float& x : v) {
    float sum = 0;
    for (const float u : random_values(random, 12, 0.5F)) sum += u;
    x = sum;
  }
  v.push_back(outlier);
  return v;
}

}  // namespace

TEST_CASE("magnitudes do not depend on the order of the values") {
  auto values = bell(1000);
  quant::magnitudes forwards, backwards;
  forwards.observe(values);
  std::reverse(values.begin(), values.end());
  for (const float x : values) backwards.observe(std::span(&x, 1));
  CHECK(forwards.counts() == backwards.counts());
  CHECK(forwards.largest() == 1000);
  CHECK(forwards.bin_width() == 0.25);
  CHECK(forwards.used() == 4001);
  CHECK(forwards.total() == values.size());
}

TEST_CASE("every magnitude is counted in its bin, and zeros apart") {
  std::mt19937 random(11);
  for (const int exponent : {-149, -140, -30, 0, 90, 127}) {
    CAPTURE(exponent);
    quant::magnitudes seen;
    std::vector<float> all;
    for (const std::size_t n : {1U, 255U, 700U}) {
      auto some = random_values(random, n, 2.0F);
      for (std::size_t i = 0; i < n; ++i)
        some[i] = i % 3 == 0 ? (i % 2 == 0 ? 0.0F : -0.0F) : std::ldexp(some[i] / 2, exponent);
      seen.observe(some);
      all.insert(all.end(), some.begin(), some.end());
    }
    double largest = 0;
    for (const float x : all) largest = std::max(largest, std::fabs(double{x}));
    CHECK(seen.largest() == largest);
    CHECK(seen.total() == all.size());
    CHECK(seen.zeros() == static_cast<std::uint64_t>(std::ranges::count(all, 0.0F)));
    std::vector<std::uint64_t> wanted(quant::magnitudes::bins);
    for (const float x : all)
      if (x != 0) ++wanted.at(static_cast<std::size_t>(std::fabs(double{x}) / seen.bin_width()));
    CHECK(std::ranges::equal(seen.counts(), wanted));
  }
}

TEST_CASE("magnitudes of extreme sizes") {
  quant::magnitudes seen;
  const std::vector<float> values{0, -0.0F, 1e-45F, 3.4e38F, -1.0F};
  seen.observe(values);
  CHECK(seen.zeros() == 2);
  CHECK(seen.counts()[0] == 2);
  CHECK(seen.counts()[seen.used() - 1] == 1);
}

TEST_CASE("min-max reaches the largest magnitude") {
  CHECK(range_of<quant::min_max>({0.5F, -3, 2}) == 3);
  CHECK(range_of<quant::min_max>({}) == 0);
  CHECK(range_of<quant::min_max>({0, 0}) == 0);
}

TEST_CASE("the others cut an outlier off") {
  const auto values = bell(100);
  CHECK(range_of<quant::min_max>(values) == 100);
  CHECK(range_of<quant::percentile>(values) < 5);
  CHECK(range_of<quant::entropy>(values) < 8);
  CHECK(range_of<quant::least_squares>(values) < 95);
  CHECK(range_of<quant::percentile>(values) > 2.5);
  CHECK(range_of<quant::entropy>(values) > 1.5);
  CHECK(range_of<quant::least_squares>(values) > 2.5);
}

TEST_CASE("nothing is cut off from values that fill their range") {
  std::mt19937 random(6);
  const auto values = random_values(random, 50000, 1);
  CHECK(range_of<quant::percentile>(values) > 0.999);
  CHECK(range_of<quant::entropy>(values) > 0.95);
  CHECK(range_of<quant::least_squares>(values) > 0.98);
}

TEST_CASE_TEMPLATE("a value that is by far the most frequent is not taken for the range", Observer,
                   quant::percentile, quant::entropy, quant::least_squares) {
  std::mt19937 random(8);
  auto values = random_values(random, 2000, 3);
  values.insert(values.end(), 8000, -0.424F);  // the background of a digit
  CHECK(range_of<Observer>(values) > 2.8);
}

TEST_CASE_TEMPLATE("zeros, one value and few values", Observer, quant::min_max, quant::percentile,
                   quant::entropy, quant::least_squares) {
  CHECK(range_of<Observer>({}) == 0);
  CHECK(range_of<Observer>({0, 0, 0}) == 0);
  CHECK(range_of<Observer>({0, 2.5F, 0}) == doctest::Approx(2.5));
  CHECK(range_of<Observer>({1e-44F}) == doctest::Approx(static_cast<double>(1e-44F)));
  CHECK(range_of<Observer>({3.4e38F, -3.4e38F}) == doctest::Approx(3.4e38));
}

// The scales of thousands of small tensors, as in a long chain of sums, must not cost seconds.
TEST_CASE("a range costs no more than its few values") {
  const auto cost = [](std::size_t values) {
    std::mt19937 random(9);
    quant::least_squares o;
    o.observe(random_values(random, values, 1));
    const auto before = std::clock();
    for (int i = 0; i < 3; ++i) CHECK(o.range() > 0.5);
    return std::clock() - before;
  };
  CHECK(10 * cost(18) < cost(100000));
}
