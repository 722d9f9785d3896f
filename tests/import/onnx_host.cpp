// SPDX-License-Identifier: Apache-2.0
// ONNX's operators that no engine of NVDLA computes.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "onnx_model.hpp"

using namespace onnx_model;

namespace {

net::float_tensor computed(const std::string& body, int opset = 18) {
  const auto g = onnx_model::read(x_to_y(cube233, body, opset));
  CHECK(net::verify(g).empty());
  std::vector<float> values;  // in the order of the file
  for (std::size_t i = 0; i < 18; ++i) values.push_back(static_cast<float>(i + 1));
  const auto& x = g[net::input_nodes(g).at(0)];
  const auto cube = x.in_file.at(0).to_cube(std::span<const float>(values));
  return net::evaluate(g, net::float_tensor{x.shape, cube}).at(0);
}

}  // namespace

TEST_CASE("softmax along lines and columns") {
  const auto columns = computed(node("Softmax", "x", "y"));
  CHECK(columns.shape == net::shape{2, 3, 3});
  CHECK(columns.values[5] == doctest::Approx(1 / (1 + std::exp(-1.0) + std::exp(-2.0))));
  const auto lines = computed(node("Softmax", "x", "y", integer("axis", 2)));
  CHECK(lines.values[8] == doctest::Approx(1 / (1 + std::exp(-3.0) + std::exp(-6.0))));
  // Before version 13 all axes from one on are one.
  double sum = 0;
  const auto planes = computed(node("Softmax", "x", "y", integer("axis", 2)), 11);
  for (std::size_t i = 0; i < 9; ++i) sum += double{planes.values[i]};
  CHECK(sum == doctest::Approx(1));
}

TEST_CASE("axes of tensors that are no cube by themselves") {
  // 24 numbers as [2, 3, 2, 2], or with an axis more.
  const auto windows = [](const std::string& type, const std::string& in,
                          const std::string& attributes, std::size_t outputs = 24,
                          std::vector<std::int64_t> shape = {2, 3, 2, 2}) {
    const auto g = onnx_model::read(
        x_to_y({1, 24}, integers("w", shape) + integers("flat", {1, -1}) +
                            integers("k", {1}) + floats("g", {3}, {1, 2, 3}) +
                            floats("b", {3}, {0, 1, 2}) + floats("ones", {2, 2}, {1, 1, 1, 1}) +
                            node("Reshape", "x w", "v") +
                            node(type, in, "u", attributes) + node("Reshape", "u flat", "y"), 18));
    const auto y = onnx_model::run(g, onnx_model::count);
    REQUIRE(y.size() == outputs);
    return y;
  };
  const float two = 1 / (1 + std::exp(-2.0F)), one = 1 / (1 + std::exp(-1.0F));
  CHECK(windows("Softmax", "v", "")[13] == doctest::Approx(one));
  CHECK(windows("Softmax", "v", integer("axis", 2))[14] == doctest::Approx(two));
  const double three = 1 + std::exp(-4.0) + std::exp(-8.0);
  CHECK(windows("Softmax", "v", integer("axis", 1))[20] == doctest::Approx(1 / three));
  CHECK(windows("Softmax", "v", "", 24, {1, 2, 3, 2, 2})[13] == doctest::Approx(one));
  CHECK(windows("Softmax", "v", integer("axis", 2), 24, {2, 2, 2, 3, 1})[23] ==
        doctest::Approx(1 / (1 + std::exp(-3.0))));
  CHECK(windows("LogSoftmax", "v", "")[13] == doctest::Approx(std::log(one)));
  CHECK(windows("Hardmax", "v", integer("axis", 1))[20] == 1);
  CHECK(windows("ArgMax", "v", integer("axis", 1), 8) == numbers(8, 2));
  CHECK(windows("TopK", "v k", integer("axis", 2), 12)[11] == 23);
  CHECK(windows("LpNormalization", "v", integer("p", 1))[13] == doctest::Approx(13.0 / 25));
  // Planes 12 .. 15, 16 .. 19 and 20 .. 23 of the second window.
  const float step = 0.5F / std::sqrt(1.25F);
  CHECK(windows("InstanceNormalization", "v g b", number("epsilon", 0))[22] ==
        doctest::Approx(3 * step + 2));
  CHECK(windows("GroupNormalization", "v g b", number("epsilon", 0) + integer("num_groups", 3))
            [22] == doctest::Approx(3 * step + 2));
  CHECK(windows("MeanVarianceNormalization", "v", ints("axes", {2, 3}))[22] ==
        doctest::Approx(step));
  CHECK(windows("LayerNormalization", "v ones", integer("axis", 2) + number("epsilon", 0))[22] ==
        doctest::Approx(step));
  CHECK(mentions(refused(x_to_y({1, 32}, integers("w", {2, 2, 2, 2, 2}) +
                                             node("Reshape", "x w", "v") +
                                             node("MeanVarianceNormalization", "v", "y",
                                                  ints("axes", {1, 3})))),
                 "it works along the axes [1, 3] of [2, 2, 2, 2, 2]"));
}

TEST_CASE("the place of a maximum") {
  const auto channels = computed(node("ArgMax", "x", "y", integer("axis", 1)));
  CHECK(channels.shape == net::shape{1, 3, 3});
  CHECK(channels.values == std::vector(9, 1.0F));
  const auto flat =
      computed(node("ArgMax", "x", "y", integer("axis", 3) + integer("keepdims", 0)));
  CHECK(flat.values == std::vector(6, 2.0F));
  const auto least = computed(node("ArgMin", "x", "y", integer("axis", 3)));
  CHECK(least.values == std::vector(6, 0.0F));
  const auto turned = computed(node("Neg", "x", "n") +
                               node("ArgMin", "n", "y", integer("axis", 1)));
  CHECK(turned.values == std::vector(9, 1.0F));
  const auto zeros = [](std::int64_t last) {
    return computed(node("Mul", "x zero", "z") +
                    node("ArgMax", "z", "y", integer("axis", 2) +
                                                 integer("select_last_index", last)) +
                    floats("zero", {}, {0}));
  };
  CHECK(zeros(0).values == std::vector(6, 0.0F));
  CHECK(zeros(1).values == std::vector(6, 2.0F));
}

TEST_CASE("normalisations") {
  const auto l1 = computed(node("LpNormalization", "x", "y", integer("p", 1) + integer("axis", 1)));
  CHECK(l1.values[0] == doctest::Approx(1.0 / 11));
  const auto l2 = computed(node("LpNormalization", "x", "y"));
  CHECK(l2.values[0] == doctest::Approx(1 / std::sqrt(14.0)));

  const std::string affine = floats("g", {2}, {2, 3}) + floats("b", {2}, {0, 1});
  const auto instance =
      computed(affine + node("InstanceNormalization", "x g b", "y", number("epsilon", 1)));
  const double deviation = std::sqrt(60.0 / 9 + 1);
  CHECK(instance.values[0] == doctest::Approx(2 * -4 / deviation));
  CHECK(instance.values[9] == doctest::Approx(3 * -4 / deviation + 1));

  // One group over both channels: 1 to 18, whose mean is 9.5 and whose variance (18^2 - 1) / 12.
  const auto groups = [](const std::string& sizes, int opset, std::int64_t n) {
    return computed(sizes + node("GroupNormalization", "x g b", "y",
                                 integer("num_groups", n) + number("epsilon", 0)), opset);
  };
  const std::string one = floats("g", {1}, {2}) + floats("b", {1}, {1});
  CHECK(groups(one, 18, 1).values[17] == doctest::Approx(2 * 8.5 / std::sqrt(323.0 / 12) + 1));
  CHECK(groups(affine, 21, 1).values[17] == doctest::Approx(3 * 8.5 / std::sqrt(323.0 / 12) + 1));
  CHECK(groups(affine, 18, 2).values[9] == doctest::Approx(3 * -4 / std::sqrt(60.0 / 9) + 1));
  const auto refused_groups = [&](int opset, std::int64_t n) {
    return refused(x_to_y(cube233, affine + node("GroupNormalization", "x g b", "y",
                                                 integer("num_groups", n)), opset));
  };
  CHECK(mentions(refused_groups(21, 3), "3 groups do not divide 2 channels"));
  CHECK(mentions(refused_groups(21, 0), "0 groups do not divide"));
  CHECK(mentions(refused_groups(18, 1), "2 scales instead of 1"));
  CHECK(mentions(refused_groups(17, 2), "GroupNormalization"));
  CHECK(mentions(refused_groups(17, 2), "it is understood from opset 18 on"));

  // 4, 5, 6 over the root of the mean of their squares.
  const auto roots = computed(floats("g", {3}, {1, 2, 3}) +
                                  node("RMSNormalization", "x g", "y", number("epsilon", 1)), 23);
  CHECK(roots.values[4] == doctest::Approx(2 * 5 / std::sqrt(77.0 / 3 + 1)));

  const auto lines = computed(floats("g", {3}, {1, 2, 3}) + floats("b", {3}, {4, 5, 6}) +
                              node("LayerNormalization", "x g b", "y", number("epsilon", 0)));
  CHECK(lines.values[3] == doctest::Approx(-1 / std::sqrt(2.0 / 3) + 4));
  CHECK(lines.values[5] == doctest::Approx(3 / std::sqrt(2.0 / 3) + 6));
  const auto planes =
      computed(floats("g", {3, 3}, {1, 1, 1, 1, 1, 1, 1, 1, 2}) +
               node("LayerNormalization", "x g", "y", integer("axis", 2) + number("epsilon", 0)));
  CHECK(planes.values[8] == doctest::Approx(2 * 4 / std::sqrt(60.0 / 9)));

  const auto mvn = computed(node("MeanVarianceNormalization", "x", "y"));
  CHECK(mvn.values[17] == doctest::Approx(4 / std::sqrt(60.0 / 9)));
}

TEST_CASE("LayerNormalization gives its mean and the inverse of its deviation as well") {
  const auto with = [](const std::string& outputs, const std::string& a) {
    return computed(floats("g", {3}, {1, 1, 1}) +
                    node("LayerNormalization", "x g", outputs, number("epsilon", 0.5F) + a));
  };
  CHECK(with("n y", "").values[1] == doctest::Approx(5));
  CHECK(with("n m y", "").values[1] == doctest::Approx(1 / std::sqrt(2.0 / 3 + 0.5)));
}

TEST_CASE("the logarithm of a softmax is that of what the softmax reads") {
  const auto g = read(x_to_y({1, 3}, node("Softmax", "x", "s", integer("axis", 1)) +
                                         node("Log", "s", "y")));
  const auto y = net::evaluate(g, net::float_tensor{{3, 1, 1}, {0, -200, -1000}}).at(0).values;
  CHECK(y[0] == doctest::Approx(0));
  CHECK(y[1] == doctest::Approx(-200));
  CHECK(y[2] == doctest::Approx(-1000));
}

TEST_CASE("choices along axes") {
  const auto hard = [](const std::string& a, int opset = 18) {
    return computed(node("Hardmax", "x", "y", a), opset).values;
  };
  CHECK(hard("")[2] == 1);
  CHECK(hard("")[1] == 0);
  CHECK(hard(integer("axis", 1))[9] == 1);
  CHECK(hard(integer("axis", 2), 11)[2] == 0);  // of the whole plane
  CHECK(hard(integer("axis", 2), 11)[8] == 1);
  const auto logarithms = [](const std::string& a) {
    return computed(node("LogSoftmax", "x", "y", a)).values;
  };
  CHECK(logarithms("")[2] == doctest::Approx(-std::log(1 + std::exp(-1.0) + std::exp(-2.0))));
  CHECK(logarithms(integer("axis", 1))[0] == doctest::Approx(-9 - std::log1p(std::exp(-9.0))));
  // The rows of a matrix whose result has other rows are no pictures.
  const auto g = read(x_to_y({2, 2}, node("Hardmax", "x", "y", integer("axis", 0))));
  CHECK(net::evaluate(g, net::float_tensor{{2, 2, 1}, {1, 4, 2, 3}}).at(0).values ==
        std::vector<float>{0, 1, 1, 0});
}

TEST_CASE("a softmax over tokens is computed where a layer's channels stand") {
  std::vector<float> same(16, 0.0F);
  for (std::size_t i = 0; i < 4; ++i) same[5 * i] = 1;
  const auto tokens = floats("m", {4, 4}, same) + node("MatMul", "x m", "t");
  for (const std::string type : {"Softmax", "LogSoftmax"}) {
    const auto g = onnx_model::read(
        x_to_y({1, 6, 4}, tokens + node(type, "t", "s", integer("axis", 1)) +
                              node("MatMul", "s m", "y"), 13));
    for (net::graph::id n = 0; n < g.size(); ++n)
      CHECK(!std::holds_alternative<net::move>(g[n].op));
    const auto y = onnx_model::run(g, onnx_model::count);
    const double share = 1 - std::exp(-4.0);  // of the last token, but for e^-24
    for (std::size_t c = 20; c < 24; ++c)
      CHECK(y[c] == doctest::Approx(type == "Softmax" ? share : std::log(share)).epsilon(1e-4));
  }
}

TEST_CASE("of several maxima along channels in another order the file's first one counts") {
  const auto same = floats("m", {3, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 0}) + node("MatMul", "x m", "t");
  const auto back = integers("from", {2}) + integers("to", {-4}) + integers("axis", {2}) +
                    integers("by", {-1}) + node("Slice", "t from to axis by", "r");
  const auto y = onnx_model::run(
      onnx_model::read(x_to_y({1, 2, 3}, same + back + node("Hardmax", "r", "y"), 13)),
      onnx_model::count);
  CHECK(y == numbers{1, 0, 0, 1, 0, 0});
}
