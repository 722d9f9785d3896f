// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/pass/separate_deconvolution.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/net/bilinear.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/verify.hpp>

#include "../net/random.hpp"

using namespace nvdlac;
using net::shape;

namespace {

net::graph network(shape s, const net::deconvolution& op) {
  net::graph g;
  g[g.add("up", op, {g.add("in", net::input{s})})].output = true;
  net::infer_shapes(g);
  return g;
}

std::size_t deconvolutions(const net::graph& g) {
  std::size_t count = 0;
  for (net::graph::id n = 0; n < g.size(); ++n)
    count += std::holds_alternative<net::deconvolution>(g[n].op) ? 1 : 0;
  return count;
}

// Runs the pass, and compares what the network computes before and behind it.
void check_same(net::graph& g, shape s, randomness& random) {
  const auto x = random.tensor(s);
  const auto before = net::evaluate(g, x);
  pass::separate_deconvolution::run(g);
  net::infer_shapes(g);
  CHECK(net::verify(g).empty());
  const auto after = net::evaluate(g, x);
  REQUIRE(after[0].shape == before[0].shape);
  for (std::size_t i = 0; i < before[0].values.size(); ++i)
    REQUIRE(after[0].values[i] == doctest::Approx(before[0].values[i]).epsilon(1e-4));
}

// Kernels that are products, of a column and a line each.
net::deconvolution of_products(randomness& random, std::int32_t channels, std::int32_t stride) {
  net::deconvolution d{.kernels = channels,
                       .window = {.kernel_h = stride + 2, .kernel_w = 2 * stride,
                                  .stride_h = stride, .stride_w = stride, .pad_top = 1,
                                  .pad_right = 2},
                       .more_h = 1, .more_w = 2, .groups = channels};
  for (std::int32_t k = 0; k < channels; ++k) {
    const auto column = random.reals(static_cast<std::size_t>(d.window.kernel_h));
    const auto line = random.reals(static_cast<std::size_t>(d.window.kernel_w));
    for (const float v : column)
      for (const float h : line) d.weights.push_back(v * h);
  }
  d.bias = random.reals(static_cast<std::size_t>(channels));
  d.relu = true;
  return d;
}

}  // namespace

TEST_CASE("products of columns and lines are applied one behind the other") {
  randomness random(3);
  for (const std::int32_t stride : {4, 5, 16}) {
    const shape s{3, 2, 3};
    auto g = network(s, of_products(random, s.c, stride));
    check_same(g, s, random);
    CHECK(deconvolutions(g) == 2);
  }
}

TEST_CASE("single channels of a dense kernel are seen, those that are summed stay") {
  randomness random(4);
  const shape s{2, 2, 2};
  const auto alone = of_products(random, 2, 4);
  const auto area = alone.weights.size() / 2;
  auto dense = alone;
  dense.groups = 1;
  dense.weights.assign(4 * area, 0.0F);
  for (std::size_t i = 0; i < area; ++i) {
    dense.weights[i] = alone.weights[i];
    dense.weights[3 * area + i] = alone.weights[area + i];
  }
  auto g = network(s, dense);
  check_same(g, s, random);
  CHECK(deconvolutions(g) == 2);
  dense.weights[area] = 1;
  g = network(s, dense);
  pass::separate_deconvolution::run(g);
  CHECK(deconvolutions(g) == 1);
}

TEST_CASE("interpolations of large maps, by small factors, or of other kernels are left") {
  const auto count_of = [](shape s, const net::deconvolution& d) {
    auto g = network(s, d);
    pass::separate_deconvolution::run(g);
    return deconvolutions(g);
  };
  const auto up = [](shape s, std::int32_t by) {
    return net::bilinear(s, by * s.h, by * s.w, net::alignment::first_pixel).filter;
  };
  CHECK(count_of({8, 4, 4}, up({8, 4, 4}, 4)) == 2);
  CHECK(count_of({8, 4, 4}, up({8, 4, 4}, 2)) == 1);
  CHECK(count_of({8, 40, 40}, up({8, 40, 40}, 4)) == 1);
  auto other = up({8, 4, 4}, 4);
  other.weights.back() += 0.25F;
  CHECK(count_of({8, 4, 4}, other) == 1);
}
