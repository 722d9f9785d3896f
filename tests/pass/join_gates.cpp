// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/pass/join_gates.hpp>

#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>

using namespace nvdlac;
using net::function;

namespace {

// -12 .. 12 in steps of 1/64.
net::float_tensor steps() {
  net::float_tensor x{{1, 1, 1537}};
  for (std::size_t i = 0; i < x.values.size(); ++i)
    x.values[i] = static_cast<float>(i) / 64 - 12;
  return x;
}

// A product of what a layer gives with `outer` of it, or with `outer` of `inner` of it.
struct gated {
  net::graph g{};
  net::graph::id x = g.add("x", net::relu{}, {g.add("data", net::input{{1, 1, 1537}})});
  net::graph::id gate{}, y{};

  explicit gated(function outer, const function* inner = nullptr, bool gate_first = false) {
    g[x].op = net::scale{.factor = {1.5F}, .bias = {0.25F}};
    gate = x;
    if (inner != nullptr) gate = g.add("inner", net::activation{.function = *inner}, {gate});
    gate = g.add("gate", net::activation{.function = outer}, {gate});
    y = g.add("y", net::multiply{}, {gate_first ? gate : x, gate_first ? x : gate});
    g[y].output = true;
    net::infer_shapes(g);
  }
};

bool all(const std::string&) { return true; }

const net::activation* activation_of(const net::graph& g) {
  return std::get_if<net::activation>(&g[g.outputs()[0]].op);
}

void check_joined(gated network, function expected) {
  const auto before = net::evaluate(network.g, steps())[0];
  pass::join_gates::run(network.g, all);
  const auto* op = activation_of(network.g);
  REQUIRE(op != nullptr);
  CHECK(op->function == expected);
  CHECK(network.g.size() == 3);
  CHECK(network.g[network.g.outputs()[0]].name == "y");
  const auto after = net::evaluate(network.g, steps())[0];
  for (std::size_t i = 0; i < before.values.size(); ++i)
    CHECK(std::fabs(before.values[i] - after.values[i]) < 1e-5);
}

void check_left(gated network) {
  const auto size = network.g.size();
  pass::join_gates::run(network.g, all);
  CHECK(network.g.size() == size);
  CHECK(std::holds_alternative<net::multiply>(network.g[network.y].op));
}

}  // namespace

TEST_CASE("a gate of its own input is one function, in either order") {
  const auto softplus = function::softplus;
  for (const bool gate_first : {false, true}) {
    check_joined(gated(function::sigmoid, nullptr, gate_first), function::swish);
    check_joined(gated(function::tanh, &softplus, gate_first), function::mish);
  }
}

TEST_CASE("what else reads a gate, or another function, leaves the product") {
  const auto softplus = function::softplus, sigmoid = function::sigmoid;
  check_left(gated(function::tanh));
  check_left(gated(function::sigmoid, &softplus));
  check_left(gated(function::tanh, &sigmoid));
  gated read(function::sigmoid);
  read.g[read.gate].output = true;
  check_left(read);
  gated twice(function::tanh, &softplus);
  twice.g[twice.g.add("other", net::relu{}, {twice.g.inputs(twice.gate)[0]})].output = true;
  net::infer_shapes(twice.g);
  check_left(twice);
  gated positive(function::sigmoid);
  std::get<net::multiply>(positive.g[positive.y].op).relu = true;
  check_left(positive);
  // The gate of another tensor.
  gated other(function::sigmoid);
  const auto more = other.g.add("more", net::relu{}, {other.x});
  other.g.set_inputs(other.y, {more, other.gate});
  check_left(other);
}

TEST_CASE("a layer that may not be joined leaves the product") {
  const auto softplus = function::softplus;
  for (const std::string named : {"y", "gate", "inner"}) {
    gated network(function::tanh, &softplus);
    const auto size = network.g.size();
    pass::join_gates::run(network.g, [&](const std::string& layer) { return layer != named; });
    CHECK(network.g.size() == size);
  }
}
