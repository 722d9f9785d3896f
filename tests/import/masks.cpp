// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/import/masks.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <variant>

#include <doctest/doctest.h>

#include <nvdlac/net/operators.hpp>

#include "onnx_model.hpp"

using namespace nvdlac;
using namespace onnx_model;

namespace {

constexpr float lowest = -std::numeric_limits<float>::infinity();

// The value that a constant adds in its first place behind a file's mask.
float raised(const std::string& steps) {
  const auto g = read(x_to_y({1, 4}, steps));
  for (net::graph::id n = 0; n < g.size(); ++n) {
    if (const auto* s = std::get_if<net::scale>(&g[n].op)) return s->bias.at(0);
    if (const auto* k = std::get_if<net::constant>(&g[n].op)) return k->value.values.at(0);
  }
  return 0;
}
std::string masked(float value, const std::string& behind) {
  return floats("mask", {4}, {value, 0, 0, 0}) + node("Add", "x mask", "a") + behind;
}

}  // namespace

TEST_CASE("what a mask takes from a softmax is a hundred, not infinity") {
  const auto soft = node("Softmax", "a", "y");
  for (const float value : {lowest, std::numeric_limits<float>::lowest(), -1e9F, -1e4F, -101.0F})
    CHECK(raised(masked(value, soft)) == -100);
  CHECK(raised(masked(-99, soft)) == -99);
  // Behind a factor of the scores.
  CHECK(raised(masked(lowest, floats("half", {}, {0.5F}) + node("Mul", "a half", "h") +
                                  node("Softmax", "h", "y"))) == -200);
  const auto y = run(read(x_to_y({1, 4}, masked(lowest, soft))), onnx_model::count);
  CHECK(y[0] < 1e-40F);  // e^-103 of what the others are
  CHECK(y[3] == doctest::Approx(std::exp(3.0) / (std::exp(1.0) + std::exp(2.0) + std::exp(3.0))));
}

TEST_CASE("infinity that something else reads is refused, and told how it would do") {
  for (const auto& behind : {node("Relu", "a", "y"),
                             node("Softmax", "a", "s") + node("Add", "a s", "y")}) {
    const auto why = refused(x_to_y({1, 4}, masked(lowest, behind)));
    CHECK(mentions(why, "-inf"));
    CHECK(mentions(why, "minus infinity is a mask where only a softmax reads it"));
  }
  CHECK(raised(masked(-1e9F, node("Relu", "a", "y"))) == -1e9F);
}

TEST_CASE("a factor of a mask of 0 and 1 is a hundred as well") {
  // The factor and the bias of the mask that is added to the scores.
  const auto factor = [](const std::string& mask, const std::string& behind) {
    const auto g = read(x_to_y({1, 4}, "input " + value_info("m", {1, 4}) +
                                           floats("one", {}, {1}) + mask + behind));
    std::pair<float, float> found{0, 0};
    for (net::graph::id n = 0; n < g.size(); ++n)
      if (const auto* s = std::get_if<net::scale>(&g[n].op))
        if (std::fabs(s->factor.at(0)) > 1) found = {s->factor[0], s->bias_of(0)};
    return found;
  };
  const auto soft = node("Add", "x v", "a") + node("Softmax", "a", "y");
  const auto of = [&](float k, const std::string& before = node("Sub", "one m", "u")) {
    return factor(before + floats("k", {}, {k}) + node("Mul", "u k", "v"), soft);
  };
  using pair = std::pair<float, float>;
  for (const float k : {-1e4F, -1e9F, std::numeric_limits<float>::lowest()})
    CHECK(of(k) == pair{-100, 0});
  CHECK(of(1e4F, node("Sub", "m one", "u")) == pair{100, 0});
  CHECK(of(-100) == pair{-100, 0});
  CHECK(of(-500) == pair{-500, 0});  // of an input, which may be anything
  CHECK(of(-500, node("Sigmoid", "m", "u")) == pair{-100, 0});
  // One mask for all rows of the scores.
  const auto rows = read(x_to_y({1, 4, 4}, "input " + value_info("m", {1, 1, 4}) +
                                    floats("one", {}, {1}) + floats("k", {}, {-1e9F}) +
                                    node("Sub", "one m", "u") + node("Mul", "u k", "v") + soft));
  for (net::graph::id n = 0; n < rows.size(); ++n)
    if (const auto* s = std::get_if<net::scale>(&rows[n].op)) CHECK(s->factor.at(0) >= -100);
  // A factor of what is no mask stays.
  CHECK(of(-1e4F, node("Exp", "m", "u")) == pair{-1e4F, 0});
  CHECK(factor(floats("k", {}, {-1e4F}) + node("Mul", "m k", "v"),
               node("Add", "x v", "y")) == pair{-1e4F, 0});
  CHECK(factor(floats("k", {}, {1e4F}) + node("Mul", "m k", "v"),
               node("Softmax", "v", "s") + node("Mul", "s x", "y")) == pair{1e4F, 0});
}
