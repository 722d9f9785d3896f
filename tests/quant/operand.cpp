// SPDX-License-Identifier: Apache-2.0
// Convolutions whose sums a second tensor joins.
#include <doctest/doctest.h>

#include <nvdlac/pass/simplify.hpp>

#include "networks.hpp"

using namespace quant_test;

namespace {

// picture -> stem (ReLU) -> body + stem -> end, the body's results `gain` times as large.
net::graph residual(std::mt19937& random, float gain, bool relu, bool subtract) {
  const auto filter = [&](std::int32_t kernels, std::int32_t channels, float range) {
    return net::convolution{
        .kernels = kernels,
        .weights = random_values(random, static_cast<std::size_t>(kernels * channels), range),
        .bias = random_values(random, static_cast<std::size_t>(kernels), range)};
  };
  net::graph g;
  const auto in = g.add("picture", net::input{{3, 5, 6}});
  auto first = filter(8, 3, 1);
  first.relu = true;
  const auto stem = g.add("stem", std::move(first), {in});
  const auto body = g.add("body", filter(8, 8, gain), {stem});
  const auto sum = g.add("sum",
                         net::add{.relu = relu, .coefficients = {subtract ? -1.0F : 1.0F, 1}},
                         {body, stem});
  mark(g, g.add("end", filter(4, 8, 0.5F), {sum}));
  return g;
}

// The worst errors of the network where its fourth node is a part of the convolution before it, and
// of where it is a layer of its own, in steps of the output.
struct worst_errors { double fused = 0, own = 0; };
worst_errors errors_of(const net::graph& g, std::mt19937& random) {
  auto fused = g;
  pass::fuse_sum::run(fused, [](auto, auto) { return true; });
  net::infer_shapes(fused);
  REQUIRE(fused.size() == g.size() - 1);
  const std::vector<net::float_tensor> in{random_tensor(random, {3, 5, 6})};
  const auto of = [&](const net::graph& n) {
    return worst_steps(n, quant::quantise(n, min_max_table(n, in)), in);
  };
  return {of(fused), of(g)};
}

}  // namespace

TEST_CASE("a sum behind a convolution loses no more than one of its own") {
  std::mt19937 random(53);
  double fused_error = 0, own_error = 0;
  for (int i = 0; i < 200; ++i) {
    const auto gain = std::ldexp(1.0F, static_cast<int>(random() % 13) - 6);
    const bool relu = random() % 2 == 0, subtract = random() % 3 == 0;
    const auto g = residual(random, gain, relu, subtract);
    const auto error = errors_of(g, random);
    CHECK(error.fused < 6);
    fused_error += error.fused;
    own_error += error.own;
  }
  MESSAGE("mean worst error of a network: ", fused_error / 200, " steps, of a sum of its own ",
          own_error / 200);
  CHECK(fused_error < own_error);
}

TEST_CASE("products and extrema behind a convolution lose no more than ones of their own") {
  std::mt19937 random(67);
  double fused_error = 0, own_error = 0;
  for (int i = 0; i < 120; ++i) {
    auto g = residual(random, std::ldexp(1.0F, static_cast<int>(random() % 7) - 3), false, false);
    const auto sum = g.order()[3];
    const bool relu = random() % 2 == 0;
    if (i % 3 == 0) g[sum].op = net::multiply{.relu = relu};
    else
      g[sum].op = net::extremum{.kind = i % 3 == 1 ? net::extremum_kind::maximum
                                                   : net::extremum_kind::minimum,
                                .relu = relu};
    const auto error = errors_of(g, random);
    CHECK(error.fused < 6);
    fused_error += error.fused;
    own_error += error.own;
  }
  MESSAGE("mean worst error of a network: ", fused_error / 120,
          " steps, of an operator of its own ", own_error / 120);
  CHECK(fused_error < own_error);
}

TEST_CASE("the unit of an operand") {
  for (const double top : {127.0, 32767.0})
    for (int exponent = -40; exponent <= 40; ++exponent) {
      const double step = std::ldexp(1.3, exponent);
      const auto u = quant::unit_of_operand(step, 1, top);
      // The operand and the result, each as large as they can be, fit 32 bits.
      CHECK(std::ldexp(top + 1, u.shift) <= 2147483648.0);
      CHECK(top / u.value <= 1073741824.0);
      // The worth of the operand is exact, or all of it is less than a step of the result.
      const double worth = std::ldexp(u.value, u.shift);
      CHECK((worth == step || top * worth <= 1));
      CHECK((u.value <= 1.0 / 256 || u.shift == (top > 127 ? 15 : 24)));
    }
}

TEST_CASE("the integer for 0 of an operand counts for 0") {
  // The stem has no value below 0 and only convolutions read it, so it counts from -128.
  std::mt19937 random(59);
  auto g = residual(random, 1, true, false);
  pass::fuse_sum::run(g, [](auto, auto) { return true; });
  net::infer_shapes(g);
  const std::vector<net::float_tensor> in{random_tensor(random, {3, 5, 6})};
  const auto q = quant::quantise(g, min_max_table(g, in));
  int from_below = 0;
  for (quantised::graph::id n = 0; n < q.size(); ++n) from_below += q[n].zero == -128;
  CHECK(from_below == 2);
  CHECK(worst_steps(g, q, in) < 6);
}

TEST_CASE("clipping behind a sum leaves its second input alone") {
  std::mt19937 random(61);
  auto g = residual(random, 1, false, false);
  const auto sum = g.order()[3];
  const auto clip = g.add("clip", net::clip{-0.25F, 0.5F}, {sum});
  mark(g, clip);
  pass::fuse_sum::run(g, [](auto, auto) { return true; });
  net::infer_shapes(g);
  const std::vector<net::float_tensor> in{random_tensor(random, {3, 5, 6})};
  const auto q = quant::quantise(g, min_max_table(g, in));
  CHECK(net::verify(q).empty());
  CHECK(worst_steps(g, q, in) < 6);
}
