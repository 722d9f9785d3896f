// SPDX-License-Identifier: Apache-2.0
// Tensors whose elements stay where they are in their cube: tokens as its places, and reductions
// over its channels.
#include <variant>

#include "onnx_model.hpp"

using namespace onnx_model;

namespace {

template <class Op>
std::size_t number_of(const net::graph& g) {
  std::size_t n = 0;
  for (net::graph::id i = 0; i < g.size(); ++i) n += std::holds_alternative<Op>(g[i].op) ? 1 : 0;
  return n;
}

// Pixels of a map [1, 2, 2, 2] as tokens [1, 4, 2].
const auto tokens = floats("f", {2, 2, 1, 1}, {1, 0, 0, 1}) + node("Conv", "x f", "m") +
                    integers("s", {1, 2, 4}) + node("Reshape", "m s", "r") +
                    node("Transpose", "r", "t", ints("perm", {0, 2, 1}));
const auto w = floats("w", {2, 2}, {1, 2, 3, 4});

}  // namespace

TEST_CASE("tokens of a map, a matrix, a sum and a function stay the map") {
  const auto body = tokens + w + node("MatMul", "t w", "p") + node("Relu", "p", "q") +
                    node("Add", "q t", "y");
  const auto g = read(x_to_y({1, 2, 2, 2}, body));
  CHECK(number_of<net::move>(g) + number_of<net::reshape>(g) == 0);
  CHECK(g[g.outputs().at(0)].shape == net::shape{2, 2, 2});
  CHECK(run(g, onnx_model::count) == numbers{12, 20, 17, 27, 22, 34, 27, 41});
}

TEST_CASE("a table of one vector for each token stays beside them") {
  const auto body = tokens + floats("e", {1, 4, 2}, {0, 1, 2, 3, 4, 5, 6, 7}) +
                    node("Add", "t e", "a") + w + node("MatMul", "a w", "y");
  const auto g = read(x_to_y({1, 2, 2, 2}, body));
  CHECK(number_of<net::move>(g) == 0);
  CHECK(run(g, onnx_model::count) == numbers{15, 20, 27, 38, 39, 56, 51, 74});
}

TEST_CASE("a class token stands before the others in one cube") {
  const auto body = floats("k", {1, 1, 2}, {7, 9}) + tokens + node("Concat", "k t", "a",
                                                                   integer("axis", 1)) +
                    w + node("MatMul", "a w", "y");
  const auto g = read(x_to_y({1, 2, 2, 2}, body));
  CHECK(number_of<net::move>(g) == 1);
  CHECK(run(g, onnx_model::count) == numbers{34, 50, 12, 16, 16, 22, 20, 28, 24, 34});
}

TEST_CASE("normalisations over the features of tokens are over channels") {
  const auto normal = tokens + floats("g", {2}, {2, 3}) + floats("b", {2}, {0, 1}) +
                      node("LayerNormalization", "t g b", "n") + w + node("MatMul", "n w", "y");
  const auto g = read(x_to_y({1, 2, 2, 2}, normal, 17));
  CHECK(number_of<net::move>(g) == 0);
  check_close(run(g, onnx_model::count), {10, 12, 10, 12, 10, 12, 10, 12});
  const auto soft = read(x_to_y({1, 2, 2, 2}, tokens + node("Softmax", "t", "y"), 13));
  CHECK(number_of<net::move>(soft) == 0);
  const auto y = run(soft, onnx_model::count);
  for (std::size_t i = 0; i < y.size(); ++i)
    CHECK(y[i] == doctest::Approx(i % 2 == 0 ? 0.0179862 : 0.9820138));
}

TEST_CASE("what the host computes along the features of tokens is over channels") {
  const auto of = [](const std::string& steps, int opset) {
    const auto g = read(x_to_y({1, 2, 2, 2}, tokens + steps, opset));
    CHECK(number_of<net::move>(g) == 0);
    return run(g, onnx_model::count);
  };
  check_close(of(node("LogSoftmax", "t", "y"), 13),
              {-4.01815F, -0.01815F, -4.01815F, -0.01815F, -4.01815F, -0.01815F, -4.01815F,
               -0.01815F});
  CHECK(of(node("Hardmax", "t", "y"), 13) == numbers{0, 1, 0, 1, 0, 1, 0, 1});
  const numbers unit{0, 1, 0.19611614F, 0.98058068F, 0.31622777F, 0.94868330F, 0.39391930F,
                     0.91914503F};
  check_close(of(node("LpNormalization", "t", "y"), 13), unit);
  numbers root_mean = unit;
  for (float& v : root_mean) v *= 1.41421356F;
  check_close(of(floats("g", {2}, {1, 1}) + node("RMSNormalization", "t g", "y",
                                                 number("epsilon", 0)), 23), root_mean);
}

TEST_CASE("reductions over channels give a cube of one channel") {
  const auto over = [](const std::string& type, const std::string& more = {}) {
    return node(type, "x", "y", ints("axes", {1}) + more);
  };
  const std::vector<std::int64_t> shape{1, 3, 2, 2};
  const auto of = [&](const std::string& type, const std::string& more = {}) {
    const auto g = read(x_to_y(shape, over(type, more), 11));
    CHECK(number_of<net::reshape>(g) == 0);
    CHECK(g[g.outputs().at(0)].shape == net::shape{1, 2, 2});
    return run(g, onnx_model::count);
  };
  CHECK(of("ReduceSum") == numbers{12, 15, 18, 21});
  CHECK(of("ReduceSum", integer("keepdims", 0)) == numbers{12, 15, 18, 21});
  CHECK(of("ReduceL1") == numbers{12, 15, 18, 21});
  CHECK(of("ReduceSumSquare") == numbers{80, 107, 140, 179});
  const auto mean = of("ReduceMean");
  check_close(mean, {4, 5, 6, 7});
}

TEST_CASE("extrema over channels of lines that become channels") {
  for (const std::int64_t channels : {2, 3, 7, 16, 17, 40, 70})
    for (const std::int64_t height : {1, 2, 4, 6, 8}) {
      CAPTURE(channels);
      CAPTURE(height);
      const auto model = [&](const char* type) {
        return x_to_y({1, channels, height, 3}, node(type, "x", "y", ints("axes", {1})), 11);
      };
      numbers first, last;
      for (std::int64_t i = 0; i < 3 * height; ++i) {
        first.push_back(static_cast<float>(i));
        last.push_back(static_cast<float>((channels - 1) * 3 * height + i));
      }
      CHECK(run(read(model("ReduceMax")), onnx_model::count) == last);
      CHECK(run(read(model("ReduceMin")), onnx_model::count) == first);
    }
}

TEST_CASE("reductions over lines or columns alone are windows") {
  for (const std::int64_t axis : {2, 3})
    for (const std::int64_t size : {3, 8, 20, 70})
      for (const char* type : {"ReduceMax", "ReduceMin", "ReduceSum", "ReduceMean"}) {
        CAPTURE(type);
        CAPTURE(size);
        const std::int64_t height = axis == 2 ? size : 2, width = axis == 3 ? size : 2;
        const auto g = read(x_to_y({1, 3, height, width},
                                   node(type, "x", "y", ints("axes", {axis})), 11));
        CHECK(number_of<net::move>(g) + number_of<net::reshape>(g) == 0);
        numbers expected;
        for (std::int64_t c = 0; c < 3; ++c)
          for (std::int64_t other = 0; other < 2; ++other) {
            const auto at = [&](std::int64_t i) {
              return static_cast<float>(axis == 2 ? (c * height + i) * width + other
                                                  : (c * height + other) * width + i);
            };
            const float low = at(0), high = at(size - 1), mean = (low + high) / 2;
            const std::string t = type;
            expected.push_back(t == "ReduceMax"   ? high
                               : t == "ReduceMin" ? low
                               : t == "ReduceSum" ? mean * static_cast<float>(size)
                                                  : mean);
          }
        check_close(run(g, onnx_model::count), expected);
      }
}

TEST_CASE("reductions of whole channels leave the map where it is") {
  struct expected {
    const char* type;
    numbers all, groups, turned;
  };
  const auto of = [](const std::string& movement, const std::string& x, const char* type,
                     const std::vector<std::int64_t>& axes) {
    const auto g = read(x_to_y({1, 4, 2, 3},
                               movement + node(type, x, "y", ints("axes", axes)), 11));
    for (const auto n : g.order())
      CHECK((g[n].shape.size() <= 4 || !(std::holds_alternative<net::move>(g[n].op) ||
                                         std::holds_alternative<net::reshape>(g[n].op))));
    return run(g, onnx_model::count);
  };
  const auto flat = node("Flatten", "x", "f");
  const auto groups = integers("s", {1, 2, -1}) + node("Reshape", "x s", "g");
  // Every other channel.
  const auto turned = integers("s", {1, 2, 2, 6}) + node("Reshape", "x s", "g") +
                      node("Transpose", "g", "t", ints("perm", {0, 2, 1, 3}));
  for (const auto& [type, all, of_groups, of_turned] : std::vector<expected>{
           {"ReduceMean", {11.5F}, {5.5F, 17.5F}, {8.5F, 14.5F}},
           {"ReduceSum", {276}, {66, 210}, {102, 174}},
           {"ReduceL1", {276}, {66, 210}, {102, 174}},
           {"ReduceSumSquare", {4324}, {506, 3818}, {1334, 2990}},
           {"ReduceMax", {23}, {11, 23}, {17, 23}},
           {"ReduceMin", {0}, {0, 12}, {0, 6}}}) {
    CAPTURE(type);
    check_close(of({}, "x", type, {1, 2, 3}), all);
    check_close(of(flat, "f", type, {1}), all);
    check_close(of(groups, "g", type, {2}), of_groups);
    check_close(of(turned, "t", type, {2, 3}), of_turned);
  }
  const auto tokens_of_map = integers("s", {1, 4, 6}) + node("Reshape", "x s", "r");
  const numbers means{2.5F, 8.5F, 14.5F, 20.5F};
  check_close(of(tokens_of_map, "r", "ReduceMean", {2}), means);
  check_close(of(tokens_of_map + node("Transpose", "r", "t", ints("perm", {0, 2, 1})), "t",
                 "ReduceMean", {1}), means);
}

TEST_CASE("a mean of means over lines and columns is one") {
  for (const std::int64_t first : {2, 3}) {
    const auto g = read(x_to_y({1, 2, 3, 4},
                               node("ReduceMean", "x", "m", ints("axes", {first})) +
                                   node("ReduceMean", "m", "y", ints("axes", {5 - first})), 11));
    CHECK(number_of<net::convolution>(g) == 0);
    CHECK(number_of<net::pool>(g) == 1);
    check_close(run(g, onnx_model::count), {5.5F, 17.5F});
  }
}

TEST_CASE("what a group's channels have in common is taken from the map where it is") {
  const auto body = integers("s", {1, 2, -1}) + node("Reshape", "x s", "g") +
                    node("ReduceMean", "g", "m", ints("axes", {2})) + node("Sub", "g m", "d") +
                    integers("r", {1, 4, 1, 3}) + node("Reshape", "d r", "y");
  const auto g = read(x_to_y({1, 4, 1, 3}, body, 11));
  CHECK(number_of<net::reshape>(g) == 0);
  check_close(run(g, onnx_model::count),
              {-2.5F, -1.5F, -0.5F, 0.5F, 1.5F, 2.5F, -2.5F, -1.5F, -0.5F, 0.5F, 1.5F, 2.5F});
}

TEST_CASE("a map of one channel times all channels") {
  const auto body = node("ReduceMax", "x", "m", ints("axes", {1})) + node("Mul", "x m", "y");
  CHECK(counted(x_to_y({1, 3, 1, 2}, body, 11)) == numbers{0, 5, 8, 15, 16, 25});
}
