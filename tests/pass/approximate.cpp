// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <nvdlac/net/activation.hpp>
#include <nvdlac/net/approximation.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/approximate.hpp>

using namespace nvdlac;
using namespace nvdlac::net;

namespace {

// -30 .. 30 in steps of 1/512.
float_tensor whole_range() {
  float_tensor x{{1, 1, 30721}};
  for (std::size_t i = 0; i < x.values.size(); ++i)
    x.values[i] = static_cast<float>(i) / 512 - 30;
  return x;
}
graph one_function(const activation& op) {
  graph g;
  g[g.add("f", op, {g.add("data", input{{1, 1, 30721}})})].output = true;
  infer_shapes(g);
  return g;
}
double largest_difference(const graph& a, const graph& b) {
  const auto x = whole_range();
  const auto y = evaluate(a, x)[0], z = evaluate(b, x)[0];
  double most = 0;
  for (std::size_t i = 0; i < y.values.size(); ++i)
    most = std::max(most, std::fabs(double{y.values[i]} - double{z.values[i]}));
  return most;
}
bool has_function(const graph& g) {
  for (graph::id n = 0; n < g.size(); ++n)
    if (std::holds_alternative<activation>(g[n].op)) return true;
  return false;
}

}  // namespace

TEST_CASE("straight lines stay within their bound of each function, and reach it") {
  for (const activation& op :
       {activation{.function = function::sigmoid}, activation{.function = function::tanh},
        activation{.function = function::erf}, activation{.function = function::gelu},
        activation{.function = function::gelu_tanh}, activation{.function = function::swish},
        activation{.function = function::swish, .alpha = 1.702F},
        activation{.function = function::swish, .alpha = -2}}) {
    CAPTURE(std::string(name_of(op.function)));
    CAPTURE(op.alpha);
    const auto exact = one_function(op);
    auto lines = exact;
    pass::approximate::run(lines);
    CHECK(verify(lines).empty());
    CHECK(!has_function(lines));
    CHECK(lines[lines.outputs()[0]].name == "f");
    const double bound = approximation_of(op)->bound, most = largest_difference(exact, lines);
    CHECK(most <= bound);
    CHECK(most > bound * 0.95);
  }
}

TEST_CASE("a sigmoid that its input is multiplied with has the lines of SiLU") {
  const auto network = [](bool product) {
    graph g;
    const auto data = g.add("data", input{{1, 1, 30721}});
    const auto s = g.add("s", activation{}, {data});
    const auto y = product ? g.add("y", multiply{}, {data, s})
                           : g.add("y", add{}, {data, s});
    g[y].output = true;
    infer_shapes(g);
    return g;
  };
  const auto error = [&](bool product) {
    auto lines = network(product);
    pass::approximate::run(lines);
    CHECK(!has_function(lines));
    return largest_difference(network(product), lines);
  };
  CHECK(error(true) <= approximation_of({.function = function::swish})->bound);
  CHECK(error(false) <= approximation_of({.function = function::sigmoid})->bound + 1e-6);
}

TEST_CASE("functions of another form stay, and so do their names") {
  for (const auto f : {function::elu, function::softplus, function::exponential}) {
    const activation op{.function = f};
    CHECK(!approximation_of(op));
    auto g = one_function(op);
    pass::approximate::run(g);
    CHECK(has_function(g));
    CHECK(g.size() == 2);
  }
  CHECK(!approximation_of({.function = function::swish, .alpha = 0}));
}
