// SPDX-License-Identifier: Apache-2.0
// Inputs whose dimensions become channels, lines and columns of others, with elements left out.
#include <nvdlac/import/turned_inputs.hpp>

#include <nvdlac/net/selection_cube.hpp>

#include "onnx_model.hpp"

using namespace onnx_model;

namespace {

const net::graph::node& input_of(const net::graph& g) { return g[net::input_nodes(g).at(0)]; }

std::uint64_t turned(const net::graph& g) {
  std::uint64_t n = 0;
  for (net::graph::id i = 0; i < g.size(); ++i)
    if (const auto* m = std::get_if<net::move>(&g[i].op))
      n += net::turned_elements({m->boxes.data(), m->boxes.size()});
  return n;
}
// Values of the file count from 0.
numbers counted(const net::graph& g) {
  const auto& in = input_of(g);
  const auto in_order = onnx_model::count(in.shape).values;
  const auto x = in.in_file.at(0).to_cube(std::span<const float>(in_order));
  return in_file::outputs(g, net::float_tensor{in.shape, x}).at(0).values;
}

const auto to_first = ints("perm", {0, 3, 1, 2});
// [1, 2, 5, 3] as a picture of 3x2x5, times weights of 1, 10 and 100.
const auto weighed = floats("w", {1, 3, 1, 1}, {1, 10, 100});

}  // namespace

TEST_CASE("colours the other way round are channels of the input the other way round") {
  const auto body = integers("i", {2, 1, 0}) + node("Gather", "x i", "z", integer("axis", 3)) +
                    node("Transpose", "z", "t", to_first) + weighed + node("Conv", "t w", "y");
  const auto g = read(x_to_y({1, 2, 5, 3}, body));
  CHECK(input_of(g).shape == net::shape{3, 2, 5});
  CHECK(input_of(g).in_file.at(0).walk == std::vector<net::steps>{{10, 1}, {3, 10}});
  CHECK(turned(g) == 0);
  const auto found = counted(g);
  for (int i = 0; i < 10; ++i)
    CHECK(found.at(static_cast<std::size_t>(i)) == 3 * i + 2 + 10 * (3 * i + 1) + 100 * 3 * i);
}

TEST_CASE("parts of an input in several orders, and all of it, are parts of one cube") {
  const auto part = [](const char* out, std::int64_t first) {
    const std::string name = out;
    return integers(name + "a", {first}) + integers(name + "b", {first + 3}) +
           integers(name + "c", {2}) +
           node("Slice", "x " + name + "a " + name + "b " + name + "c", name + "s") +
           node("Transpose", name + "s", name + "t", to_first) +
           node("Conv", name + "t w", name);
  };
  const auto all = node("Transpose", "x", "t", to_first) + node("Conv", "t w", "q") +
                   node("ReduceSum", "q ax", "r") + integers("ax", {2, 3});
  const auto body = weighed + part("m", 0) + part("n", 2) + node("Add", "m n", "o") + all +
                    node("Add", "o r", "y");
  const auto g = read(x_to_y({1, 2, 5, 3}, body));
  CHECK(input_of(g).shape == net::shape{3, 2, 5});
  CHECK(turned(g) == 0);
  const auto pixel = [](int y, int x) {
    const int first = (y * 5 + x) * 3;
    return first + 10 * (first + 1) + 100 * (first + 2);
  };
  int sum = 0;
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 5; ++x) sum += pixel(y, x);
  const auto found = counted(g);
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 3; ++x)
      CHECK(found.at(static_cast<std::size_t>(y * 3 + x)) == pixel(y, x) + pixel(y, x + 2) + sum);
}

TEST_CASE("a padding of the input is one of the cube, and pictures stay as they are") {
  const auto padded = integers("p", {0, 1, 0, 0, 0, 1, 0, 0}) + node("Pad", "x p", "z") +
                      node("Transpose", "z", "t", to_first) + weighed +
                      node("Concat", "t t", "v", integer("axis", 3)) + node("Conv", "v w", "y");
  const auto g = read(x_to_y({1, 2, 5, 3}, padded));
  CHECK(input_of(g).shape == net::shape{3, 2, 5});
  CHECK(turned(g) == 0);
  const auto found = counted(g);
  CHECK(found.size() == 40);
  CHECK(found.at(0) == 0);
  CHECK(found.at(10) == 10 + 200);
  const auto picture = integers("i", {2, 1, 0}) + node("Gather", "x i", "z", integer("axis", 1)) +
                       node("Transpose", "z", "t", ints("perm", {0, 2, 3, 1})) +
                       floats("w", {1, 2, 1, 1}, {1, 2}) + node("Conv", "t w", "y");
  CHECK(input_of(read(x_to_y({1, 3, 2, 5}, picture))).shape == net::shape{3, 2, 5});
}

TEST_CASE("what is computed for each colour before these are turned does not keep them from it") {
  const auto mean = floats("m", {3}, {5, 2, 3});
  const auto turned_round = integers("i", {2, 1, 0}) +
                            node("Gather", "u i", "z", integer("axis", 3)) +
                            node("Transpose", "z", "t", to_first) + weighed;
  const auto g = read(x_to_y({1, 2, 5, 3}, mean + node("Sub", "x m", "u") + turned_round +
                                               node("Conv", "t w", "y")));
  CHECK(input_of(g).shape == net::shape{3, 2, 5});
  CHECK(turned(g) == 0);
  const auto found = counted(g);
  for (int i = 0; i < 10; ++i)
    CHECK(found.at(static_cast<std::size_t>(i)) ==
          3 * i - 1 + 10 * (3 * i - 1) + 100 * (3 * i - 5));
}
