// SPDX-License-Identifier: Apache-2.0
// Clipping and PReLU, real and in integers.
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/net/integer/operators.hpp>
#include <nvdlac/net/standard_operators.hpp>

using namespace nvdlac;
using net::float_tensor;
using net::int8_tensor;

namespace {

template <class Op>
std::vector<float> real(const Op& op, std::vector<float> x) {
  const float_tensor t{{2, 1, static_cast<std::int32_t>(x.size()) / 2}, std::move(x)};
  return op.evaluate(std::array{&t}).values;
}
template <class Op>
std::vector<int> integers(const Op& op, std::vector<std::int8_t> x) {
  const int8_tensor t{{2, 1, static_cast<std::int32_t>(x.size()) / 2}, std::move(x)};
  const auto y = op.template evaluate<std::int8_t>(std::array{&t}).values;
  return {y.begin(), y.end()};
}
template <class Op>
std::string complaints(const Op& op) {
  diagnostics found;
  op.check(std::array{net::shape{2, 1, 1}}, found, "layer");
  try {
    found.check();
  } catch (const error& e) {
    return e.what();
  }
  return {};
}
using reals = std::vector<float>;
using ints = std::vector<int>;

}  // namespace

TEST_CASE("real clipping and PReLU") {
  CHECK(real(net::clip{}, {-9, 9}) == reals{-9, 9});
  CHECK(real(net::clip{0, 6}, {-9, 9}) == reals{0, 6});
  CHECK(real(net::clip{.low = -2}, {-9, 9}) == reals{-2, 9});
  CHECK(real(net::prelu{{0.5F}}, {-2, 4, -6, 8}) == reals{-1, 4, -3, 8});
  CHECK(real(net::prelu{{0.5F, -1}}, {-2, 4, -6, 8}) == reals{-1, 4, 6, 8});
  CHECK(complaints(net::clip{1, 0}) == "layer 'layer': it clips to 1 .. 0");
  CHECK(complaints(net::clip{.low = std::numeric_limits<float>::quiet_NaN()}) != "");
  CHECK(complaints(net::prelu{{1, 2}}).empty());
  CHECK(complaints(net::prelu{{1, 2, 3}}) != "");
}

TEST_CASE("integer clipping and PReLU") {
  using namespace net::integer;
  CHECK(integers(clip{.low = -5, .high = 7}, {-128, -5, 6, 127}) == ints{-5, -5, 6, 7});
  CHECK(integers(clip{.multiplier = 3, .shift = 1, .low = 0, .high = 100}, {-3, 3, 5, 127}) ==
        ints{0, 5, 8, 100});
  const prelu leaky{.multiplier = 4, .slope = {-3}, .shift = 2, .out = {0, 1, 1}};
  CHECK(integers(leaky, {-128, -1, 5, 100}) == ints{127, 2, 10, 127});
  const prelu each{.slope = std::vector<std::int16_t>{1, 2}, .shift = 1};
  CHECK(integers(each, {-5, 5, -5, 5}) == ints{-3, 5, -5, 5});
  CHECK(prelu{.shift = 64}.fit(std::array{net::shape{}}).broken ==
        net::rule::shift_above_its_range);
  CHECK(clip{.shift = 64}.fit(std::array{net::shape{}}).broken == net::rule::shift_above_its_range);
}

TEST_CASE("what a convolution does behind its sums") {
  using net::integer::convolution;
  const auto finish = [](convolution op, int sum) {
    op.bias = {0};
    op.multiplier = {1};
    return int{op.finish(sum, 0)};
  };
  CHECK(finish({.high = 20}, 50) == 20);
  CHECK(finish({.low = -20}, -50) == -20);
  CHECK(finish({.slope = {1}, .slope_shift = 1, .out_shift = 2}, -50) == -6);
  CHECK(finish({.slope = {1}, .slope_shift = 1, .out_shift = 2}, 50) == 13);
  const auto broken = [](const convolution& op) {
    return op.fit(std::array{net::shape{1, 1, 1}}).broken;
  };
  CHECK(broken({.slope = {1}, .high = 5}) == net::rule::more_than_one_of_slope_low_and_high);
  CHECK(broken({.low = -5, .high = 5}) == net::rule::more_than_one_of_slope_low_and_high);
  CHECK(broken({.slope_shift = 64}) == net::rule::shift_above_its_range);
  CHECK(broken({.out_shift = 64}) == net::rule::shift_above_its_range);
}
