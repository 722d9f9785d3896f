// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>

#include <nvdlac/net/deconvolution.hpp>

#include "random.hpp"

using namespace nvdlac;
using net::rule, net::shape;

TEST_CASE("a transposed convolution adds its kernel at every element") {
  const net::float_tensor x{{1, 1, 2}, {1, 10}};
  net::deconvolution op{.window = {.kernel_w = 3, .stride_w = 2}, .weights = {1, 2, 3}};
  CHECK(computed(op, x).values == std::vector<float>{1, 2, 13, 20, 30});
  op.bias = {-14};
  CHECK(computed(op, x).values == std::vector<float>{-13, -12, -1, 6, 16});
  op.relu = true;
  CHECK(computed(op, x).values == std::vector<float>{0, 0, 0, 6, 16});
  op.relu = false;
  op.bias.clear();
  op.window.pad_left = 1;
  CHECK(computed(op, x).values == std::vector<float>{2, 13, 20, 30});
  op.window.pad_right = 2;
  CHECK(computed(op, x).values == std::vector<float>{2, 13});
  op.more_w = 1;
  CHECK(computed(op, x).values == std::vector<float>{2, 13, 20});
  op.window.dilation_w = 2;
  CHECK(computed(op, x).values == std::vector<float>{0, 12, 0, 23, 0});
  op.window.stride_w = 1;
  CHECK(computed(op, x).values == std::vector<float>{10, 2, 20, 3});
}

TEST_CASE("groups keep their channels") {
  const net::float_tensor x{{2, 1, 1}, {1, 10}};
  net::deconvolution op{.kernels = 2, .window = {.kernel_h = 2}, .groups = 2,
                        .weights = {1, 2, 3, 4}};
  CHECK(computed(op, x).values == std::vector<float>{1, 2, 30, 40});
  op.groups = 1;
  op.weights = {1, 2, 3, 4, 5, 6, 7, 8};
  CHECK(computed(op, x).values == std::vector<float>{31, 42, 75, 86});
}

TEST_CASE("what no transposed convolution is, is refused") {
  const std::array in{shape{4, 3, 3}};
  const net::deconvolution sound{.kernels = 4, .window = {.kernel_h = 2, .kernel_w = 2}};
  CHECK(sound.fit(in).broken == rule::none);
  const auto broken = [&](auto change) {
    auto op = sound;
    change(op);
    return op.fit(in).broken;
  };
  CHECK(broken([](auto& d) { d.groups = 3; }) == rule::groups_do_not_divide_channels_and_kernels);
  CHECK(broken([](auto& d) { d.kernels = 0; }) == rule::less_than_one_kernel_or_group);
  CHECK(broken([](auto& d) { d.window.stride_h = 0; }) == rule::window_with_a_number_below_1);
  CHECK(broken([](auto& d) { d.window.pad_top = -1; }) == rule::window_with_a_negative_padding);
  CHECK(broken([](auto& d) { d.more_w = -1; }) == rule::window_with_a_negative_padding);
  CHECK(broken([](auto& d) { d.window.pad_top = 70000; }) ==
        rule::window_with_a_number_above_65535);
  CHECK(broken([](auto& d) { d.window.pad_top = 4; }) == rule::dimension_below_1);
}
