// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/join_branches.hpp>

#include "same_values.hpp"
#include "tests/net/random.hpp"

using namespace nvdlac;
using namespace nvdlac::net;

namespace {

window square(std::int32_t kernel, std::int32_t stride = 1, std::int32_t dilation = 1) {
  const std::int32_t pad = kernel / 2 * dilation;
  return {.kernel_h = kernel, .kernel_w = kernel, .stride_h = stride, .stride_w = stride,
          .pad_top = pad, .pad_left = pad, .pad_bottom = pad, .pad_right = pad,
          .dilation_h = dilation, .dilation_w = dilation};
}

// Sums of branches of one input, which are added in their order.
struct branches {
  explicit branches(shape in, std::int32_t seed = 3)
      : channels(in.c), random(static_cast<std::uint32_t>(seed)) {
    g.add("data", input{in}, {});
  }
  branches& filter(window w, std::int32_t groups = 1, std::int32_t kernels = 0) {
    convolution c{.kernels = kernels == 0 ? channels : kernels, .window = w, .groups = groups};
    const std::int64_t count =
        std::int64_t{c.kernels} * channels / groups * w.kernel_h * w.kernel_w;
    c.weights = random.reals(static_cast<std::size_t>(count));
    if (all.size() % 2 == 0) c.bias = random.reals(static_cast<std::size_t>(c.kernels));
    all.push_back(g.add("filter" + std::to_string(all.size()), std::move(c), {0}));
    return *this;
  }
  branches& line() {
    const auto count = static_cast<std::size_t>(channels);
    scale s{.factor = random.reals(count), .bias = random.reals(count)};
    all.push_back(g.add("line" + std::to_string(all.size()), std::move(s), {0}));
    return *this;
  }
  branches& itself() {
    all.push_back(0);
    return *this;
  }
  graph sum() {
    auto n = all[0];
    for (std::size_t i = 1; i < all.size(); ++i)
      n = g.add("sum" + std::to_string(i),
                add{.relu = i + 1 == all.size(), .coefficients = {1, i == 2 ? -0.5F : 1.0F}},
                {n, all[i]});
    g[n].output = true;
    return std::move(g);
  }

  std::int32_t channels;
  randomness random;
  graph g{};
  std::vector<graph::id> all{};
};

// The nodes that are left.
std::size_t left(graph g) {
  return same_behind<pass::join_branches>(std::move(g)).size();
}

}  // namespace

TEST_CASE("branches of one tensor become one convolution") {
  const shape in{6, 9, 7};
  CHECK(left(branches(in).filter(square(3)).filter(square(1)).itself().sum()) == 2);
  CHECK(left(branches(in).itself().filter(square(1)).line().filter(square(3)).sum()) == 2);
  CHECK(left(branches(in).filter(square(3)).filter(square(3)).filter(square(3)).sum()) == 2);
  CHECK(left(branches(in).filter(square(3)).filter(square(5)).sum()) == 2);
  for (const std::int32_t groups : {1, 2, 3, 6}) {
    CAPTURE(groups);
    auto grouped = branches(in, groups);
    grouped.filter(square(3), groups).filter(square(1), groups).line().itself();
    CHECK(left(grouped.sum()) == 2);
  }
  for (const std::int32_t stride : {1, 2, 3})
    for (const std::int32_t dilation : {1, 2}) {
      CAPTURE(stride);
      CAPTURE(dilation);
      auto strided = branches(in, stride);
      strided.filter(square(1, stride), 1, 4).filter(square(3, stride, dilation), 1, 4);
      CHECK(left(strided.filter(square(1, stride), 1, 4).sum()) == 2);
    }
  auto bars = branches(in).filter({.kernel_h = 3, .pad_top = 1, .pad_bottom = 1});
  CHECK(left(bars.filter(square(3)).sum()) == 2);
}

TEST_CASE("what is no branch of the same tensor stays in the sum") {
  const shape in{6, 9, 7};
  auto bars = branches(in).filter({.kernel_h = 3, .pad_top = 1, .pad_bottom = 1});
  CHECK(left(bars.filter({.kernel_w = 3, .pad_left = 1, .pad_right = 1}).sum()) == 4);
  CHECK(left(branches(in).filter(square(3), 6).filter(square(1)).sum()) == 4);
  CHECK(left(branches(in).filter(square(3), 6).filter(square(1)).itself().sum()) == 5);
  CHECK(left(branches(in).filter(square(3)).filter(square(3, 1, 2)).sum()) == 4);
  CHECK(left(branches(in).line().itself().sum()) == 3);
  CHECK(left(branches(in).filter(square(3)).itself().sum()) == 3);

  auto other = branches(in).filter(square(3)).filter(square(1));
  other.g[other.g.add("relu", relu{}, {0})].output = false;
  other.all.push_back(3);
  CHECK(left(other.sum()) == 4);  // input, relu, convolution and sum

  auto residual = branches(in).filter(square(3));
  convolution second{.kernels = 6, .window = square(1), .weights = residual.random.reals(36)};
  residual.g.add("rectified", relu{}, {1});
  residual.all = {0, residual.g.add("second", std::move(second), {2})};
  CHECK(left(residual.sum()) == 5);

  auto read = branches(in).filter(square(3)).filter(square(1));
  read.g[1].output = true;
  CHECK(left(read.sum()) == 4);
}
