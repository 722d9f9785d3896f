// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/net/network.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/builder.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>

using namespace nvdlac;
using namespace nvdlac::net;

namespace {

constexpr network chain{
    input{{1, 28, 28}},
    convolution{.kernels = 8, .window = square{.kernel = 5, .pad = 2}},
    relu{},
    pool{.window = square{.kernel = 2, .stride = 2}},
    fully_connected{.outputs = 10},
    softmax{},
};
static_assert(chain.size() == 6);
static_assert(chain.shapes()[1] == shape{8, 28, 28});
static_assert(chain.shapes()[3] == shape{8, 14, 14});
static_assert(chain.output_shape() == shape{10, 1, 1});

constexpr network residual{
    node{"data", input{{8, 16, 12}}},
    node{"branch", convolution{.kernels = 8, .window = square{.kernel = 3, .pad = 1}}},
    node{"sum", add{.relu = true}, "branch", "data"},
    convolution{.kernels = 4, .window = square{.kernel = 3, .stride = 2, .dilation = 2}},
    node{"small", pool{.global = true}},
    node{"wide", concat{}, "data", "sum", "branch"},
    batch_norm{},
    scale{},
    lrn{.local_size = 3},
    node{"flat", flatten{}},
};
static_assert(residual.shape_of("sum") == shape{8, 16, 12});
static_assert(residual.shapes()[3] == shape{4, 6, 4});
static_assert(residual.shape_of("small") == shape{4, 1, 1});
static_assert(residual.shape_of("wide") == shape{24, 16, 12});
static_assert(residual.shape_of("flat") == shape{24 * 16 * 12, 1, 1});
static_assert(std::ranges::equal(residual.edges().inputs(5), std::array{0, 2, 1}));
static_assert(std::ranges::equal(residual.edges().consumers(1), std::array{2, 5}));
static_assert(residual.edges().consumers(4).empty() && residual.edges().inputs(0).empty());
static_assert(residual.node<3>().op.window == window{3, 3, 2, 2, 0, 0, 0, 0, 2, 2});

// A branch that nothing is read from twice, two inputs, a constant with its shape only.
constexpr network two_inputs{
    node{"a", input{{4, 5, 6}}},
    node{"b", input{{4, 5, 6}}},
    node{"twice", add{}, "a", "a"},
    node{"c", constant{{{4, 5, 6}, {}}}},
    node{"b and c", add{}, "b", "c"},
    node{"all", concat{}, "twice", "b and c"},
    reshape{{2, 20, 6}},
    identity{},
};
static_assert(two_inputs.output_shape() == shape{2, 20, 6});
static_assert(two_inputs.edges().consumers(0).size() == 2);

// As many values as each layer needs.
template <class Network>
parameters some_values(const Network& net) {
  parameters values;
  auto g = to_graph(net);
  std::uint32_t state = 7;
  const auto make = [&](const std::string& name, std::int64_t count) {
    auto& v = values[name];
    for (std::int64_t i = 0; i < count; ++i)
      v.push_back(static_cast<float>((state = state * 1664525U + 1013904223U) >> 8) / (1U << 24));
  };
  for (graph::id n = 0; n < g.size(); ++n) {
    const shape in = g.inputs(n).empty() ? g[n].shape : g[g.inputs(n)[0]].shape;
    const auto& name = g[n].name;
    if (const auto* c = std::get_if<convolution>(&g[n].op)) {
      make(name + ".weights", c->weight_count(in));
      make(name + ".bias", c->kernels);
    }
    if (const auto* f = std::get_if<fully_connected>(&g[n].op))
      make(name + ".weights", f->weight_count(in));
    if (std::holds_alternative<batch_norm>(g[n].op))
      for (const char* member : {".mean", ".variance", ".gamma", ".beta"})
        make(name + member, in.c);
    if (std::holds_alternative<scale>(g[n].op)) make(name + ".factor", in.c);
    if (std::holds_alternative<constant>(g[n].op))
      make(name + ".value", static_cast<std::int64_t>(in.size()));
  }
  return values;
}

template <class Network>
void check_same(const Network& net) {
  const auto values = some_values(net);
  const auto g = to_graph(net, values);
  REQUIRE(g.size() == net.size());
  CHECK(verify(g).empty());
  auto fresh = g;
  for (graph::id n = 0; n < g.size(); ++n) fresh[n].shape = {};
  infer_shapes(fresh);
  for (graph::id n = 0; n < g.size(); ++n) {
    CHECK(fresh[n].shape == net.shapes()[n]);
    CHECK(g[n].shape == net.shapes()[n]);
    const auto in = net.edges().inputs(n);
    CHECK(std::ranges::equal(g.inputs(n), in));
    CHECK(g[n].output == net.edges().consumers(n).empty());
  }
}

}  // namespace

TEST_CASE("a network becomes a graph of the same operators, edges and shapes") {
  check_same(chain);
  check_same(residual);
  check_same(two_inputs);
}

TEST_CASE("nodes without a name are called after their operator and position") {
  const auto g = to_graph(residual);
  CHECK(g[0].name == "data");
  CHECK(g[3].name == "convolution_3");
  CHECK(g[8].name == "lrn_8");
}

TEST_CASE("values reach the members they name") {
  const auto g = to_graph(network{input{{1, 1, 2}}, node{"line", scale{}}},
                          {{"line.factor", {3}}, {"line.bias", {0.5F}}});
  const std::vector<float_tensor> in{{{1, 1, 2}, {1, 2}}};
  std::vector<float> out;
  evaluate_each(g, in, [&](auto, const float_tensor& t) { out = t.values; });
  CHECK(out == std::vector<float>{3.5F, 6.5F});
}

TEST_CASE("values that no layer takes are reported together") {
  std::string said;
  try {
    to_graph(chain, {{"conv.weights", {1}}, {"relu_2.weights", {1}}, {"lrn.beta", {1}}});
  } catch (const error& e) {
    CHECK(e.problems().size() == 3);
    said = e.what();
  }
  CHECK(said.find("layer 'relu_2': the network has no 'relu_2.weights'") != said.npos);
}

TEST_CASE("values that are missing are found by the verifier") {
  const auto problems = verify(to_graph(chain));
  REQUIRE(problems.size() == 2);
  CHECK(problems[0].layer == "convolution_1");
  CHECK(problems[0].reason == "its weights: 0 values instead of 200");
}

TEST_CASE("a network that is made at run time throws what a constexpr one does not compile for") {
  const auto said = [](auto make) -> std::string {
    try {
      make();
    } catch (const error& e) {
      return e.what();
    }
    return {};
  };
  CHECK(said([] { network{input{{1, 4, 4}}, node{"x", add{}, "y", "y"}}; }) ==
        "layer 'x': no node before it is named 'y'");
  CHECK(said([] { network{node{"x", input{{1, 4, 4}}}, node{"x", relu{}}}; }) ==
        "layer 'x': another node has its name");
  CHECK(said([] { network{relu{}}; }) ==
        "layer 'relu_0': it reads the node before it but is the first");
  CHECK(said([] { network{input{{1, 4, 4}}, node{"sum", add{}}}; }) ==
        "layer 'sum': it reads 1 input, which is not what its operator takes");
  CHECK(said([] { (void)network{input{{1, 4, 4}}}.shape_of("x"); }) ==
        "no node of the network is named 'x'");
  CHECK(said([] { network{input{{1, 4, 4}}, pool{.window = square{.kernel = 5}}}; }) ==
        "layer 'pool_1': its window spans 5 elements but the padded input has only 4");
}
