// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/pipeline.hpp>
#include <tests/net/random.hpp>

using namespace nvdlac;
using namespace nvdlac::net;

namespace {

std::vector<float> positive(randomness& random, std::size_t n) {
  auto v = random.reals(n);
  for (float& x : v) x = std::abs(x) + 0.1F;
  return v;
}

// A random layer that reads n.
graph::any_operator random_layer(randomness& random, const graph& g, graph::id n) {
  const shape s = g[n].shape;
  const auto c = static_cast<std::size_t>(s.c);
  switch (random.integer(0, 12)) {
    case 0: {
      convolution op{.kernels = random.integer(1, 4)};
      if (s.h > 2 && s.w > 2)
        op.window = {.kernel_h = 3, .kernel_w = 2, .stride_h = random.integer(1, 2), .pad_top = 1};
      op.weights = random.reals(static_cast<std::size_t>(op.weight_count(s)));
      if (random.coin()) op.bias = random.reals(static_cast<std::size_t>(op.kernels));
      return op;
    }
    case 1: {
      fully_connected op{.outputs = random.integer(1, 4)};
      op.weights = random.reals(static_cast<std::size_t>(op.weight_count(s)));
      return op;
    }
    case 2: case 3:
      return batch_norm{.mean = random.reals(c),
                        .variance = positive(random, c),
                        .gamma = random.reals(c),
                        .beta = random.coin() ? random.reals(c) : std::vector<float>{}};
    case 4: return scale{.factor = random.reals(random.coin() ? c : 1),
                         .bias = random.coin() ? random.reals(c) : std::vector<float>{}};
    case 5: case 6: return relu{};
    case 7: return identity{};
    case 8: return flatten{};
    case 9: return reshape{{s.h, s.c, s.w}};
    case 10:
      return pool{.kind = random.coin() ? pool_kind::average : pool_kind::maximum, .global = true};
    case 11:
      return pool{
          .kind = random.coin() ? pool_kind::average : pool_kind::maximum,
          .window = {.kernel_h = std::min(2, s.h), .kernel_w = std::min(2, s.w), .stride_h = 2},
          .ceil = true};
    default: return lrn{};
  }
}

// Layers on random nodes, sums and concatenations of nodes that fit, constants; outputs are all
// nodes that nothing reads and now and then one more.
graph random_network(randomness& random) {
  graph g;
  g.add("data", input{{random.integer(1, 3), random.integer(5, 20), random.integer(5, 20)}});
  g[0].shape = std::get<input>(g[0].op).shape;
  const auto extend = [&](graph::any_operator op, const std::vector<graph::id>& inputs) {
    const auto n = g.add("layer" + std::to_string(g.size()), std::move(op), inputs);
    std::vector<shape> in;
    for (const auto i : inputs) in.push_back(g[i].shape);
    g[n].shape = std::visit([&](const auto& o) { return o.infer(in); }, g[n].op);
    return n;
  };
  const std::int32_t layers = random.integer(3, 14);
  for (std::int32_t i = 0; i < layers; ++i) {
    // Mostly the newest node, so that chains arise.
    const auto size = static_cast<std::int32_t>(g.size());
    const auto n = static_cast<graph::id>(random.coin() ? size - 1 : random.integer(0, size - 1));
    const auto kind = random.integer(0, 9);
    if (kind == 0) {
      const auto per_channel = random.coin();
      float_tensor value = random.tensor(g[n].shape);
      const std::size_t area = value.values.size() / static_cast<std::size_t>(value.shape.c);
      for (std::size_t k = 0; per_channel && k < value.values.size(); ++k)
        value.values[k] = value.values[k / area * area];
      auto k = extend(constant{value}, {});
      if (random.coin()) k = extend(relu{}, {k});
      extend(add{}, random.coin() ? std::vector{k, n} : std::vector{n, k});
    } else if (kind <= 2) {
      std::vector<graph::id> fitting;
      for (graph::id m = 0; m < g.size(); ++m)
        if (g[m].shape == g[n].shape) fitting.push_back(m);
      const auto m = fitting[static_cast<std::size_t>(
          random.integer(0, static_cast<std::int32_t>(fitting.size()) - 1))];
      if (kind == 1) extend(add{}, {n, m});
      else extend(concat{}, {m, n});
    } else {
      extend(random_layer(random, g, n), {n});
    }
  }
  for (graph::id n = 1; n < g.size(); ++n)
    g[n].output = g.consumers(n).empty() || random.integer(0, 11) == 0;
  return g;
}


void check_same(const std::vector<float_tensor>& a, const std::vector<float_tensor>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    REQUIRE(a[i].shape == b[i].shape);
    double top = 1e-3, worst = 0;
    for (std::size_t k = 0; k < a[i].values.size(); ++k) {
      const auto x = static_cast<double>(a[i].values[k]), y = static_cast<double>(b[i].values[k]);
      top = std::max(top, std::abs(x));
      worst = std::max(worst, std::abs(x - y));
    }
    CHECK(worst <= 1e-4 * top);
  }
}

}  // namespace

TEST_CASE("no pass changes what a network computes, nor its outputs' names") {
  randomness random(21);
  std::size_t before = 0, after = 0;
  for (int i = 0; i < 400; ++i) {
    CAPTURE(i);
    graph g = random_network(random);
    infer_shapes(g);
    REQUIRE(verify(g).empty());
    const auto x = random.tensor(g[0].shape);
    const auto expected = evaluate(g, x);
    std::vector<std::string> names;
    for (const auto n : g.outputs()) names.push_back(g[n].name);
    before += g.size();
    pass::standard::run(g, {}, pass::verify{});
    after += g.size();
    check_same(expected, evaluate(g, x));
    std::vector<std::string> names_after;
    for (const auto n : g.outputs()) names_after.push_back(g[n].name);
    CHECK(names == names_after);
    for (graph::id n = 0; n < g.size(); ++n) {
      CHECK(!std::holds_alternative<identity>(g[n].op));
      CHECK(!std::holds_alternative<batch_norm>(g[n].op));
      if (const auto* p = std::get_if<pool>(&g[n].op))
        CHECK((!p->global || p->kind == pool_kind::average));
    }
  }
  MESSAGE("nodes before: ", before, ", after: ", after);
  CHECK(after < before);
}

TEST_CASE("any pass may be left out") {
  randomness random(22);
  for (int i = 0; i < 60; ++i) {
    const graph g = random_network(random);
    const auto x = random.tensor(g[0].shape);
    const auto expected = evaluate(g, x);
    for (const auto& p : pass::standard::passes) {
      graph h = g;
      pass::standard::run(h, {std::string(p.name)});
      check_same(expected, evaluate(h, x));
    }
  }
}

TEST_CASE("passes are deterministic") {
  randomness random(23);
  for (int i = 0; i < 100; ++i) {
    graph g = random_network(random);
    graph h = g;
    std::ostringstream first, second;
    pass::standard::run(g);
    net::dump(first, g);
    pass::standard::run(h);
    net::dump(second, h);
    CHECK(first.str() == second.str());
  }
}
