// SPDX-License-Identifier: Apache-2.0
// Functions of each element, real and in integers.
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/net/standard_operators.hpp>
#include <nvdlac/quantised/operators.hpp>

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
  using namespace quantised;
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
  using quantised::convolution;
  const auto finish = [](convolution op, int sum) {
    op.bias = {0};
    op.multiplier = {1};
    return int{op.finish(sum, 0)};
  };
  CHECK(finish({.high = 20}, 50) == 20);
  CHECK(finish({.low = -20}, -50) == -20);
  CHECK(finish({.slope = {1}, .slope_shift = 1, .out = {.shift = 2}}, -50) == -6);
  CHECK(finish({.slope = {1}, .slope_shift = 1, .out = {.shift = 2}}, 50) == 13);
  CHECK(finish({.slope = {1}, .slope_shift = 1, .out = {.offset = 400, .shift = 2}}, -50) == -106);
  CHECK(finish({.out = {.offset = 100}}, 50) == -50);
  const auto broken = [](const convolution& op) {
    return op.fit(std::array{net::shape{1, 1, 1}}).broken;
  };
  CHECK(broken({.slope = {1}, .high = 5}) ==
        net::rule::more_than_one_of_slope_low_high_and_operand);
  CHECK(broken({.low = -5, .high = 5}) == net::rule::more_than_one_of_slope_low_high_and_operand);
  CHECK(broken({.slope_shift = 64}) == net::rule::shift_above_its_range);
  CHECK(broken({.out = {.shift = 64}}) == net::rule::shift_above_its_range);
}

TEST_CASE("functions have their values") {
  using enum net::function;
  struct point { net::activation op; double x, y; };
  // From tables.
  for (const auto& [op, x, y] : std::initializer_list<point>{
           {{sigmoid}, 1, 0.731058578630}, {{net::function::tanh}, 0.5, 0.462117157260},
           {{elu, 2}, -1, -1.264241117657}, {{elu, 2}, 3, 3},
           {{selu, 1.5F, 0, 2}, -1, -1.896361676485}, {{selu, 1.5F, 0, 2}, 1, 2},
           {{celu, 2}, -2, -1.264241117657}, {{celu, 2}, 1, 1},
           {{swish}, 1, 0.731058578630}, {{swish, 2}, 0.5, 0.365529289315},
           {{mish}, 1, 0.865098388267}, {{gelu}, 1, 0.841344746069},
           {{gelu_tanh}, 1, 0.841191990608}, {{softplus}, 0, 0.693147180560},
           {{softplus}, 800, 800}, {{softsign}, -3, -0.75},
           {{exponential, 2, -1}, 1, 2.718281828459}, {{logarithm, 2, 1, 3}, 0, 0},
           {{logarithm, 1, 0, 2}, 10, 4.605170185988}, {{power, 2, 1, 0.5F}, 4, 3},
           {{power, 1, 0, -1}, 4, 0.25}, {{net::function::erf}, 0.5, 0.520499877813},
           {{threshold, 2}, 2, 0}, {{threshold, 2}, 2.5, 1}, {{thresholded_relu, 2}, 2, 0},
           {{thresholded_relu, 2}, 3, 3},
           {{shrink, 2, 1}, -3, -2}, {{shrink, 2, 1}, 2, 0}, {{shrink, 2, 1}, 3, 2},
           {{sine}, 1, 0.841470984808},
           {{cosine}, 1, 0.540302305868}, {{tangent}, 1, 1.557407724655},
           {{arc_sine}, 0.5, 0.523598775598}, {{arc_cosine}, 0.5, 1.047197551197},
           {{arc_tangent}, 1, 0.785398163397}, {{sine_hyperbolic}, 1, 1.175201193644},
           {{cosine_hyperbolic}, 1, 1.543080634815}, {{area_sine}, 1, 0.881373587020},
           {{area_cosine}, 2, 1.316957896925}, {{area_tangent}, 0.5, 0.549306144334},
           {{sign}, -4, -1}, {{net::function::floor}, -1.5, -2}, {{net::function::ceil}, -1.5, -1},
           {{net::function::round}, 2.5, 2}, {{net::function::round}, 3.5, 4}}) {
    CAPTURE(static_cast<int>(op.function));
    CHECK(op(x) == doctest::Approx(y).epsilon(1e-10));
  }
  CHECK(std::isnan(net::activation{logarithm}(-1)));
  CHECK(real(net::activation{.function = net::function::sign}, {-3, 0.5F}) == reals{-1, 1});
  CHECK(complaints(net::activation{.alpha = INFINITY}) != "");
  CHECK(complaints(net::activation{}).empty());
}

TEST_CASE("a table of int8") {
  quantised::lookup op;
  for (int x = -128; x <= 127; ++x) op.values.push_back(static_cast<std::int8_t>(-1 - x));
  CHECK(integers(op, {-128, -1, 0, 127}) == ints{127, 0, -1, -128});
  op.values.resize(255);
  CHECK(complaints(op) != "");
  CHECK_FALSE(op.fit_constants(std::array{net::shape{1, 1, 1}}).ok());
}
