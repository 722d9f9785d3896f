// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/net/operators.hpp>
#include <tests/net/random.hpp>

using namespace nvdlac;
using namespace nvdlac::net;

namespace {

using values = std::vector<float>;

// A convolution as its definition says, one product at a time.
float_tensor naive(const convolution& op, const float_tensor& x) {
  float_tensor y{op.infer(std::array{x.shape})};
  const auto& w = op.window;
  const std::int32_t c_of_group = x.shape.c / op.groups, k_of_group = op.kernels / op.groups;
  const shape kernel{c_of_group, w.kernel_h, w.kernel_w};
  for (std::int32_t k = 0; k < op.kernels; ++k)
    for (std::int32_t oy = 0; oy < y.shape.h; ++oy)
      for (std::int32_t ox = 0; ox < y.shape.w; ++ox) {
        double sum =
            op.bias.empty() ? 0.0 : static_cast<double>(op.bias[static_cast<std::size_t>(k)]);
        for (std::int32_t c = 0; c < c_of_group; ++c)
          for (std::int32_t r = 0; r < w.kernel_h; ++r)
            for (std::int32_t s = 0; s < w.kernel_w; ++s) {
              const std::int32_t iy = oy * w.stride_h - w.pad_top + r * w.dilation_h;
              const std::int32_t ix = ox * w.stride_w - w.pad_left + s * w.dilation_w;
              if (iy < 0 || iy >= x.shape.h || ix < 0 || ix >= x.shape.w) continue;
              sum +=
                  static_cast<double>(x.at(k / k_of_group * c_of_group + c, iy, ix)) *
                  static_cast<double>(
                      op.weights[static_cast<std::size_t>(k) * kernel.size() + kernel.at(c, r, s)]);
            }
        y.at(k, oy, ox) = static_cast<float>(op.relu ? std::max(sum, 0.0) : sum);
      }
  return y;
}

void check_close(const float_tensor& a, const float_tensor& b) {
  REQUIRE(a.shape == b.shape);
  REQUIRE(a.values.size() == b.values.size());
  for (std::size_t i = 0; i < a.values.size(); ++i)
    CHECK(a.values[i] == doctest::Approx(b.values[i]).epsilon(1e-4));
}

}  // namespace

TEST_CASE("convolution by hand") {
  const float_tensor x{{1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}};
  const convolution corner{
      .window = {.kernel_h = 2, .kernel_w = 2}, .weights = {1, 0, 0, 10}, .bias = {0.5F}};
  CHECK(computed(corner, x).values == values{51.5F, 62.5F, 84.5F, 95.5F});
  const convolution padded{.window = {.kernel_h = 2, .kernel_w = 2, .stride_h = 2, .stride_w = 2,
                                      .pad_top = 1, .pad_left = 1},
                           .weights = {1, 2, 3, -4}, .relu = true};
  CHECK(computed(padded, x).values == values{0, 0, 0, 5});
  const convolution grouped{.kernels = 2, .groups = 2, .weights = {2, -3}};
  CHECK(computed(grouped, float_tensor{{2, 1, 2}, {1, 2, 3, 4}}).values == values{2, 4, -9, -12});
}

TEST_CASE("convolution agrees with its definition") {
  randomness random(3);
  for (int i = 0; i < 120; ++i) {
    const std::int32_t groups = random.integer(1, 3);
    convolution op{.kernels = groups * random.integer(1, 6), .window = random.window(4, true),
                   .groups = groups, .relu = random.coin()};
    const shape in{groups * random.integer(1, 4), random.integer(7, 12), random.integer(7, 12)};
    op.weights = random.reals(static_cast<std::size_t>(op.weight_count(in)));
    if (random.coin()) op.bias = random.reals(static_cast<std::size_t>(op.kernels));
    const auto x = random.tensor(in);
    check_close(computed(op, x), naive(op, x));
  }
}

TEST_CASE("a convolution deeper than one partial sum") {
  randomness random(4);
  convolution op{.kernels = 5, .window = {.kernel_h = 3, .kernel_w = 3}};
  for (const shape in : {shape{250, 4, 9}, shape{250, 3, 3}}) {
    op.weights = random.reals(static_cast<std::size_t>(op.weight_count(in)));
    const auto x = random.tensor(in);
    check_close(computed(op, x), naive(op, x));
  }
}

TEST_CASE("fully connected is a convolution over everything") {
  randomness random(5);
  const shape in{7, 5, 31};
  fully_connected op{.outputs = 6, .bias = random.reals(6), .relu = true};
  op.weights = random.reals(6 * in.size());
  const convolution same{.kernels = 6,
                         .window = {.kernel_h = 5, .kernel_w = 31},
                         .weights = op.weights,
                         .bias = op.bias,
                         .relu = true};
  const auto x = random.tensor(in);
  check_close(computed(op, x), naive(same, x));
  CHECK(computed(fully_connected{.outputs = 2, .weights = {1, 2, 3, 4}},
                 float_tensor{{2, 1, 1}, {5, 6}})
            .values == values{17, 39});
}

TEST_CASE("pooling by hand") {
  const float_tensor x{{1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}};
  const net::window w{.kernel_h = 2, .kernel_w = 2, .stride_h = 2, .stride_w = 2};
  CHECK(computed(pool{.window = w}, x).values == values{5});
  CHECK(computed(pool{.window = w, .ceil = true}, x).values == values{5, 6, 8, 9});
  // Elements that hang over the input are not counted: 1 element in the corner.
  CHECK(computed(pool{.kind = pool_kind::average, .window = w, .ceil = true}, x).values ==
        values{3, 4.5F, 7.5F, 9});
  CHECK(
      computed(
          pool{.kind = pool_kind::average, .window = w, .ceil = true, .count_include_pad = true}, x)
          .values == values{3, 4.5F, 7.5F, 9});
  net::window padded = w;
  padded.pad_top = padded.pad_left = 1;
  CHECK(computed(pool{.kind = pool_kind::average, .window = padded}, x).values ==
        values{1, 2.5F, 5.5F, 7});
  CHECK(computed(pool{.kind = pool_kind::average, .window = padded, .count_include_pad = true}, x)
            .values == values{0.25F, 1.25F, 2.75F, 7});
  const float_tensor negative{{1, 1, 1}, {-3}};
  CHECK(computed(pool{.window = {.kernel_h = 2, .kernel_w = 2, .pad_top = 1, .pad_left = 1}},
                 negative)
            .values == values{-3});
  CHECK(computed(pool{.kind = pool_kind::average, .global = true}, x).values == values{5});
  CHECK(computed(pool{.global = true}, x).values == values{9});
  CHECK(computed(pool{.kind = pool_kind::minimum, .global = true}, x).values == values{1});
  CHECK(computed(pool{.kind = pool_kind::minimum, .window = w, .ceil = true}, x).values ==
        values{1, 3, 7, 9});
}

TEST_CASE("the operators that compute one value from few") {
  const float_tensor x{{2, 1, 2}, {1, -2, 3, -4}};
  CHECK(computed(relu{}, x).values == values{1, 0, 3, 0});
  CHECK(computed(identity{}, x) == x);
  CHECK(computed(scale{.factor = {2, -1}, .bias = {1}}, x).values == values{3, -3, -2, 5});
  CHECK(computed(scale{.factor = {2}, .relu = true}, x).values == values{2, 0, 6, 0});
  CHECK(computed(add{}, x, x).values == values{2, -4, 6, -8});
  CHECK(computed(add{.relu = true}, x, x).values == values{2, 0, 6, 0});
  CHECK(computed(concat{}, x, float_tensor{{1, 1, 2}, {7, 8}}) ==
        float_tensor{{3, 1, 2}, {1, -2, 3, -4, 7, 8}});
  CHECK(computed(flatten{}, x) == float_tensor{{4, 1, 1}, x.values});
  CHECK(computed(reshape{{1, 2, 2}}, x) == float_tensor{{1, 2, 2}, x.values});
  const batch_norm norm{
      .mean = {1, 0}, .variance = {4, 0.25F}, .gamma = {2, 1}, .beta = {10, 0}, .epsilon = 0};
  CHECK(computed(norm, x).values == values{10, 7, 6, -8});
}

TEST_CASE("softmax and local response normalisation") {
  const auto y = computed(softmax{}, float_tensor{{2, 1, 2}, {1000, 0, 1000, 1}});
  CHECK(y.values[0] == 0.5F);
  CHECK(y.values[1] == doctest::Approx(1 / (1 + std::exp(1.0))));
  CHECK(y.values[1] + y.values[3] == doctest::Approx(1));
  const lrn norm{.local_size = 3, .alpha = 3, .beta = 0.5F, .k = 1};
  const auto z = computed(norm, float_tensor{{3, 1, 1}, {1, 2, 3}});
  CHECK(z.values[0] == doctest::Approx(1 / std::sqrt(1.0 + 1 + 4)));
  CHECK(z.values[1] == doctest::Approx(2 / std::sqrt(1.0 + 1 + 4 + 9)));
  CHECK(z.values[2] == doctest::Approx(3 / std::sqrt(1.0 + 4 + 9)));
}

TEST_CASE("mis-sized weights are an error, not a read past the end") {
  const float_tensor x{{2, 2, 2}};
  CHECK_THROWS_AS(computed(convolution{.weights = {1}}, x), error);
  CHECK_THROWS_AS(computed(convolution{.weights = {1, 1}, .bias = {1, 2}}, x), error);
  CHECK_THROWS_AS(computed(fully_connected{.weights = {1}}, x), error);
  CHECK_THROWS_AS(computed(scale{.factor = {1, 2, 3}}, x), error);
  CHECK_THROWS_AS(computed(scale{.factor = {1}, .bias = {1, 2, 3}}, x), error);
  CHECK_THROWS_AS(computed(batch_norm{.mean = {1, 1}, .variance = {1}}, x), error);
  CHECK_THROWS_AS(computed(add{}, x, float_tensor{{2, 2, 1}}), error);
}
