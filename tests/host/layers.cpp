// SPDX-License-Identifier: Apache-2.0
// Results that nvdlac's layers of the host compute.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/host/registry.hpp>

#include "../net/random.hpp"

using namespace nvdlac;

namespace {

template <class Op>
net::float_tensor computed(const Op& op, const net::float_tensor& x) {
  const net::float_tensor* const in[]{&x};
  const auto y = op.evaluate(in);
  CHECK(y.shape == op.infer(std::vector{x.shape}));
  return y;
}
net::float_tensor noise(net::shape s) { return {s, randomness(3).reals(s.size())}; }

}  // namespace

TEST_CASE("softmax goes over any axes") {
  const auto x = noise({3, 4, 5});
  for (const host::axes axes : {host::over_channels, host::over_planes, host::over_all,
                                host::axes{false, false, true}}) {
    const auto y = computed(host::softmax{axes}, x);
    host::for_each_line(x.shape, axes, [&](const std::vector<std::size_t>& line) {
      double sum = 0, all = 0;
      for (const auto i : line) all += std::exp(double{x.values[i]});
      for (const auto i : line) {
        sum += double{y.values[i]};
        CHECK(double{y.values[i]} == doctest::Approx(std::exp(double{x.values[i]}) / all));
      }
      CHECK(sum == doctest::Approx(1));
    });
  }
}

TEST_CASE("the place of a maximum, of equal ones the first or the last") {
  const net::float_tensor x{{4, 1, 2}, {1, 5, 7, 5, 7, 0, 2, 5}};
  CHECK(computed(host::arg_max{}, x).values == std::vector{1.0F, 0.0F});
  CHECK(computed(host::arg_max{.last = true}, x).values == std::vector{2.0F, 3.0F});
  CHECK(computed(host::arg_max{.axes = host::over_all}, x).values == std::vector{2.0F});
  CHECK(host::arg_max{}.counts_to(std::vector{x.shape}) == 3);
}

TEST_CASE("local response normalisation within a channel") {
  const net::float_tensor x{{1, 2, 2}, {1, 2, 3, 4}};
  // Every window of 3x3 holds all four: 1 + 0.9 / 9 * 30 = 4
  const auto y = computed(
      host::lrn_within_channel{.local_size = 3, .alpha = 0.9F, .beta = 0.5F}, x);
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(y.values[i] == doctest::Approx(static_cast<double>(i + 1) / 2));
  CHECK_THROWS_AS(host::lrn_within_channel{.local_size = 4}.infer(std::vector{x.shape}), error);
}

TEST_CASE("normalisation by a norm") {
  const net::float_tensor x{{2, 1, 2}, {3, 0, -4, 0}};
  CHECK(computed(host::lp_normalise{}, x).values == std::vector{0.6F, 0.0F, -0.8F, 0.0F});
  CHECK(computed(host::lp_normalise{.p = 1}, x).values[0] == doctest::Approx(3.0 / 7));
  CHECK(computed(host::lp_normalise{.axes = host::over_all, .epsilon = 11}, x).values[2] ==
        doctest::Approx(-4.0 / 6));
  CHECK_THROWS_AS(host::lp_normalise{.p = 3}.infer(std::vector{x.shape}), error);
}

TEST_CASE("normalisation by mean and variance") {
  const net::float_tensor x{{2, 1, 2}, {1, 3, 10, 30}};
  host::mean_variance op{.epsilon = 3, .gamma = {2, 1}, .beta = {0, 5}, .per_channel = true};
  CHECK(computed(op, x).values[1] == doctest::Approx(2 * 1 / std::sqrt(1 + 3.0)));
  CHECK(computed(op, x).values[3] == doctest::Approx(10 / std::sqrt(100 + 3.0) + 5));
  op.per_channel = false;
  CHECK(computed(op, x).values[2] == doctest::Approx(-2 * 10 / std::sqrt(100 + 3.0)));
  CHECK(computed(host::mean_variance{.epsilon = 1, .epsilon_behind_root = true}, x).values[3] ==
        doctest::Approx(10.0 / 11));
  CHECK(computed(host::mean_variance{.divide = false}, x).values ==
        std::vector{-1.0F, 1.0F, -10.0F, 10.0F});
  const auto all = computed(host::mean_variance{.axes = host::over_all, .epsilon = 0,
                                                .gamma = {1, 1, 1, 2}}, x);
  double square = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const double v = double{all.values[i]} / (i == 3 ? 2 : 1);
    square += v * v;
  }
  CHECK(square == doctest::Approx(4));
  const host::mean_variance wrong{.gamma = {1, 2, 3}};
  CHECK_THROWS_AS(wrong.infer(std::vector{x.shape}), error);
}

TEST_CASE("stochastic pooling weighs each value with itself") {
  const net::float_tensor x{{1, 3, 3}, {1, 3, 0, 0, 0, 0, -1, 0, 2}};
  const auto y = computed(
      host::stochastic_pool{.window = {.kernel_h = 2, .kernel_w = 2, .stride_h = 2, .stride_w = 2}},
      x);
  CHECK(y.shape == net::shape{1, 2, 2});
  CHECK(y.values == std::vector{2.5F, 0.0F, 0.0F, 2.0F});
}

TEST_CASE("every function of an element is a layer of its own name") {
  const net::activation elu{.function = net::function::elu, .alpha = 0.5F};
  const auto op = host::on_host(elu);
  CHECK(op.call.layer == "elu");
  const auto x = noise({2, 3, 3});
  const std::array in{&x};
  CHECK(op.evaluate(in) == computed(elu, x));
  CHECK(host::standard().get("elu").evaluate(op.call.parameters, in) == computed(elu, x));
}

TEST_CASE("products of two computed tensors") {
  const net::float_tensor a{{2, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
  const net::float_tensor b{{2, 3, 1}, {1, 2, 3, 0, 1, -1}};
  const net::float_tensor* const in[]{&a, &b};
  const host::matrix_product op;
  CHECK(op.infer(std::vector{a.shape, b.shape}) == net::shape{2, 2, 1});
  CHECK(op.evaluate(in).values == std::vector{8.0F, 26.0F, -1.0F, -1.0F});
  const net::float_tensor w{{2, 3, 2}, {1, 0, 2, 1, 3, 0, 0, 1, 1, 0, -1, 1}};
  const net::float_tensor* const both[]{&a, &w};
  const auto joined = host::joined_matrix_products{}.evaluate(both);
  CHECK(joined.shape == net::shape{4, 2, 1});
  CHECK(joined.values == std::vector{8.0F, 26.0F, 1.0F, 4.0F, -1.0F, -1.0F, 14.0F, 20.0F});
  CHECK_THROWS_AS(op.infer(std::vector{a.shape, a.shape}), error);
  // The cost of a product is counted where a network is read.
  const std::vector<net::shape> large{{1, 8192, 8192}, {1, 8192, 8192}};
  CHECK(op.operations(large) == std::uint64_t{1} << 39);
  CHECK(op.operations(large) > budget{}.operations);
}
