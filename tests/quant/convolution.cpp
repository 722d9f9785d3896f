// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/quant/convolution.hpp>

#include <doctest/doctest.h>

#include "networks.hpp"

using namespace quant_test;

namespace {

quantised::convolution one_by_one(const std::vector<float>& weights,
                                     const std::vector<float>& bias, double in_scale,
                                     double out_scale) {
  return quant::quantise({.kernels = static_cast<std::int32_t>(bias.size()), .weights = weights,
                          .bias = bias}, in_scale, out_scale, "layer");
}

// The result of kernel k for one input integer in its only tap.
double real_result(const quantised::convolution& q, std::size_t k, int x, double out_scale) {
  const auto taps = q.weights.size() / static_cast<std::size_t>(q.kernels);
  return q.finish(std::int64_t{q.weights[k * taps]} * x, k) * out_scale;
}

}  // namespace

TEST_CASE("the largest multiplier has 15 bits and weights reach 127") {
  const auto q = one_by_one({0.5F, -2.0F, 1.0F}, {0, 0, 0}, 0.01, 0.02);
  CHECK(*std::max_element(q.multiplier.begin(), q.multiplier.end()) >= 1 << 14);
  CHECK(q.weights == std::vector<std::int8_t>{127, -127, 127});
  CHECK(q.bias_shift == 0);
  CHECK(q.truncate == 0);
}

TEST_CASE("no channel falls below 8 bits of multiplier, whatever the filters' sizes") {
  const auto q = one_by_one({1e-20F, 1.0F, 1e-3F, 1e20F}, {0, 0, 0, 0}, 1, 1e20);
  for (const auto m : q.multiplier) CHECK(m >= 1 << 8);
  CHECK(q.weights[3] == 127);
  CHECK(q.weights[0] == 0);
}

TEST_CASE("dead filters and large biases keep their bias") {
  const double out = 0.05;
  const auto q = one_by_one({0.0F, 1e-9F, 1.0F, 0.0F}, {3.0F, -2.5F, 0.1F, 0.0F}, 0.01, out);
  CHECK(std::fabs(real_result(q, 0, 100, out) - 3.0) <= out / 2 + 1e-9);
  CHECK(std::fabs(real_result(q, 1, 100, out) + 2.5) <= out / 2 + 1e-9);
  CHECK(std::fabs(real_result(q, 2, 100, out) - 1.1) <= out);
  CHECK(real_result(q, 3, 100, out) == 0);
}

TEST_CASE("a layer of zeros only") {
  const auto q = one_by_one({0, 0}, {0, 0}, 1e-5, 1);
  CHECK(real_result(q, 0, 127, 1) == 0);
  const auto biased = one_by_one({0, 0}, {1.27F, -0.01F}, 1e-5, 0.01);
  CHECK(real_result(biased, 0, 0, 0.01) == doctest::Approx(1.27));
  CHECK(real_result(biased, 1, 0, 0.01) == doctest::Approx(-0.01));
}

TEST_CASE("extreme ratios of scales saturate, vanish or are refused, but are never wrong") {
  for (const double out : {1e-30, 1e-10, 1.0, 1e10, 1e30})
    for (const double bias : {-1e30, -5.0, 0.0, 1e-10, 1e30}) {
      CAPTURE(out);
      CAPTURE(bias);
      try {
        const auto q = one_by_one({1.0F, 0.001F}, {static_cast<float>(bias), 0}, 0.01, out);
        for (const int x : {-128, -3, 0, 1, 127}) {
          const double wanted = std::clamp((0.01 * x + bias) / out, -128.0, 127.0);
          CHECK(std::fabs(real_result(q, 0, x, out) / out - wanted) <= 1.01);
        }
      } catch (const error& e) {
        CHECK(out <= 1e-10);
        CHECK(std::string(e.what()).find("layer 'layer': output scale") == 0);
      }
    }
}

TEST_CASE("more than 132104 taps are truncated behind the accumulator") {
  std::vector<float> weights(140000, 1.0F);
  const auto q = quant::quantise({.kernels = 1, .weights = weights, .bias = {}}, 1, 140000, "wide");
  CHECK(q.truncate == 1);
  CHECK(std::abs(q.finish(std::int64_t{127} * 127 * 140000, 0) - 127) <= 1);
  CHECK(std::abs(q.finish(std::int64_t{127} * 100 * 140000, 0) - 100) <= 1);
}

TEST_CASE("random convolutions stay within the bound of their roundings") {
  std::mt19937 random(1);
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const auto pick = [&](unsigned n) { return static_cast<std::int32_t>(random() % n); };
    const std::int32_t groups = 1 + pick(2), c = groups * (1 + pick(6)),
                       kernels = groups * (1 + pick(5));
    const net::window w{.kernel_h = 1 + pick(3), .kernel_w = 1 + pick(3), .stride_h = 1 + pick(2),
                        .stride_w = 1, .pad_top = 0, .pad_left = pick(2)};
    const std::size_t taps = net::shape{c / groups, w.kernel_h, w.kernel_w}.size();
    net::convolution conv{
        .kernels = kernels,
        .window = w,
        .groups = groups,
        .weights = random_values(random, taps * static_cast<std::size_t>(kernels), 0.3F),
        .bias = random_values(random, static_cast<std::size_t>(kernels), 2),
        .relu = pick(2) == 1};
    for (std::size_t i = 0; i < taps; ++i) conv.weights[i] *= std::ldexp(1.0F, -pick(20));
    net::graph g;
    const auto in = g.add("in", net::input{{c, 6, 7}});
    mark(g, g.add("conv", conv, {in}));
    const std::vector x{random_tensor(random, {c, 6, 7}, 4)};
    const auto q = quant::quantise(g, min_max_table(g, x));
    const auto& op = std::get<quantised::convolution>(q[1].op);
    // Half a step of the output; of each tap, half a step of x times w, and of w times x; a bias.
    double bound = 0;
    for (std::size_t k = 0; k < conv.bias.size(); ++k) {
      const double step =
          std::ldexp(op.multiplier[k], -op.shift);  // of the accumulator, in outputs
      double sum = 0.51 + step * std::ldexp(0.5, op.bias_shift);
      for (std::size_t i = 0; i < taps; ++i)
        sum += step * (0.5 * std::abs(int{op.weights[k * taps + i]}) + 0.5 * 127 + 0.25);
      bound = std::max(bound, sum);
    }
    CHECK(worst_steps(g, q, x) <= bound);
    CHECK(worst_steps(g, q, x) <= 6);
  }
}
