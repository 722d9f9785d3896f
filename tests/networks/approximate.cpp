// SPDX-License-Identifier: Apache-2.0
// Functions in straight lines on a configuration without tables.
#include <doctest/doctest.h>

#include <algorithm>
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

namespace {

net::graph network(net::function f) {
  randomness random(5);
  net::graph g;
  const auto data = g.add("data", net::input{{3, 8, 8}});
  net::convolution c{.kernels = 12, .window = {.kernel_h = 3, .kernel_w = 3}};
  c.weights = random.reals(12 * 27);
  for (float& w : c.weights) w /= 8;
  c.bias = random.reals(12);
  const auto conv = g.add("c", c, {data});
  g[g.add("f", net::activation{.function = f}, {conv})].output = true;
  net::infer_shapes(g);
  return g;
}
std::vector<sample> samples() {
  randomness random(11);
  std::vector<sample> all;
  for (int i = 0; i < 4; ++i) all.push_back({{{3, 8, 8}, random.reals(192)}});
  return all;
}

}  // namespace

TEST_CASE("nv_small computes functions in straight lines, as the reference does, near the true") {
  const auto pictures = samples();
  for (const auto f : {net::function::sigmoid, net::function::tanh, net::function::swish,
                       net::function::gelu}) {
    CAPTURE(std::string(net::name_of(f)));
    const auto g = network(f);
    compile_options options;
    options.approximate = true;
    const auto prepared = prepare_for<nv_small>(g, std::span<const sample>(pictures), options);
    compiled chip(hardware<nv_small>(), prepared.integers, options);
    const double bound = net::approximation_of({.function = f})->bound;
    for (const auto& s : pictures) {
      const auto& in = chip.program().inputs[0];
      const std::vector feeds{
          quantised::feed_of(quantised::numbers_of(s[0], in.scale, in.surface.precision))};
      const auto out = chip.infer_any(feeds);
      CHECK((out == quantised::evaluate_any(prepared.integers,
                                            std::span<const quantised::feed>(feeds),
                                            quantised::order_of(nv_small::spec))));
      const auto real = net::evaluate(g, s[0])[0];
      const auto got = quantised::real_of(out[0], chip.program().outputs[0].scale);
      double most = 0, top = 0;
      for (std::size_t i = 0; i < real.values.size(); ++i) {
        most = std::max(most, std::fabs(double{real.values[i]} - double{got.values[i]}));
        top = std::max(top, std::fabs(double{real.values[i]}));
      }
      CHECK(most < bound + 0.03 * top);
    }
  }
}

TEST_CASE("only configurations without tables approximate, and their refusal proposes it") {
  const auto pictures = samples();
  const std::span<const sample> all(pictures);
  const auto g = network(net::function::sigmoid);
  compile_options options;
  std::string message;
  try {
    prepare_for<nv_small>(g, all, options);
  } catch (const error& e) {
    message = e.what();
  }
  CHECK(message.find("off by at most 0.0175: --approximate; or let the host") != message.npos);
  options.approximate = true;
  CHECK(prepare_for<nv_large>(g, all, options).graph.size() == g.size());
  CHECK(prepare_for<nv_small>(g, all, options).graph.size() > g.size());
}
