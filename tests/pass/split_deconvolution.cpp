// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <string>
#include <variant>

#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/pipeline.hpp>

#include "../net/random.hpp"

using namespace nvdlac;
using net::shape;

namespace {

struct network {
  net::graph g{};
  net::graph::id in, last;

  network(shape s, const net::deconvolution& op) {
    in = g.add("in", net::input{s});
    last = g.add("up", op, {in});
    g[last].output = true;
    net::infer_shapes(g);
  }
};

net::deconvolution random_one(randomness& random, shape in) {
  net::deconvolution d{.window = random.window(5, true), .groups = 1};
  auto& w = d.window;
  w.stride_h = random.integer(1, 4);
  w.dilation_w = random.integer(1, 3);
  d.groups = random.coin() && in.c % 2 == 0 ? 2 : 1;
  d.kernels = d.groups * random.integer(1, 4);
  d.more_h = random.integer(0, 2);
  d.more_w = random.integer(0, 5);
  d.relu = random.coin();
  d.weights = random.reals(static_cast<std::size_t>(d.weight_count(in)));
  if (random.coin()) d.bias = random.reals(static_cast<std::size_t>(d.kernels));
  return d;
}

}  // namespace

TEST_CASE("a transposed convolution by its phases gives the same numbers") {
  randomness random(7);
  int computed = 0;
  for (int n = 0; n < 300; ++n) {
    const shape s{random.integer(1, 6), random.integer(1, 6), random.integer(1, 6)};
    const auto op = random_one(random, s);
    if (!op.fit(std::array{s}).ok()) continue;
    network net(s, op);
    const auto x = random.tensor(s);
    const auto before = net::evaluate(net.g, x);
    pass::split_deconvolution::run(net.g);
    net::infer_shapes(net.g);
    CHECK(net::verify(net.g).empty());
    const auto after = net::evaluate(net.g, x);
    REQUIRE(after[0].shape == before[0].shape);
    for (std::size_t i = 0; i < before[0].values.size(); ++i)
      REQUIRE(after[0].values[i] == doctest::Approx(before[0].values[i]).epsilon(1e-4));
    for (net::graph::id i = 0; i < net.g.size(); ++i)
      CHECK_FALSE(std::holds_alternative<net::deconvolution>(net.g[i].op));
    ++computed;
  }
  CHECK(computed > 200);
}

TEST_CASE("no weight is multiplied twice or with a zero in between") {
  const shape s{8, 5, 5};
  net::deconvolution op{.kernels = 4, .window = {.kernel_h = 3, .kernel_w = 3, .stride_h = 2,
                                                 .stride_w = 2}};
  op.weights.assign(static_cast<std::size_t>(op.weight_count(s)), 1.0F);
  network net(s, op);
  pass::split_deconvolution::run(net.g);
  std::size_t weights = 0;
  for (net::graph::id i = 0; i < net.g.size(); ++i)
    if (const auto* c = std::get_if<net::convolution>(&net.g[i].op)) weights += c->weights.size();
  CHECK(weights == op.weights.size());
}

TEST_CASE("a stride of one needs a single convolution; normalisation and ReLU go into all phases") {
  const shape s{3, 5, 5};
  randomness random(3);
  for (const std::int32_t stride : {1, 2}) {
    net::deconvolution op{.kernels = 4,
                          .window = {.kernel_h = 3, .kernel_w = 3, .stride_h = stride,
                                     .stride_w = stride, .pad_top = 1, .pad_left = 1,
                                     .pad_bottom = 1, .pad_right = 1}};
    op.weights = random.reals(static_cast<std::size_t>(op.weight_count(s)));
    network net(s, op);
    net.g[net.last].output = false;
    const auto bn = net.g.add("bn", net::batch_norm{.mean = random.reals(4),
                                                    .variance = {1, 2, 3, 4}}, {net.last});
    const auto relu = net.g.add("relu", net::relu{}, {bn});
    net.g[relu].output = true;
    net::infer_shapes(net.g);
    const auto x = random.tensor(s);
    const auto before = net::evaluate(net.g, x);
    pass::standard::run(net.g, {});
    CHECK(net.g.size() == (stride == 1 ? 2U : 6U));
    const auto after = net::evaluate(net.g, x);
    for (std::size_t i = 0; i < before[0].values.size(); ++i)
      CHECK(after[0].values[i] == doctest::Approx(before[0].values[i]).epsilon(1e-4));
  }
}
