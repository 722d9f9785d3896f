// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include <doctest/doctest.h>

#include <nvdlac/net/operators.hpp>
#include <tests/net/random.hpp>

using namespace nvdlac;
using namespace nvdlac::net;

namespace {

template <class Op>
constexpr shape one(const Op& op, shape in) {
  return op.infer(std::array{in});
}
template <class Op>
std::string reason(const Op& op, std::vector<shape> in) {
  try {
    op.infer(in);
  } catch (const error& e) {
    return e.problems().at(0).reason;
  }
  return "accepted";
}

// LeNet and ResNet layers, and Caffe's against ONNX's rounding.
static_assert(one(convolution{.kernels = 20, .window = {.kernel_h = 5, .kernel_w = 5}},
                  {1, 28, 28}) == shape{20, 24, 24});
static_assert(one(convolution{.kernels = 64,
                              .window = {.kernel_h = 7,
                                         .kernel_w = 7,
                                         .stride_h = 2,
                                         .stride_w = 2,
                                         .pad_top = 3,
                                         .pad_left = 3,
                                         .pad_bottom = 3,
                                         .pad_right = 3}},
                  {3, 224, 224}) == shape{64, 112, 112});
static_assert(
    one(convolution{.window = {.kernel_h = 3, .kernel_w = 3, .dilation_h = 2, .dilation_w = 3}},
        {1, 9, 9}) == shape{1, 5, 3});
static_assert(
    one(convolution{.window = {.pad_top = 1, .pad_left = 1, .pad_bottom = 1, .pad_right = 1}},
        {1, 4, 4}) == shape{1, 6, 6});
static_assert(one(pool{.window = {.kernel_h = 3, .kernel_w = 3, .stride_h = 2, .stride_w = 2}},
                  {2, 32, 32}) == shape{2, 15, 15});
static_assert(one(pool{.window = {.kernel_h = 3, .kernel_w = 3, .stride_h = 2, .stride_w = 2},
                       .ceil = true},
                  {2, 32, 32}) == shape{2, 16, 16});
static_assert(one(pool{.global = true}, {7, 13, 11}) == shape{7, 1, 1});
static_assert(one(fully_connected{.outputs = 10}, {50, 4, 4}) == shape{10, 1, 1});
static_assert(one(flatten{}, {2, 3, 4}) == shape{24, 1, 1});
static_assert(one(reshape{{4, 3, 2}}, {2, 3, 4}) == shape{4, 3, 2});
static_assert(concat{}.infer(std::array{shape{1, 2, 3}, shape{4, 2, 3}}) == shape{5, 2, 3});

// How many windows fit, by putting one after the other.
std::int32_t count_windows(sliding s, std::int32_t size, bool ceil) {
  std::int32_t n = 0;
  for (std::int64_t start = -s.before;; start += s.stride, ++n) {
    const bool fits = start + s.extent() <= size + s.after;
    if (fits) continue;
    const bool something_left = start - s.stride + s.extent() < size + s.after;
    return ceil && n > 0 && something_left && start < size ? n + 1 : n;
  }
}

}  // namespace

TEST_CASE("output sizes agree with windows laid one after the other") {
  randomness random(1);
  int accepted = 0;
  for (int i = 0; i < 5000; ++i) {
    const shape in{1, random.integer(1, 20), random.integer(1, 20)};
    const pool p{.window = random.window(6, false), .ceil = random.coin()};
    const auto h = count_windows(vertical(p.window), in.h, p.ceil);
    const auto w = count_windows(horizontal(p.window), in.w, p.ceil);
    CAPTURE(in);
    if (h == 0 || w == 0) {
      CHECK(reason(p, {in}).find("window spans") != std::string::npos);
    } else {
      CHECK(one(p, in) == shape{1, h, w});
      ++accepted;
    }
  }
  CHECK(accepted > 4000);
}

TEST_CASE("every pooling window holds an element") {
  randomness random(2);
  for (int i = 0; i < 3000; ++i) {
    const std::int32_t size = random.integer(1, 20);
    const pool p{.window = random.window(6, false), .ceil = random.coin()};
    const sliding s = vertical(p.window);
    if (s.before + size + s.after < s.kernel) continue;
    for (std::int32_t at = 0; at < s.positions(size, p.ceil); ++at) {
      const auto span = pool_span::at(s, size, at);
      CHECK(span.begin < span.end);
      CHECK(span.padded >= span.end - span.begin);
      CHECK(span.padded <= s.kernel);
    }
  }
}

TEST_CASE("shape rules name what is wrong") {
  const shape in{6, 8, 8};
  CHECK(reason(convolution{.kernels = 0}, {in}).find("less than one kernel") != std::string::npos);
  CHECK(reason(convolution{.kernels = 6, .groups = 4}, {in}).find("4 groups do not divide") !=
        std::string::npos);
  CHECK(reason(convolution{.window = {.stride_h = 0}}, {in}).find("below 1") != std::string::npos);
  CHECK(reason(convolution{.window = {.pad_left = -1}}, {in}).find("negative") !=
        std::string::npos);
  CHECK(reason(convolution{.window = {.kernel_h = 9}}, {in}).find("spans 9") != std::string::npos);
  CHECK(reason(convolution{.window = {.kernel_h = 2000000000, .dilation_h = 2000000000}}, {in})
            .find("above 65535") != std::string::npos);
  CHECK(reason(convolution{.kernels = 2000000000}, {in}).find("more than") != std::string::npos);
  CHECK(reason(pool{.window = {.kernel_h = 2, .kernel_w = 2, .pad_top = 2}}, {in})
            .find("padding is not smaller") != std::string::npos);
  CHECK(reason(pool{.window = {.kernel_h = 2, .dilation_h = 2}}, {in}).find("dilation") !=
        std::string::npos);
  CHECK(reason(fully_connected{.outputs = -1}, {in}).find("below 1") != std::string::npos);
  CHECK(reason(fully_connected{.outputs = 200000000}, {in}).find("weights") != std::string::npos);
  CHECK(reason(input{{3, -1, 2}}, {}).find("below 1") != std::string::npos);
  CHECK(reason(input{{2147483647, 2147483647, 2147483647}}, {}).find("more than") !=
        std::string::npos);
  CHECK(reason(reshape{{7, 8, 8}}, {in}).find("another number") != std::string::npos);
  CHECK(reason(add{}, {in, {6, 8, 7}}) == "its inputs have different shapes, 6x8x8 and 6x8x7");
  CHECK(reason(concat{}, {in, {6, 7, 8}}).find("different heights") != std::string::npos);
  CHECK(reason(lrn{.local_size = 4}, {in}).find("odd") != std::string::npos);
}

TEST_CASE("products saturate instead of overflowing") {
  static_assert(product({3, 4, 5}) == 60);
  static_assert(product({0, 1LL << 62, 1LL << 62}) == 0);
  static_assert(product({1LL << 40, 1LL << 40}) == std::numeric_limits<std::int64_t>::max());
  CHECK(product({}) == 1);
}
