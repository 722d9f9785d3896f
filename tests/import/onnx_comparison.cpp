// SPDX-License-Identifier: Apache-2.0
// Comparisons of computed tensors, and what is chosen by them.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/net/on_host.hpp>

#include "onnx_model.hpp"

using namespace onnx_model;

namespace {

const std::string to_real = integer("to", 1);

// The results of a comparison of 0, 1, 2, 3 with others.
numbers truths(const std::string& type, const std::string& in) {
  return counted(x_to_y({1, 4}, floats("two", {}, {2}) + floats("each", {4}, {3, 1, 0, 3}) +
                                    node("Neg", "x", "m") + node(type, in, "t") +
                                    node("Cast", "t", "y", to_real)));
}

}  // namespace

TEST_CASE("computed tensors are compared with numbers, constants and each other") {
  CHECK(truths("Equal", "x two") == numbers{0, 0, 1, 0});
  CHECK(truths("Greater", "x two") == numbers{0, 0, 0, 1});
  CHECK(truths("Greater", "two x") == numbers{1, 1, 0, 0});
  CHECK(truths("GreaterOrEqual", "x two") == numbers{0, 0, 1, 1});
  CHECK(truths("Less", "x two") == numbers{1, 1, 0, 0});
  CHECK(truths("LessOrEqual", "two x") == numbers{0, 0, 1, 1});
  CHECK(truths("Equal", "each x") == numbers{0, 1, 0, 1});
  CHECK(truths("Less", "each x") == numbers{0, 0, 1, 0});
  CHECK(truths("Greater", "x m") == numbers{0, 1, 1, 1});
  CHECK(truths("LessOrEqual", "x m") == numbers{1, 0, 0, 0});
}

TEST_CASE("a comparison of tensors of different shapes repeats them") {
  const auto y = counted(x_to_y({1, 2, 2, 2}, node("ReduceMax", "x", "m", ints("axes", {2, 3})) +
                                                  node("Equal", "x m", "t") +
                                                  node("Cast", "t", "y", to_real)));
  CHECK(y == numbers{0, 0, 0, 1, 0, 0, 0, 1});
}

TEST_CASE("truths are joined and turned") {
  const auto both = [](const std::string& last) {
    return counted(x_to_y({1, 4}, floats("one", {}, {1}) + floats("two", {}, {2}) +
                                      node("GreaterOrEqual", "x one", "a") +
                                      node("LessOrEqual", "x two", "b") + last +
                                      node("Cast", "t", "y", to_real)));
  };
  CHECK(both(node("And", "a b", "t")) == numbers{0, 1, 1, 0});
  CHECK(both(node("Or", "a b", "t")) == numbers{1, 1, 1, 1});
  CHECK(both(node("Not", "a", "t")) == numbers{1, 0, 0, 0});
}

TEST_CASE("elements are chosen by a computed condition") {
  const auto chosen = [](const std::string& in) {
    return counted(x_to_y({1, 4}, floats("two", {}, {2}) + floats("seven", {}, {7}) +
                                      floats("each", {1, 4}, {5, 6, 7, 8}) +
                                      node("Neg", "x", "m") + node("Less", "x two", "c") +
                                      node("Where", in, "y")));
  };
  CHECK(chosen("c x seven") == numbers{0, 1, 7, 7});
  CHECK(chosen("c seven x") == numbers{7, 7, 2, 3});
  CHECK(chosen("c x m") == numbers{0, 1, -2, -3});
  CHECK(chosen("c m each") == numbers{0, -1, 7, 8});
  CHECK(chosen("c two seven") == numbers{2, 2, 7, 7});
}

TEST_CASE("maxima of their neighbourhoods are found as CenterNet finds them") {
  const auto peaks = ints("kernel_shape", {3, 3}) + ints("pads", {1, 1, 1, 1});
  for (const auto* compared : {"p x", "x p"}) {
    const auto g = read(x_to_y({1, 1, 3, 3}, node("MaxPool", "x", "p", peaks) +
                                                 node("Equal", compared, "e") +
                                                 node("Cast", "e", "f", to_real) +
                                                 node("Mul", "x f", "y")));
    CHECK(g.size() == 3);  // one layer finds them
    CHECK(run(g, onnx_model::count) == numbers{0, 0, 0, 0, 0, 0, 0, 0, 8});
  }
}

TEST_CASE("what a condition hides from a softmax is a hundred below 0, not infinity") {
  const auto hidden = [](float value) {
    const auto g = read(x_to_y({1, 4}, floats("two", {}, {2}) + floats("k", {}, {value}) +
                                           node("Less", "x two", "c") +
                                           node("Where", "c k x", "w") +
                                           node("Softmax", "w", "y")));
    for (net::graph::id n = 0; n < g.size(); ++n)
      if (const auto* h = std::get_if<net::on_host>(&g[n].op))
        for (const auto& p : h->call.parameters)
          if (p.name == "number" && h->call.layer == "where") return p.values.at(0);
    return 0.0;
  };
  CHECK(hidden(-1e9F) == -100);
  CHECK(hidden(-std::numeric_limits<float>::infinity()) == -100);
  CHECK(hidden(-5) == -5);
}
