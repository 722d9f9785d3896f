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

namespace {

// A product by a matrix of three features, of the output `n` of some steps.
std::string times_matrix(const std::string& steps) {
  return steps + floats("w", {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}) + node("MatMul", "n w", "y");
}
const auto off_mean = node("ReduceMean", "x", "m", ints("axes", {-1})) + node("Sub", "x m", "n");

}  // namespace

TEST_CASE("an input of tokens has features as channels, whatever stands before their matrix") {
  const auto of = [](const std::string& steps, int opset = 13) {
    const auto g = read(x_to_y({1, 2, 3}, times_matrix(steps), opset));
    CHECK(input_of(g).shape == net::shape{3, 2, 1});
    CHECK(input_of(g).in_file.at(0).shape == std::vector<std::int32_t>{1, 2, 3});
    CHECK(movements(g) == 0);
    return run(g, onnx_model::count);
  };
  CHECK(of(off_mean) == numbers{6, 6, 6, 6, 6, 6});
  CHECK(of(node("ReduceL1", "x", "m", ints("axes", {2})) + node("Sub", "x m", "n")) ==
        numbers{-18, -24, -30, -90, -114, -138});
  CHECK(of(node("Relu", "x", "r") + node("Mul", "x r", "n")) ==
        numbers{32, 37, 42, 248, 298, 348});
  CHECK(of(floats("k", {3}, {1, 0, 2}) + node("Mul", "x k", "n")) ==
        numbers{28, 32, 36, 73, 86, 99});
  check_close(of(floats("g", {3}, {1, 2, 1}) + floats("b", {3}, {0, 1, 0}) +
                     node("LayerNormalization", "x g b", "n", number("epsilon", 0)), 17),
              {11.348469F, 12.348469F, 13.348469F, 11.348469F, 12.348469F, 13.348469F});
}

TEST_CASE("tokens keep their features as channels in sums around what is computed of them") {
  const auto body = off_mean + floats("w", {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}) +
                    node("MatMul", "n w", "p") + node("Add", "x p", "y");
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{1, 2, 3}, {2, 3}}) {
    const auto g = read(x_to_y(shape, body));
    CHECK(movements(g) == 0);
    CHECK(run(g, onnx_model::count) == numbers{6, 7, 8, 9, 10, 11});
  }
}

TEST_CASE("two inputs of tokens have features as channels, together and apart") {
  const auto both = [](const std::string& body) {
    const auto g = read(model("input " + value_info("x", {1, 2, 3}) + "input " +
                              value_info("z", {1, 2, 3}) + "output " + value_info("y", {1}) +
                              times_matrix(body)));
    CHECK(movements(g) == 0);
    for (const auto i : net::input_nodes(g)) CHECK(g[i].shape == net::shape{3, 2, 1});
  };
  both(node("Add", "x z", "a") + node("ReduceMean", "a", "m", ints("axes", {2})) +
       node("Sub", "a m", "n"));
  both(node("ReduceMean", "x", "m", ints("axes", {2})) + node("Sub", "x m", "p") +
       node("ReduceL1", "z", "q", ints("axes", {2})) + node("Sub", "z q", "r") +
       node("Mul", "p r", "n"));
}

TEST_CASE("maps of features are places of tokens behind what is computed of these features") {
  const auto g = read(x_to_y({1, 2, 3, 2}, off_mean + floats("w", {2, 2}, {1, 2, 3, 4}) +
                                               node("MatMul", "n w", "y")));
  CHECK(input_of(g).shape == net::shape{2, 2, 3});
  CHECK(input_of(g).in_file.at(0).shape == std::vector<std::int32_t>{1, 2, 3, 2});
  CHECK(movements(g) == 0);
  CHECK(run(g, onnx_model::count) == numbers(12, 6.0F));  // features are 6 apart
}

TEST_CASE("an input keeps its order where another one turns no fewer elements") {
  const auto filter_of_places = floats("v", {2, 2, 1}, {1, 2, 3, 4}) + node("Conv", "x v", "c");
  const auto conv = read(x_to_y({1, 2, 3}, filter_of_places + node("Relu", "c", "y")));
  CHECK(input_of(conv).shape == net::shape{2, 3, 1});
  const auto w = floats("w", {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto both = read(x_to_y({1, 2, 3}, filter_of_places + off_mean + w +
                                               node("MatMul", "n w", "p") +
                                               node("Add", "p c", "y")));
  CHECK(input_of(both).shape == net::shape{2, 3, 1});
}

TEST_CASE("more features than a cube has channels are laid out over places, in the file's order") {
  const auto flat = [](std::int64_t features, const std::string& before = {}) {
    std::vector<float> w(static_cast<std::size_t>(2 * features), 0);
    w[2 * 8191] = 1;  // the first output is feature 8191 and 3 times the last
    w[static_cast<std::size_t>(2 * features - 2)] = 3;
    w[1] = 1;  // the second one is the first feature
    return read(x_to_y({1, features}, floats("w", {features, 2}, w) + before +
                                          node("MatMul", before.empty() ? "x w" : "r w", "y")));
  };
  const auto g = flat(10'000, node("Relu", "x", "r"));
  CHECK(input_of(g).shape == net::shape{5'000, 2, 1});
  CHECK(input_of(g).in_file.at(0).shape == std::vector<std::int32_t>{1, 10'000});
  CHECK(run(g, onnx_model::count) == numbers{8191 + 3 * 9999, 0});
  CHECK(input_of(flat(24'585)).shape == net::shape{4'917, 5, 1});  // 3 * 5 * 11 * 149
  // Inputs stay that fit, whose number has no factors, or that something else reads.
  CHECK(input_of(flat(8'192)).shape == net::shape{8'192, 1, 1});
  CHECK(input_of(flat(8'209)).shape == net::shape{8'209, 1, 1});
  CHECK(input_of(flat(10'000, "output " + value_info("r", {1, 10'000}) + node("Relu", "x", "r")))
            .shape == net::shape{10'000, 1, 1});
}
