// SPDX-License-Identifier: Apache-2.0
// Reshapes and transpositions of inputs, which whoever packs the input does.
#include "onnx_model.hpp"

using namespace onnx_model;

namespace {

const net::graph::node& input_of(const net::graph& g) { return g[net::input_nodes(g).at(0)]; }

std::size_t movements(const net::graph& g) {
  std::size_t n = 0;
  for (net::graph::id i = 0; i < g.size(); ++i)
    n += std::holds_alternative<net::move>(g[i].op) || std::holds_alternative<net::reshape>(g[i].op)
             ? 1
             : 0;
  return n;
}

const auto filter = floats("w", {1, 1, 2, 2}, {1, 2, 3, 4});
const auto to_picture = integers("s", {1, 1, 3, 4}) + node("Reshape", "x s", "r");

}  // namespace

TEST_CASE("a flat input that is read as a picture is that picture") {
  const auto g = read(x_to_y({1, 12}, to_picture + filter + node("Conv", "r w", "y")));
  CHECK(input_of(g).shape == net::shape{1, 3, 4});
  CHECK(input_of(g).in_file.at(0).shape == std::vector<std::int32_t>{1, 12});
  CHECK(input_of(g).in_file[0].walk.empty());
  CHECK(movements(g) == 0);
  CHECK(run(g, onnx_model::count) == numbers{34, 44, 54, 74, 84, 94});
}

TEST_CASE("tokens times a matrix are a convolution of their transposed input") {
  const auto w = floats("w", {3, 2}, {1, 2, 3, 4, 5, 6});
  const auto g = read(x_to_y({1, 2, 3}, w + node("MatMul", "x w", "y")));
  CHECK(input_of(g).shape == net::shape{3, 2, 1});
  CHECK(input_of(g).in_file.at(0).shape == std::vector<std::int32_t>{1, 2, 3});
  CHECK(input_of(g).in_file[0].walk == std::vector<net::steps>{{2, 1}, {3, 2}});
  CHECK(movements(g) == 0);
  CHECK(run(g, onnx_model::count) == numbers{13, 16, 40, 52});
}

TEST_CASE("chains of movements, also behind an identity and of several readers, are packed") {
  const auto turned = node("Transpose", "x", "t", ints("perm", {2, 0, 1})) +
                      node("Identity", "t", "i") + integers("s", {1, 3, 2, 2}) +
                      node("Reshape", "i s", "r");
  const auto w = floats("w", {1, 3, 1, 1}, {1, 10, 100});
  const auto body = turned + w + node("Conv", "r w", "a") + node("Relu", "r", "b") +
                    floats("v", {1, 3, 1, 1}, {2, 3, 4}) + node("Conv", "b v", "c") +
                    node("Add", "a c", "y");
  const auto g = read(x_to_y({2, 2, 3}, body));
  CHECK(movements(g) == 0);
  CHECK(input_of(g).shape == net::shape{3, 2, 2});
  // Pixels (0, 1, 2), (3, 4, 5), .. times (3, 13, 104).
  CHECK(run(g, onnx_model::count) == numbers{221, 581, 941, 1301});
}

TEST_CASE("inputs stay that readers see in different orders, and those of layers of any shape") {
  const auto w = floats("w", {1, 1, 1, 1}, {2});
  const auto two = to_picture + w + node("Conv", "r w", "a") + integers("q", {1, 1, 4, 3}) +
                   node("Reshape", "x q", "p") + node("Conv", "p w", "b") +
                   node("Reshape", "b s", "c") + node("Add", "a c", "y");
  CHECK(input_of(read(x_to_y({1, 12}, two))).shape == net::shape{12, 1, 1});
  const auto dense = integers("s", {1, 4}) + node("Reshape", "x s", "r") +
                     floats("w", {4, 1}, {1, 2, 3, 4}) + node("MatMul", "r w", "y");
  CHECK(input_of(read(x_to_y({1, 1, 2, 2}, dense))).shape == net::shape{1, 2, 2});
}

TEST_CASE("the input of an output that moves it stays") {
  const auto model = x_to_y({1, 2, 3}, node("Transpose", "x", "y", ints("perm", {0, 2, 1})));
  CHECK(counted(model) == numbers{0, 3, 1, 4, 2, 5});
}
