// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/pass/join_gates.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <variant>

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

// Whether what two networks give for the steps is the same.
void check_same(const net::graph& a, const net::graph& b) {
  const auto before = net::evaluate(a, steps())[0], after = net::evaluate(b, steps())[0];
  for (std::size_t i = 0; i < before.values.size(); ++i)
    CHECK(std::fabs(before.values[i] - after.values[i]) <=
          1e-5F * std::max(1.0F, std::fabs(before.values[i])));
}

void check_composed(const gated& network) {
  auto joined = network.g;
  pass::join_gates::run(joined, all);
  CHECK(joined.size() == 2);  // the scaling before it is a part of it
  const auto* op = activation_of(joined);
  REQUIRE(op != nullptr);
  CHECK(op->function == function::composed);
  check_same(network.g, joined);
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

TEST_CASE("GELU as PyTorch writes it, by erf or by tanh, with its factor before or behind") {
  // x * (1 + erf(x / sqrt(2))) / 2, or its form by tanh.
  const auto spelled = [](bool by_tanh, int factor_at) {
    net::graph g;
    const auto data = g.add("data", net::input{{1, 1, 1537}});
    const auto x = g.add("x", net::scale{.factor = {0.75F}, .bias = {0.25F}}, {data});
    auto inner = x;
    if (by_tanh) {
      const auto squared = g.add("squared", net::multiply{}, {x, x});
      const auto cubed = g.add("cubed", net::multiply{}, {squared, x});
      const auto small = g.add("small", net::scale{.factor = {0.044715F}}, {cubed});
      inner = g.add("sum", net::add{}, {x, small});
    }
    const float within = by_tanh ? 0.7978845608F : 0.70710678F;
    inner = g.add("inner", net::scale{.factor = {within}}, {inner});
    inner = g.add("gate", net::activation{.function = by_tanh ? function::tanh : function::erf},
                  {inner});
    inner = g.add("one", net::scale{.factor = {1}, .bias = {1}}, {inner});
    auto last = x;
    if (factor_at == 0) last = g.add("half", net::scale{.factor = {0.5F}}, {last});
    last = g.add("product", net::multiply{}, {last, inner});
    if (factor_at == 1) last = g.add("half", net::scale{.factor = {0.5F}}, {last});
    g[last].output = true;
    net::infer_shapes(g);
    return g;
  };
  for (const bool by_tanh : {false, true})
    for (const int factor_at : {0, 1, 2}) {
      CAPTURE(by_tanh);
      CAPTURE(factor_at);
      net::graph g = spelled(by_tanh, factor_at);
      const auto before = net::evaluate(g, steps())[0];
      const std::string last = g[g.outputs()[0]].name;
      pass::join_gates::run(g, all);
      CHECK(g[g.outputs()[0]].name == last);
      // Without its factor it is twice GELU.
      const bool is_twice = factor_at == 2;
      REQUIRE(g.size() == (is_twice ? 4 : 3));
      const auto n = is_twice ? g.inputs(g.outputs()[0])[0] : g.outputs()[0];
      const auto* op = std::get_if<net::activation>(&g[n].op);
      REQUIRE(op != nullptr);
      CHECK(op->function == (by_tanh ? function::gelu_tanh : function::gelu));
      const auto after = net::evaluate(g, steps())[0];
      for (std::size_t i = 0; i < before.values.size(); ++i)
        CHECK(std::fabs(before.values[i] - after.values[i]) < 1e-5);
    }
}

TEST_CASE("factors of channels that are alike are one; others are not a function of one element") {
  for (const float last : {1.0F, 1.5F}) {
    net::graph g;
    const auto x = g.add("x", net::input{{3, 2, 2}});
    const auto inner = g.add("inner", net::scale{.factor = {1, 1, last}}, {x});
    const auto gate = g.add("gate", net::activation{.function = function::sigmoid}, {inner});
    g[g.add("y", net::multiply{}, {x, gate})].output = true;
    net::infer_shapes(g);
    pass::join_gates::run(g, all);
    CHECK(g.size() == (last == 1.0F ? 2 : 4));
  }
}

TEST_CASE("functions are told apart by their values") {
  const auto values = [](auto f) {
    auto x = pass::compared_places();
    for (float& v : x.values) v = static_cast<float>(f(static_cast<double>(v)));
    return x;
  };
  const auto found = [&](auto f) { return pass::function_of(values(f)); };
  const auto quick = found([](double x) { return 3 * x / (1 + std::exp(-1.702 * x)); });
  REQUIRE(quick);
  CHECK(quick->function.function == function::swish);
  CHECK(std::fabs(quick->function.alpha - 1.702F) < 1e-3F);
  CHECK(std::fabs(quick->factor - 3) < 1e-3);
  const auto logistic = found([](double x) { return 1 / (1 + std::exp(-x)); });
  REQUIRE(logistic);
  CHECK(logistic->function.function == function::sigmoid);
  CHECK(logistic->factor == 1);
  // Constants of four digits, as files have them.
  const auto gelu = found([](double x) { return x * (1 + std::erf(x / 1.4142)) / 2; });
  REQUIRE(gelu);
  CHECK(gelu->function.function == function::gelu);
  CHECK(!found([](double x) { return x * std::tanh(x); }));
  CHECK(!found([](double x) { return 1.01 * std::tanh(x) + 0.01; }));
  CHECK(!found([](double) { return 0.0; }));
  CHECK(!found([](double x) { return std::log(x); }));
  const auto silu = [](double x) { return x / (1 + std::exp(-x)); };
  CHECK(found(silu));
  // Bounds far away, values between places of a grid, and none at all below 0.
  CHECK(!found([&](double x) { return std::min(silu(x), 10.0); }));
  CHECK(!found([&](double x) { return silu(std::clamp(x, -20.0, 20.0)); }));
  CHECK(!found([&](double x) { return silu(std::round(x * 8) / 8); }));
  CHECK(!found([](double x) { return x < 0 ? NAN : x * (1 + std::erf(x / std::sqrt(2.0))) / 2; }));
}

TEST_CASE("a clipping behind a gate leaves it, and a rounding in it is composed") {
  for (const bool behind : {false, true}) {
    gated network(function::sigmoid);
    auto& g = network.g;
    if (behind) {
      g[network.y].output = false;
      g[g.add("most", net::clip{.low = -100, .high = 100}, {network.y})].output = true;
    } else {
      const auto inner = g.add("rounded", net::activation{.function = function::round},
                               {network.x});
      g.set_inputs(network.gate, {inner});
    }
    net::infer_shapes(g);
    pass::join_gates::run(g, all);
    // Only what stands before the clipping is one function.
    CHECK(g.size() == (behind ? 4 : 2));
    const auto last = behind ? g.inputs(g.outputs()[0])[0] : g.outputs()[0];
    CHECK(std::get<net::activation>(g[last].op).function ==
          (behind ? function::swish : function::composed));
  }
}

TEST_CASE(
    "a function whose factor is a layer of its own may be joined under its own name as well") {
  gated network(function::sigmoid);
  auto& g = network.g;
  g[network.y].output = false;
  g[g.add("twice", net::scale{.factor = {2}}, {network.y})].output = true;
  net::infer_shapes(g);
  pass::join_gates::run(g, [](const std::string& layer) { return layer != "twice/function"; });
  CHECK(g.size() == 4);  // the factor stays behind the function of the product's name
  CHECK(std::holds_alternative<net::activation>(g[g.inputs(g.outputs()[0])[0]].op));
}

TEST_CASE("a product with a function that has no name is a composed one") {
  const auto softplus = function::softplus, sigmoid = function::sigmoid;
  check_composed(gated(function::tanh));
  check_composed(gated(function::sigmoid, &softplus));
  check_composed(gated(function::tanh, &sigmoid));
  gated positive(function::sigmoid);
  std::get<net::multiply>(positive.g[positive.y].op).relu = true;
  check_composed(positive);
}

TEST_CASE("the logarithm of a power is one function, however it is written") {
  // log(x * x + c) with what files put around it.
  const auto spelled = [](bool as_power, bool bounded) {
    net::graph g;
    auto n = g.add("data", net::input{{1, 1, 1537}});
    n = as_power
            ? g.add("square", net::activation{.function = function::power, .gamma = 2}, {n})
            : g.add("square", net::multiply{}, {n, n});
    n = bounded ? g.add("least", net::clip{.low = 1e-3F}, {n})
                : g.add("more", net::scale{.factor = {1}, .bias = {1e-3F}}, {n});
    n = g.add("log", net::activation{.function = function::logarithm}, {n});
    n = g.add("scaled", net::scale{.factor = {0.25F}, .bias = {1}}, {n});
    g[n].output = true;
    net::infer_shapes(g);
    return g;
  };
  for (const bool as_power : {false, true})
    for (const bool bounded : {false, true}) {
      CAPTURE(as_power);
      CAPTURE(bounded);
      auto g = spelled(as_power, bounded);
      pass::join_gates::run(g, all);
      CHECK(g.size() == 2);
      REQUIRE(activation_of(g) != nullptr);
      CHECK(activation_of(g)->function == function::composed);
      check_same(spelled(as_power, bounded), g);
    }
}

TEST_CASE("functions without a value somewhere, and what only bounds, are not composed") {
  const auto size = [](const net::graph::any_operator& first,
                       const net::graph::any_operator& second) {
    net::graph g;
    auto n = g.add("data", net::input{{1, 1, 1537}});
    n = g.add("second", second, {g.add("first", first, {n})});
    g[n].output = true;
    net::infer_shapes(g);
    pass::join_gates::run(g, all);
    return g.size();
  };
  const net::activation tanh{function::tanh}, root{.function = function::power, .gamma = 0.5F};
  CHECK(size(tanh, net::activation{function::softplus}) == 2);
  CHECK(size(root, tanh) == 3);         // of what is below 0
  CHECK(size(net::clip{-1, 1}, tanh) == 3);  // SDP clips behind the layer before
  CHECK(size(tanh, net::clip{-0.5F, 0.5F}) == 3);
  // A bound between source and functions keeps its own range.
  net::graph g;
  auto n = g.add("six", net::clip{0, 6}, {g.add("data", net::input{{1, 1, 1537}})});
  n = g.add("y", net::activation{function::tanh}, {g.add("x", net::multiply{}, {n, n})});
  g[n].output = true;
  net::infer_shapes(g);
  pass::join_gates::run(g, all);
  REQUIRE(g.size() == 3);
  CHECK(g[g.inputs(g.outputs()[0])[0]].name == "six");
}

TEST_CASE("a function that has values within the bounds of its source alone is composed") {
  // sqrt(x^3 + 1) and x * log(x + 0.1) of what a ReLU, a clipping or a sigmoid gives.
  using any = net::graph::any_operator;
  const net::activation root{.function = function::power, .gamma = 0.5F};
  const net::activation cube{.function = function::power, .gamma = 3};
  const net::activation log{.function = function::logarithm, .beta = 0.1F};
  const auto joined = [&](const any& bound, bool entropy, bool read_elsewhere) {
    net::graph g;
    const auto source = g.add("source", bound, {g.add("data", net::input{{1, 1, 1537}})});
    net::graph::id n{};
    if (entropy) {
      n = g.add("y", net::multiply{}, {source, g.add("log", log, {source})});
    } else {
      n = g.add("more", net::scale{.factor = {1}, .bias = {1}}, {g.add("cube", cube, {source})});
      n = g.add("y", root, {n});
    }
    g[n].output = true;
    g[source].output = read_elsewhere;
    net::infer_shapes(g);
    const auto before = g;
    pass::join_gates::run(g, all);
    if (g.size() == before.size()) return false;
    check_same(before, g);
    return g.size() == 3 && g[g.inputs(g.outputs().back())[0]].name == "source";
  };
  for (const bool entropy : {false, true}) {
    CAPTURE(entropy);
    CHECK(joined(net::relu{}, entropy, false));
    CHECK(joined(net::clip{.low = 0, .high = 2}, entropy, false));
    CHECK(joined(net::activation{function::sigmoid}, entropy, true));
    CHECK(joined(net::softmax{}, entropy, true));
    CHECK(joined(net::convolution{.weights = {1}, .relu = true}, entropy, false));
    CHECK(!joined(net::clip{.low = -2, .high = 2}, entropy, false));
    CHECK(!joined(net::activation{function::tanh}, entropy, true));
  }
}

TEST_CASE("a square that others read as well is a part of each function") {
  // log(x * x + 1) and sqrt(x * x + 1), and maybe x * x, of an input or behind a convolution.
  const auto size = [](bool stored, bool square_read, bool line) {
    net::graph g;
    auto x = g.add("data", net::input{{1, 1, 1537}});
    if (!stored) x = g.add("x", net::convolution{.weights = {1}}, {x});
    auto square = line ? g.add("square", net::scale{.factor = {0.5F}, .bias = {20}}, {x})
                       : g.add("square", net::multiply{}, {x, x});
    const net::scale more{.factor = {1}, .bias = {1}};
    const auto log = g.add("log", net::activation{function::logarithm},
                           {g.add("more", more, {square})});
    const auto tanh = g.add("tanh", net::activation{function::tanh}, {log});
    const net::activation power{.function = function::power, .gamma = 0.5F};
    const auto root = g.add("root", power, {g.add("again", more, {square})});
    g[tanh].output = g[root].output = true;
    if (square_read) g[g.add("other", net::relu{}, {square})].output = true;
    net::infer_shapes(g);
    const auto before = g;
    pass::join_gates::run(g, all);
    for (std::size_t k = 0; k < g.outputs().size(); ++k) {
      const auto a = net::evaluate(before, steps())[k], b = net::evaluate(g, steps())[k];
      for (std::size_t i = 0; i < a.values.size(); ++i)
        CHECK(std::fabs(a.values[i] - b.values[i]) < 1e-4);
    }
    return g.size();
  };
  CHECK(size(true, false, false) == 3);
  CHECK(size(true, true, false) == 5);
  CHECK(size(false, false, false) == 4);  // x stands in memory for its square
  CHECK(size(false, true, false) == 6);
  // A line behind a convolution, which computes it: the convolution's own result stands nowhere.
  CHECK(size(false, true, true) > 6);
}

TEST_CASE("products alone are one function where a look-up takes no longer") {
  const auto saves = [](bool does) {
    return [=](net::shape, std::size_t joints) { return does && joints >= 2; };
  };
  const auto joined = [&](bool cubed, bool does) {
    net::graph g;
    const auto x = g.add("data", net::input{{1, 1, 1537}});
    auto y = g.add("square", net::multiply{}, {x, x});
    if (cubed)
      y = g.add("y", net::add{.coefficients = {1, -1}},
                {g.add("cube", net::multiply{}, {y, x}),
                 g.add("half", net::scale{.factor = {0.5F}}, {x})});
    g[y].output = true;
    net::infer_shapes(g);
    const auto before = g;
    pass::join_gates::run(g, all, {}, saves(does));
    check_same(before, g);
    return g.size() == 2 && activation_of(g) != nullptr;
  };
  CHECK(joined(true, true));
  CHECK(!joined(true, false));
  CHECK(!joined(false, true));
  // Sums alone are no more than a line.
  net::graph g;
  const auto x = g.add("data", net::input{{1, 1, 1537}});
  const auto twice = g.add("twice", net::add{}, {x, x});
  g[g.add("thrice", net::add{}, {twice, x})].output = true;
  net::infer_shapes(g);
  pass::join_gates::run(g, all, {}, saves(true));
  CHECK(g.size() == 3);
}

TEST_CASE("what else reads a gate, or another function, leaves the product") {
  const auto softplus = function::softplus;
  gated read(function::sigmoid);
  read.g[read.gate].output = true;
  check_left(read);
  gated twice(function::tanh, &softplus);
  twice.g[twice.g.add("other", net::relu{}, {twice.g.inputs(twice.gate)[0]})].output = true;
  net::infer_shapes(twice.g);
  check_left(twice);
  // The gate of another tensor.
  gated other(function::sigmoid);
  other.g[other.x].op = net::relu{};
  other.g[other.x].output = true;
  const auto more = other.g.add("more", net::input{{1, 1, 1537}});
  other.g.set_inputs(other.y, {more, other.gate});
  const auto size = other.g.size();
  net::infer_shapes(other.g);
  pass::join_gates::run(other.g, all);
  CHECK(other.g.size() == size);
}

TEST_CASE("a layer that may not be joined leaves the product") {
  const auto softplus = function::softplus;
  for (const std::string named : {"y", "gate", "inner"}) {
    gated network(function::tanh, &softplus);
    const auto size = network.g.size();
    pass::join_gates::run(network.g, [&](const std::string& layer) { return layer != named; });
    // The functions that the product reads are a composed one of their own.
    CHECK(network.g.size() == (named == "y" ? size - 1 : size));
    CHECK(std::holds_alternative<net::multiply>(network.g[network.g.outputs()[0]].op));
  }
}

namespace {

// x * min(max(x + 3, 0), 6) / 6 behind a convolution, as files spell it.
net::graph hard_gated(int spelling) {
  net::graph g;
  const auto data = g.add("data", net::input{{1, 1, 1537}});
  const auto x = g.add("x", net::convolution{.weights = {1}}, {data});
  net::graph::id y{};
  if (spelling == 0) {  // ONNX's HardSwish
    const auto line = g.add("line", net::scale{.factor = {1.0F / 6}, .bias = {0.5F}}, {x});
    y = g.add("y", net::multiply{}, {x, g.add("gate", net::clip{0, 1}, {line})});
  } else {
    const auto three = g.add("three", net::scale{.factor = {1}, .bias = {3}}, {x});
    auto gate = three;
    if (spelling == 3) gate = g.add("positive", net::relu{}, {gate});
    gate = g.add("gate", net::clip{.low = spelling == 3 ? -10.0F : 0.0F, .high = 6}, {gate});
    if (spelling == 1) gate = g.add("sixth", net::scale{.factor = {1.0F / 6}}, {gate});
    y = g.add("y", net::multiply{}, {gate, x});
    if (spelling > 1) y = g.add("sixth", net::scale{.factor = {1.0F / 6}}, {y});
  }
  g[y].output = true;
  net::infer_shapes(g);
  return g;
}
bool hidden(const net::convolution&, net::shape, net::shape) { return true; }

}  // namespace

TEST_CASE("h-swish is one function behind convolutions that hide a table, however it is spelled") {
  for (const int spelling : {0, 1, 2, 3}) {
    CAPTURE(spelling);
    net::graph g = hard_gated(spelling);
    const auto size = g.size();
    const auto before = net::evaluate(g, steps())[0];
    pass::join_gates::run(g, all);
    CHECK(g.size() == size);
    pass::join_gates::run(g, all, [](const auto&...) { return false; });
    CHECK(g.size() == size);
    pass::join_gates::run(g, all, hidden);
    REQUIRE(g.size() == 3);
    const auto* op = activation_of(g);
    REQUIRE(op != nullptr);
    CHECK(op->function == function::hard_swish);
    const auto after = net::evaluate(g, steps())[0];
    for (std::size_t i = 0; i < before.values.size(); ++i)
      CHECK(std::fabs(before.values[i] - after.values[i]) < 1e-5);
  }
}

TEST_CASE("what is not h-swish, or has other readers, stays a product") {
  const auto left = [](net::graph g) {
    net::infer_shapes(g);
    const auto size = g.size();
    pass::join_gates::run(g, all, hidden);
    CHECK(g.size() == size);
  };
  const auto with = [](net::clip bounds, float third = 3) {
    net::graph g = hard_gated(1);
    for (net::graph::id n = 0; n < g.size(); ++n) {
      if (g[n].name == "gate") g[n].op = bounds;
      if (g[n].name == "three") g[n].op = net::scale{.factor = {1}, .bias = {third}};
    }
    return g;
  };
  left(with({.low = 0}));
  left(with({.low = 0, .high = 5.99F}));
  left(with({.low = 0.01F, .high = 6}));
  left(with({.low = 0, .high = 6}, 2.9F));
  // A bound of its own, far away.
  net::graph bounded = hard_gated(0);
  const auto y = bounded.outputs()[0];
  bounded[y].output = false;
  bounded[bounded.add("most", net::clip{.high = 5000}, {y})].output = true;
  net::infer_shapes(bounded);
  pass::join_gates::run(bounded, all, hidden);
  CHECK(bounded.size() == 4);  // the clipping stays behind the function
  CHECK(std::holds_alternative<net::clip>(bounded[bounded.outputs()[0]].op));
  net::graph read = hard_gated(0);
  read[1].output = true;  // the convolution
  left(std::move(read));
  net::graph behind_relu = hard_gated(0);
  behind_relu[1].op = net::relu{};
  left(std::move(behind_relu));
}
