// SPDX-License-Identifier: Apache-2.0
// SiLU, mish and GELU that a network has as products with a gate.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/compile.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/numbers.hpp>

#include "../net/random.hpp"
#include "compiled.hpp"

using namespace nvdlac;
using net::function;

namespace {

// A convolution and the product of its result with a gate of it, by which it is this function.
net::graph network(function f) {
  randomness random(5);
  net::graph g;
  const auto data = g.add("data", net::input{{3, 8, 8}});
  net::convolution c{.kernels = 12, .window = {.kernel_h = 3, .kernel_w = 3}};
  c.weights = random.reals(12 * 27);
  for (float& w : c.weights) w /= 8;
  c.bias = random.reals(12);
  const auto conv = g.add("conv", c, {data});
  auto gate = conv;
  auto outer = function::sigmoid;
  if (f == function::mish) {
    gate = g.add("softplus", net::activation{.function = function::softplus}, {gate});
    outer = function::tanh;
  } else if (f == function::gelu) {
    gate = g.add("inner", net::scale{.factor = {0.70710678F}}, {gate});
    outer = function::erf;
  }
  gate = g.add("gate", net::activation{.function = outer}, {gate});
  if (f == function::gelu)
    gate = g.add("half", net::scale{.factor = {0.5F}, .bias = {0.5F}}, {gate});
  g[g.add("y", net::multiply{}, {conv, gate})].output = true;
  net::infer_shapes(g);
  return g;
}
std::vector<sample> samples() {
  randomness random(11);
  std::vector<sample> all;
  for (int i = 0; i < 4; ++i) all.push_back({{{3, 8, 8}, random.reals(192)}});
  return all;
}
bool has_product(const quantised::graph& g) {
  for (quantised::graph::id n = 0; n < g.size(); ++n)
    if (std::holds_alternative<quantised::multiply>(g[n].op)) return true;
  return false;
}
std::size_t layers_of(const compiled& chip) {
  std::size_t all = 0;
  for (const auto& t : chip.program().tasks) all += t.operations.size();
  return all;
}

}  // namespace

TEST_CASE("a gate is one table in the convolution's pass, and nearer to the true than a product") {
  const auto pictures = samples();
  for (const auto f : {function::swish, function::mish, function::gelu}) {
    CAPTURE(name_of(f));
    const auto g = network(f);
    std::array<double, 2> error{};
    std::array<std::size_t, 2> layers{};
    for (const bool joined : {false, true}) {
      compile_options options;
      if (!joined) options.without = {"join_gates"};
      const auto prepared = prepare_for<nv_large>(g, std::span<const sample>(pictures), options);
      CHECK(has_product(prepared.integers) == !joined);
      compiled chip(hardware<nv_large>(), prepared.integers, options);
      layers[joined] = layers_of(chip);
      for (const auto& s : pictures) {
        const auto& in = chip.program().inputs[0];
        const std::vector feeds{
            quantised::feed_of(quantised::numbers_of(s[0], in.scale, in.surface.precision))};
        const auto out = chip.infer_any(feeds);
        CHECK((out == quantised::evaluate_any(prepared.integers,
                                              std::span<const quantised::feed>(feeds),
                                              quantised::order_of(nv_large::spec))));
        const auto real = net::evaluate(g, s[0])[0];
        const auto got = quantised::real_of(out[0], chip.program().outputs[0].scale);
        for (std::size_t i = 0; i < real.values.size(); ++i)
          error[joined] += std::pow(double{real.values[i]} - double{got.values[i]}, 2);
      }
    }
    CHECK(layers[1] == 2);
    CHECK(layers[1] < layers[0]);
    CHECK(error[1] < error[0]);
  }
}

TEST_CASE("a gate of its own precision, and one that the options name, stay a product") {
  const auto pictures = samples();
  const std::span<const sample> all(pictures);
  const auto g = network(function::swish);
  const auto with = [&](const net::layer_precisions& p, const host::choice& on_host = {}) {
    compile_options options;
    options.precision = p;
    options.host = on_host;
    return has_product(prepare_for<nv_full>(g, all, options).integers);
  };
  using enum hw::precision;
  CHECK(!with({}));
  CHECK(!with({int8, {{"conv", fp16}}}));
  CHECK(with({int8, {{"gate", fp16}}}));
  CHECK(with({fp16}));
  CHECK(with({}, host::choice::of({"gate"})));
}

TEST_CASE("without tables a gate is one layer of a host that may compute all") {
  const auto pictures = samples();
  const std::span<const sample> all(pictures);
  for (const auto f : {function::swish, function::mish, function::gelu}) {
    CAPTURE(name_of(f));
    compile_options options;
    options.host = host::choice::all();
    const auto joined = prepare_for<nv_small>(network(f), all, options).integers;
    options.without = {"join_gates"};
    const auto apart = prepare_for<nv_small>(network(f), all, options).integers;
    CHECK(joined.size() == 3);  // the input, the convolution, and the host's layer
    CHECK(apart.size() > joined.size());
  }
}
