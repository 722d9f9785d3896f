// SPDX-License-Identifier: Apache-2.0
#include "onnx_model.hpp"

#include <cmath>

using namespace onnx_model;

namespace {

const std::string pick = floats("w", {1, 2, 1, 1}, {1, -1});

net::window window_of(const std::string& attributes, const std::vector<std::int64_t>& shape,
                      std::int64_t kernel) {
  const std::vector<float> ones(static_cast<std::size_t>(kernel * kernel), 1.0F);
  const auto g = read(x_to_y(
      shape, floats("w", {1, 1, kernel, kernel}, ones) + node("Conv", "x w", "y", attributes)));
  return std::get<net::convolution>(g[1].op).window;
}

}  // namespace

TEST_CASE("Conv: bias, groups, pads and auto_pad") {
  check_close(run(x_to_y(cube233, pick + node("Conv", "x w", "y"))),
              {1.1F, -1.3F, 1.5F, -1.7F, 1.9F, -2.1F, 2.3F, -2.5F, 2.7F});
  const auto grouped =
      read(x_to_y(cube233, floats("w", {2, 1, 1, 1}, {2, 3}) + floats("b", {2}, {1, -1}) +
                               node("Conv", "x w b", "y", integer("group", 2))));
  CHECK(run(grouped)[0] == doctest::Approx(1.2F));
  CHECK(run(grouped)[9] == doctest::Approx(-4.0F));
  CHECK(window_of(ints("pads", {1, 2, 3, 4}), {1, 1, 9, 9}, 3) == net::window{.kernel_h = 3,
                                                                              .kernel_w = 3,
                                                                              .pad_top = 1,
                                                                              .pad_left = 2,
                                                                              .pad_bottom = 3,
                                                                              .pad_right = 4});
  CHECK(window_of(word("auto_pad", "SAME_UPPER") + ints("strides", {2, 2}), {1, 1, 8, 9}, 3) ==
        net::window{.kernel_h = 3,
                    .kernel_w = 3,
                    .stride_h = 2,
                    .stride_w = 2,
                    .pad_left = 1,
                    .pad_bottom = 1,
                    .pad_right = 1});
  CHECK(window_of(word("auto_pad", "SAME_LOWER") + ints("dilations", {2, 1}), {1, 1, 8, 8}, 2) ==
        net::window{.kernel_h = 2,
                    .kernel_w = 2,
                    .pad_top = 1,
                    .pad_left = 1,
                    .pad_bottom = 1,
                    .dilation_h = 2});
  CHECK(window_of(word("auto_pad", "VALID"), {1, 1, 8, 8}, 3).pad_top == 0);

  const auto conv = [&](const std::string& a) {
    return refused(x_to_y(cube233, pick + node("Conv", "x w", "y", a)));
  };
  CHECK(mentions(conv(word("auto_pad", "SAME")), "auto_pad 'SAME' is not understood"));
  CHECK(mentions(conv(word("auto_pad", "SAME_UPPER") + ints("pads", {1, 1, 1, 1})),
                 "both auto_pad and pads"));
  CHECK(mentions(conv(ints("pads", {-1, 0, 0, 0})), "negative"));
  CHECK(mentions(conv(ints("strides", {0, 1})), "strides [0, 1]"));
  CHECK(mentions(conv(ints("strides", {1})), "strides [1] is not of 2 dimensions"));
  CHECK(mentions(conv(ints("kernel_shape", {3, 3})), "differs from the weights"));
  CHECK(mentions(conv(integer("group", 2)), "groups"));
  CHECK(mentions(conv(integer("groups", 2)),
                 "attribute 'groups' of Conv is not understood (understood are auto_pad"));
  CHECK(mentions(conv(number("group", 1)), "attribute 'group' is of type FLOAT instead of INT"));
  CHECK(mentions(refused(x_to_y({1, 18}, floats("w", {1, 18, 1}, std::vector<float>(18, 1)) +
                                             node("Conv", "x w", "y"))),
                 "its input has the shape [1, 18]"));
  CHECK(
      mentions(refused(x_to_y(cube233, node("Conv", "x x", "y"))), "its weights are not constant"));
}

TEST_CASE("Gemm and MatMul become fully connected, whatever moved their input") {
  const std::vector<std::int64_t> row = {1, 3};
  const std::string w = floats("w", {3, 2}, {1, 2, 3, 4, 5, 6});
  const std::string turned = floats("w", {2, 3}, {1, 3, 5, 2, 4, 6});
  const std::vector<float> expected = {0.1F - 0.6F + 1.5F, 0.2F - 0.8F + 1.8F};
  check_close(run(x_to_y(row, w + node("MatMul", "x w", "y"))), expected);
  check_close(run(x_to_y(row, w + node("Gemm", "x w", "y"))), expected);
  check_close(
      run(x_to_y(row, turned + floats("b", {1, 2}, {1, 2}) +
                          node("Gemm", "x w b", "y",
                               integer("transB", 1) + number("alpha", 2) + number("beta", 3)))),
      {2 * expected[0] + 3, 2 * expected[1] + 6});
  check_close(run(x_to_y(row, w + floats("b", {2}, {10, 20}) + node("MatMul", "x w", "m") +
                                  node("Add", "m b", "y"))),
              {expected[0] + 10, expected[1] + 20});
  check_close(run(x_to_y(row, w + floats("b", {}, {10}) + node("Gemm", "x w b", "y"))),
              {expected[0] + 10, expected[1] + 10});

  // Channels last before the flattening: element (y, x, c) comes from c * 9 + y * 3 + x.
  std::vector<float> ascending(18);
  float sum = 0;
  const auto x = ramp({2, 3, 3});
  for (std::size_t i = 0; i < 18; ++i) {
    ascending[i] = static_cast<float>(i);
    sum += ascending[i] * x.values[i % 2 * 9 + i / 2];
  }
  const auto nhwc =
      read(x_to_y(cube233, floats("w", {18, 1}, ascending) + integers("s", {1, -1}) +
                               node("Transpose", "x", "t", ints("perm", {0, 2, 3, 1})) +
                               node("Reshape", "t s", "f") + node("MatMul", "f w", "y")));
  CHECK(nhwc.size() == 2);
  CHECK(run(nhwc)[0] == doctest::Approx(sum));

  CHECK(mentions(refused(x_to_y({1, 4}, w + node("Gemm", "x w", "y"))), "do not fit"));
  CHECK(mentions(refused(x_to_y(row, w + floats("b", {3}, {1, 2, 3}) + node("Gemm", "x w b", "y"))),
                 "fit"));
}

TEST_CASE("means of dilated windows") {
  const auto mean = [](const std::string& a) {
    return counted(x_to_y({1, 1, 4, 4}, node("AveragePool", "x", "y",
                                             ints("kernel_shape", {2, 2}) +
                                                 ints("dilations", {2, 2}) + a), 19));
  };
  check_close(mean(""), {5, 6, 9, 10});
  const auto edge = ints("pads", {1, 1, 0, 0});
  CHECK(mean(edge).at(0) == 5);                                     // the one element in it
  CHECK(mean(edge + integer("count_include_pad", 1)).at(0) == 1.25F);
  check_close(mean(edge + ints("strides", {2, 2})), {5, 6, 9, 10});
}

TEST_CASE("a constant that is larger than the computed tensor repeats it") {
  const auto with = [](const std::string& type, const std::string& in) {
    return counted(x_to_y({1, 2, 1, 1}, floats("k", {1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}) +
                                            node(type, in, "y")));
  };
  CHECK(with("Mul", "x k") == numbers{0, 0, 0, 0, 5, 6, 7, 8});
  CHECK(with("Add", "k x") == numbers{1, 2, 3, 4, 6, 7, 8, 9});
  CHECK(with("Sub", "k x") == numbers{1, 2, 3, 4, 4, 5, 6, 7});
  CHECK(with("Max", "x k") == numbers{1, 2, 3, 4, 5, 6, 7, 8});
}

TEST_CASE("a concatenation leaves out what has no elements") {
  const auto nothing = floats("e", {1, 0, 2, 2}, {});
  const auto joined = [&](const std::string& in) {
    return counted(x_to_y({1, 1, 2, 2}, nothing + node("Neg", "x", "m") +
                                            node("Concat", in, "y", integer("axis", 1))));
  };
  CHECK(joined("x e") == numbers{0, 1, 2, 3});
  CHECK(joined("e x m e") == numbers{0, 1, 2, 3, 0, -1, -2, -3});
}

TEST_CASE("running sums") {
  const auto sums = [](std::int64_t axis, const std::string& a) {
    return counted(x_to_y({1, 2, 3}, integers("a", {axis}) + node("CumSum", "x a", "y", a), 14));
  };
  CHECK(sums(2, "") == numbers{0, 1, 3, 3, 7, 12});
  CHECK(sums(1, "") == numbers{0, 1, 2, 3, 5, 7});
  CHECK(sums(-2, integer("reverse", 1)) == numbers{3, 5, 7, 3, 4, 5});
  CHECK(sums(2, integer("exclusive", 1)) == numbers{0, 0, 1, 0, 3, 7});
}

TEST_CASE("inputs that nothing reads and outputs that are constant are left out with a note") {
  const auto body = "input " + value_info("info", {1, 3}) + "output " + value_info("k", {2}) +
                    floats("k", {2}, {1, -1}) + node("Relu", "x", "y");
  const auto n = import::onnx_network_from(x_to_y({1, 4}, body), "net.onnx");
  CHECK(net::input_nodes(n.graph).size() == 1);
  REQUIRE(n.notes.size() == 2);
  CHECK(to_string(n.notes[0]) ==
        "net.onnx: layer 'info': no output depends on this input: the program does not take it");
  CHECK(to_string(n.notes[1]) ==
        "net.onnx: layer 'k': this output is constant: the program does not give it");
}

TEST_CASE("torch.nn.LocalResponseNorm is one LRN") {
  const auto normal = [](std::int64_t size, const std::string& last) {
    const auto first = size / 2, behind = (size - 1) / 2;
    return read(x_to_y({1, 8, 2, 2}, integers("axis", {1}) +
                     integers("pads", {0, 0, first, 0, 0, 0, 0, behind, 0, 0}) +
                     floats("alpha", {}, {0.5F}) + floats("k", {}, {2}) +
                     floats("beta", {}, {0.75F}) + node("Mul", "x x", "q") +
                     node("Unsqueeze", "q axis", "u") + node("Pad", "u pads", "d") +
                     node("AveragePool", "d", "v", ints("kernel_shape", {size, 1, 1}) +
                                                       ints("strides", {1, 1, 1})) +
                     node("Squeeze", "v axis", "s") + node("Mul", "s alpha", "t") +
                     node("Add", "t k", "p") + node("Pow", "p beta", "z") + last));
  };
  const auto whole = normal(5, node("Div", "x z", "y"));
  const auto lrn = read(x_to_y({1, 8, 2, 2}, node("LRN", "x", "y", integer("size", 5) +
                                                  number("alpha", 0.5F) + number("bias", 2))));
  CHECK(whole.size() == 2);
  check_close(run(whole, onnx_model::count), run(lrn, onnx_model::count));
  // Another dividend, or an even number of channels, is computed as it stands.
  const auto other = normal(5, node("Neg", "x", "n") + node("Div", "n z", "y"));
  const auto negative = run(other, onnx_model::count), positive = run(lrn, onnx_model::count);
  for (std::size_t i = 0; i < negative.size(); ++i)
    CHECK(negative[i] == doctest::Approx(-positive[i]));
  CHECK(normal(4, node("Div", "x z", "y")).size() > 2);
}

TEST_CASE("pooling and reduction") {
  const auto pool = [](const std::string& type, const std::string& a) {
    return run(x_to_y(cube233, node(type, "x", "y", a)));
  };
  check_close(pool("MaxPool", ints("kernel_shape", {2, 2}) + ints("strides", {2, 2})),
              {0.5F, 1.3F});
  check_close(pool("MaxPool", ints("kernel_shape", {2, 2}) + ints("strides", {2, 2}) +
                                  integer("ceil_mode", 1)),
              {0.5F, 0.3F, 0.7F, 0.9F, 1.3F, 1.5F, 1.7F, -1.8F});
  const auto pads =
      ints("kernel_shape", {2, 2}) + ints("strides", {2, 2}) + ints("pads", {1, 1, 0, 0});
  CHECK(pool("AveragePool", pads)[0] == doctest::Approx(0.1F));
  CHECK(pool("AveragePool", pads + integer("count_include_pad", 1))[0] == doctest::Approx(0.025F));
  const std::vector<float> means = {0.5F / 9, -1.4F / 9};
  check_close(pool("GlobalAveragePool", ""), means);
  check_close(pool("GlobalMaxPool", ""), {0.9F, 1.7F});
  check_close(pool("ReduceMean", ints("axes", {2, 3})), means);
  check_close(pool("ReduceMean", ints("axes", {-1, -2}) + integer("keepdims", 0)), means);
  // Channels last: the means over axes 1 and 2 are the same.
  check_close(run(x_to_y(cube233, node("Transpose", "x", "t", ints("perm", {0, 2, 3, 1})) +
                                      node("ReduceMean", "t", "y", ints("axes", {1, 2})))), means);

  const auto bad = [](const std::string& type, const std::string& a) {
    return refused(x_to_y(cube233, node(type, "x", "y", a)));
  };
  CHECK(mentions(bad("AveragePool", ints("kernel_shape", {2, 2}) + ints("dilations", {3, 3})),
                 "larger than the padded input"));
  CHECK(mentions(bad("MaxPool", ints("kernel_shape", {2, 2}) + integer("storage_order", 1)),
                 "storage_order"));
  CHECK(mentions(bad("MaxPool", ""), "kernel_shape"));
  CHECK(mentions(bad("AveragePool", ints("kernel_shape", {2, 2}) + integer("p", 1)),
                 "'p' of AveragePool"));
}

TEST_CASE("movements that cancel out or become layers") {
  const auto nhwc = ints("perm", {0, 2, 3, 1}), nchw = ints("perm", {0, 3, 1, 2});
  // A model with channels last around a convolution: both transposes vanish.
  const auto last =
      read(x_to_y({1, 3, 3, 2}, pick + node("Transpose", "x", "t", nchw) +
                                    node("Conv", "t w", "c") + node("Transpose", "c", "y", nhwc)));
  CHECK(last.size() == 2);
  CHECK(last[0].shape == net::shape{2, 3, 3});
  const auto inside =
      read(x_to_y(cube233, node("Transpose", "x", "a", nhwc) + floats("k", {2}, {1, 2}) +
                               node("Mul", "a k", "b") + node("Relu", "b", "c") +
                               node("Transpose", "c", "y", nchw)));
  CHECK(inside.size() == 3);
  CHECK(std::get<net::scale>(inside[1].op).factor == std::vector<float>{1, 2});

  // Every second pixel and two more channels of zeros.
  const auto strided =
      read(x_to_y(cube233, integers("a", {0, 0}) + integers("e", {9, 9}) + integers("ax", {2, 3}) +
                               integers("st", {2, 2}) + integers("p", {0, 1, 0, 0, 0, 1, 0, 0}) +
                               node("Slice", "x a e ax st", "s") + node("Pad", "s p", "y")));
  check_close(run(strided),
              {0, 0, 0, 0, 0.1F, 0.3F, 0.7F, 0.9F, -1.0F, -1.2F, -1.6F, -1.8F, 0, 0, 0, 0});
  const auto halved =
      read(x_to_y(cube233, integers("a", {0, 0}) + integers("e", {9, 9}) + integers("ax", {2, 3}) +
                               integers("st", {2, 2}) + node("Slice", "x a e ax st", "y")));
  CHECK(std::holds_alternative<net::pool>(halved[1].op));
  check_close(run(halved), {0.1F, 0.3F, 0.7F, 0.9F, -1.0F, -1.2F, -1.6F, -1.8F});
  const auto cropped = run(x_to_y(
      cube233,
      node("Slice", "x", "y", ints("starts", {1, 1}) + ints("ends", {3, 3}) + ints("axes", {2, 3})),
      9));
  check_close(cropped, {0.5F, -0.6F, -0.8F, 0.9F, -1.4F, 1.5F, 1.7F, -1.8F});
  // A channel shuffle.
  const auto shuffled = run(x_to_y(
      {1, 4, 1, 1}, integers("s5", {1, 2, 2, 1, 1}) + integers("s4", {1, 4, 1, 1}) +
                        node("Reshape", "x s5", "a") +
                        node("Transpose", "a", "b", ints("perm", {0, 2, 1, 3, 4})) +
                        node("Reshape", "b s4", "c") + floats("w", {4, 1, 1, 1}, {1, 1, 1, 1}) +
                        node("Conv", "c w", "y", integer("group", 4))));
  check_close(shuffled, {0.1F, 0.3F, -0.2F, -0.4F});
  const auto split = read(
      x_to_y(cube233, node("Split", "x", "a b", integer("axis", 1)) + node("Sub", "a b", "y")));
  CHECK(run(split)[0] == doctest::Approx(1.1F));

  const auto padded = read(x_to_y(cube233,
                                  node("Pad", "x", "p", ints("pads", {0, 0, 1, 2, 0, 0, 3, 0})) +
                                      pick + node("Conv", "p w", "y"),
                                  9));
  CHECK(std::get<net::convolution>(padded[1].op).window ==
        net::window{.pad_top = 1, .pad_left = 2, .pad_bottom = 3});
  CHECK(mentions(
      refused(x_to_y(
          cube233,
          node("Pad", "x", "y", ints("pads", {0, 0, 1, 1, 0, 0, 1, 1}) + word("mode", "mirror")),
          9)),
      "mode 'mirror' is not understood"));
}

TEST_CASE("shape arithmetic and weights behind constants are computed") {
  const std::string shape =
      node("Shape", "x", "s") + integers("zero", {0}) + integers("rest", {-1}) +
      node("Gather", "s zero", "n", integer("axis", 0)) +
      node("Concat", "n rest", "t", integer("axis", 0)) + node("Reshape", "x t", "f");
  CHECK(read(x_to_y({-1, 2, 3, 3}, shape + node("Relu", "f", "y"))).size() == 2);

  // w = transpose(reshape(range(0, 6))) * 2 - 1, cast from integers
  const auto g = read(x_to_y(
      {1, 3},
      integers("two", {2, 3}) +
          "node { op_type: 'Constant' output: 'a' attribute { name: 'value_int' type: INT i: 0 } }"
          "node { op_type: 'Constant' output: 'b' attribute { name: 'value_int' type: INT i: 6 } }"
          "node { op_type: 'Constant' output: 'c' attribute { name: 'value_int' type: INT i: 1 } "
          "}" +
          node("Range", "a b c", "r") + node("Cast", "r", "rf", integer("to", 1)) +
          node("Reshape", "rf two", "m") + node("Transpose", "m", "mt") + floats("k2", {}, {2}) +
          floats("k1", {1}, {1}) + node("Mul", "mt k2", "m2") + node("Sub", "m2 k1", "w") +
          node("MatMul", "x w", "y")));
  CHECK(std::get<net::fully_connected>(g[1].op).weights == std::vector<float>{-1, 1, 3, 5, 7, 9});

  const auto filled = read(x_to_y(cube233, integers("ws", {1, 2, 1, 1}) +
                                               node("ConstantOfShape", "ws", "w",
                                                    "attribute { name: 'value' type: TENSOR t { "
                                                    "dims: 1 data_type: 1 float_data: 0.5 } } ") +
                                               node("Conv", "x w", "y")));
  CHECK(std::get<net::convolution>(filled[1].op).weights == std::vector<float>{0.5F, 0.5F});
  // Half precision, raw: 1.0 and -2.0
  const auto half = read(x_to_y(cube233,
                                "initializer { name: 'w' data_type: 10 dims: [1, 2, 1, 1] "
                                "raw_data: '\\000\\074\\000\\300' }" +
                                    node("Conv", "x w", "y")),
                         true);
  CHECK(std::get<net::convolution>(half[1].op).weights == std::vector<float>{1.0F, -2.0F});
  CHECK(mentions(
      refused(x_to_y(cube233, integers("ws", {1 << 20, 1 << 20}) +
                                  node("ConstantOfShape", "ws", "w") + node("Conv", "x w", "y"))),
      "elements"));
  CHECK(
      mentions(refused(x_to_y(cube233, integers("a", {1}) + integers("b", {0}) +
                                           node("Div", "a b", "d") + node("Reshape", "x d", "y"))),
               "divides integers by 0"));
}

TEST_CASE("whatever is computed of constants alone is a constant") {
  // One factor for each channel of x, which is all that remains.
  const auto factors = [](const std::string& body) {
    const auto g = read(x_to_y(cube233, body + integers("s", {1, -1, 1, 1}) +
                                            node("Reshape", "f s", "r") + node("Mul", "x r", "y")));
    REQUIRE(g.size() == 2);
    return std::get<net::scale>(g[1].op).factor;
  };
  const std::string w = floats("w", {2}, {-2, 3});
  const auto of = [&](const std::string& type, const std::string& attributes = {}) {
    return factors(w + node(type, "w", "f", attributes));
  };
  check_close(of("Relu"), {0, 3});
  check_close(of("Softmax"), {1 / (1 + std::exp(5.0F)), 1 / (1 + std::exp(-5.0F))});
  check_close(of("LogSoftmax"), {-std::log1p(std::exp(5.0F)), -std::log1p(std::exp(-5.0F))});
  check_close(of("HardSigmoid"), {0.1F, 1});
  check_close(of("HardSwish"), {-1.0F / 3, 3});
  check_close(of("LeakyRelu", number("alpha", 0.5F)), {-1, 3});
  check_close(of("LpNormalization"), {-2 / std::sqrt(13.0F), 3 / std::sqrt(13.0F)});
  check_close(factors(w + floats("one", {}, {-1}) + node("Clip", "w one", "f")), {-1, 3});
  check_close(factors(w + floats("p", {2}, {0.5F, 2}) + node("PRelu", "w p", "f")), {-1, 3});
  check_close(factors(floats("m", {2, 3}, {1, 2, 3, 4, 5, 6}) + floats("v", {3}, {1, 0, -1}) +
                      node("MatMul", "m v", "f")), {-2, -2});
  check_close(factors(floats("m", {2, 2}, {1, 2, 3, 4}) + w + node("MatMul", "w m", "f")), {7, 8});
  check_close(factors(floats("m", {2, 2}, {1, 2, 3, 4}) + w + integers("row", {1, 2}) +
                      node("Reshape", "w row", "a") + node("Gemm", "a m w", "f")), {5, 11});
  check_close(factors(floats("m", {1, 1, 2, 2}, {1, 2, 3, 4}) + integers("to", {1, 1, 1, 2}) +
                      node("Resize", "m - - to", "f", word("mode", "nearest"))), {1, 2});
  check_close(factors(floats("m", {3, 2, 2, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -12}) +
                      node("Relu", "m", "a") +
                      node("ReduceSum", "a axes", "f") + integers("axes", {0, 2})),
              {1 + 2 + 5 + 6 + 9 + 10, 3 + 4 + 7 + 8 + 11});
  // The sign of a remainder is the divisor's, or with fmod the dividend's.
  const auto rest = [&](const std::string& attributes) {
    return factors(integers("a", {-7, 7}) + integers("b", {3, -3}) +
                   node("Mod", "a b", "m", attributes) + node("Cast", "m", "f", integer("to", 1)));
  };
  check_close(rest(""), {2, -2});
  check_close(rest(integer("fmod", 0)), {2, -2});
  check_close(rest(integer("fmod", 1)), {-1, 1});
  check_close(factors(floats("a", {2}, {-7.5F, 7.5F}) + floats("b", {}, {2}) +
                      node("Mod", "a b", "f", integer("fmod", 1))), {-1.5F, 1.5F});
  // Places are integers again, which tell what is gathered.
  check_close(factors(floats("m", {3}, {1, 5, 2}) + node("ArgMax", "m", "at") +
                      floats("t", {2, 2}, {0, 0, 8, 9}) + node("Gather", "t at", "f")), {8, 9});
  // Weights of a layer, and what a budget leaves.
  CHECK(std::get<net::convolution>(
            read(x_to_y(cube233, floats("w", {1, 2, 1, 1}, {-1, 2}) + node("Relu", "w", "k") +
                                     node("Conv", "x k", "y")))[1].op).weights ==
        std::vector<float>{0, 2});
  budget few;
  few.operations = 1000;
  const auto m = "initializer { name: 'm' data_type: 1 dims: [20, 20] raw_data: '" +
                 [] {
                   std::string zeros;
                   for (int i = 0; i < 1600; ++i) zeros += "\\000";
                   return zeros;
                 }() + "' }";
  CHECK(mentions(complaints([&] {
                   (void)import::onnx_from(x_to_y({1, 20}, m + node("MatMul", "m m", "n") +
                                                               node("MatMul", "x n", "y")),
                                           "net.onnx", {}, {.limits = few});
                 }), "--limit operations="));
}

TEST_CASE("a single number is an input") {
  const auto g = read(x_to_y({}, node("Relu", "x", "r") +
                                     floats("w", {1, 2}, {3, -4}) + integers("row", {1, 1}) +
                                     node("Reshape", "r row", "u") + node("MatMul", "u w", "y")));
  CHECK(g[0].in_file.at(0).shape == std::vector<std::int32_t>{1});
  check_close(net::evaluate(g, net::float_tensor{{1, 1, 1}, {2}}).at(0).values, {6, -8});
}

TEST_CASE("all problems of a model come together") {
  const auto what = refused(
      x_to_y(cube233, node("Det", "x", "a") + node("Det", "a", "b") + node("STFT", "b", "c") +
                          floats("k", {7}, std::vector<float>(7, 1)) + node("Add", "x k", "d") +
                          node("Relu", "gone", "e") + node("Sum", "c d e", "y")));
  CHECK(mentions(what,
                 "layer 'Det_a': the operator Det is not supported (2 nodes) "
                 "(read the part before: --to Relu_e; supported are those of docs/formats.md)"));
  CHECK(mentions(what, "layer 'STFT_c': the operator STFT is not supported (1 node)"));
  CHECK(mentions(what, "layer 'Add_d': the shapes [1, 2, 3, 3] and [7] do not fit"));
  CHECK(mentions(what, "layer 'Relu_e': nothing produces its input 'gone'"));

  CHECK(mentions(refused(x_to_y(cube233, node("Add", "x b", "a") + node("Relu", "a", "b") +
                                             node("Relu", "b", "y"))),
                 "cycle"));
  CHECK(mentions(refused(x_to_y(cube233, node("Relu", "x", "y") + node("Relu", "x", "y"))),
                 "'y' is already produced"));
  CHECK(mentions(refused(x_to_y(cube233, node("Relu", "x", "z"))), "nothing produces this output"));
  CHECK(mentions(refused(x_to_y(cube233, floats("k", {2}, {1}) + node("Add", "x k", "y"))),
                 "1 value instead of 2"));
  CHECK(mentions(
      refused(x_to_y(cube233, "initializer { name: 'k' data_type: 1 dims: 2 raw_data: 'abc' }" +
                                  node("Add", "x k", "y"))),
      "3 bytes instead of 8"));
  CHECK(mentions(refused(x_to_y(cube233, "initializer { name: 'k' data_type: 77 dims: 2 }" +
                                             node("Add", "x k", "y"))),
                 "number 77"));
  CHECK(mentions(refused(x_to_y(cube233, floats("k", {4000000000, 4000000000}, {1}) +
                                             node("Add", "x k", "y"))),
                 "elements"));
  CHECK(mentions(refused(x_to_y({1, 4000000000, 4000000000, 2}, node("Relu", "x", "y"))),
                 "elements"));
  CHECK(
      mentions(refused(x_to_y(cube233, node("Relu", "x", "y", integer("a", 1) + integer("a", 2)))),
               "given twice"));
  CHECK(mentions(refused(x_to_y(cube233, node("Relu", "x", "y"), 28)),
                 "opset 28 (opsets 1 to 27 are supported)"));
  CHECK(mentions(refused(x_to_y(cube233, node("Relu", "x", "y") + "surprise: 1")),
                 "the field surprise of GraphProto is not understood"));
  CHECK(mentions(refused(x_to_y(cube233, node("DequantizeLinear", "x", "y"))), "it has 1 input"));
  CHECK(mentions(refused(x_to_y(cube233,
                                "initializer { name: 'k' data_type: 1 dims: 2 data_location: "
                                "EXTERNAL external_data { key: 'location' "
                                "value: '../secret' } }" +
                                    node("Add", "x k", "y"))),
                 "not below the model's directory"));
}

TEST_CASE("later opsets") {
  for (const int opset : {23, 24, 25, 26, 27})
    CHECK(run(x_to_y({1, 2}, node("Relu", "x", "y"), opset)) == numbers{0.1F, 0});
  CHECK(run(x_to_y({1, 2}, node("Swish", "x", "y", number("alpha", 2)), 24))[0] ==
        doctest::Approx(0.1 / (1 + std::exp(-0.2))));
  CHECK(mentions(refused(x_to_y({1, 2}, node("Swish", "x", "y"), 23)),
                 "it is Swish of opset 23 (it is understood from opset 24 on)"));
  for (const char* type : {"Attention", "RotaryEmbedding", "TensorScatter", "BitCast", "CumProd"})
    CHECK(mentions(refused(x_to_y({1, 2}, node(type, "x", "y"), 27)),
                   "the operator " + std::string(type) + " is not supported"));
  const auto range = [](const std::string& attributes) {
    return run(x_to_y({1, 2}, floats("a", {}, {0}) + floats("b", {}, {2}) + floats("c", {}, {1}) +
                                  node("Range", "a b c", "r", attributes) + node("Add", "x r", "y"),
                      27));
  };
  CHECK(range(integer("stash_type", 1)) == range(""));
  // The type of the real numbers that integers stand for.
  const auto real = [](std::int64_t type) {
    return x_to_y({1, 2}, floats("s", {}, {0.5F}) + node("QuantizeLinear", "x s", "q") +
                              node("DequantizeLinear", "q s", "y", integer("output_dtype", type)),
                  23);
  };
  CHECK(run(real(10)).size() == 2);
  CHECK(mentions(refused(real(3)), "its output_dtype is INT8, which holds no real numbers"));
  CHECK(mentions(refused(x_to_y({1, 2}, "initializer { name: 'k' data_type: 26 dims: 2 }" +
                                            node("Add", "x k", "y"), 25)),
                 "its values are of type INT2, which is not supported"));
}

TEST_CASE("external data is read below the model's directory only, also through links") {
  const scratch directory, elsewhere;
  std::filesystem::create_directory(directory.path / "data");
  directory.write("data/k", std::string("\0\0\0\0\0\0\x80\x3f\0\0\0\x40", 12));
  elsewhere.write("k", std::string(8, '\0'));
  std::filesystem::create_symlink(elsewhere.path / "k", directory.path / "out");
  std::filesystem::create_symlink(elsewhere.path, directory.path / "out_of");
  std::filesystem::create_symlink("data/k", directory.path / "in");
  const auto with = [&](const std::string& location, const std::string& more = {}) {
    const auto entry = [](const std::string& key, const std::string& value) {
      return "external_data { key: '" + key + "' value: '" + value + "' } ";
    };
    return import::onnx(directory.write(
        "net.onnx",
        x_to_y({1, 2}, "initializer { name: 'k' data_type: 1 dims: 2 data_location: EXTERNAL " +
                           entry("location", location) + entry("offset", "4") + more + "}" +
                           node("Add", "x k", "y"))));
  };
  CHECK(run(with("data/k")) == numbers{1.1F, 1.8F});
  CHECK(run(with("in", "external_data { key: 'length' value: '8' }")) == numbers{1.1F, 1.8F});
  for (const char* out : {"out", "out_of/k"})
    CHECK(mentions(complaints([&] { (void)with(out); }), "is not below the directory"));
  CHECK(mentions(complaints([&] { (void)with("data"); }), "'data': this is a directory"));
  CHECK(mentions(complaints([&] { (void)with("none"); }), "cannot be read"));
  CHECK(mentions(complaints([&] {
                   (void)with("in", "external_data { key: 'length' value: '99999999999' }");
                 }),
                 "layer 'k': its external data 'in': bytes 4 to 100000000003 lie behind the end of "
                 "its 12 bytes"));
  CHECK(mentions(complaints([&] { (void)with("in", "external_data { key: 'basepath' }"); }),
                 "the entry 'basepath' of its external data is not understood"));
}

TEST_CASE("several tensors share a file of external data") {
  const scratch directory;
  directory.write("weights", std::string("\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40", 12));
  const auto external = [](const std::string& name, const std::vector<std::int64_t>& shape,
                           int offset, const std::string& more = {}) {
    return "initializer { name: '" + name + "' data_type: 1" + list("dims", shape) +
           text(" data_location: EXTERNAL external_data { key: 'location' value: './weights' } "
                "external_data { key: 'offset' value: '", offset, "' } ", more, "}\n");
  };
  const auto file = [&](const std::string& tensors) {
    return directory.write("net.onnx", x_to_y({1, 2}, tensors + node("Mul", "x a", "m") +
                                                          node("Add", "m b", "y")));
  };
  const std::string length = "external_data { key: 'length' value: '4' } "
                             "external_data { key: 'checksum' value: 'abc' }";
  const auto n = import::onnx_network(file(external("a", {2}, 0) + external("b", {1}, 8, length)));
  check_close(run(n.graph), {3.1F, 2.6F});
  CHECK(n.external == std::vector{directory.path / "./weights"});
  // The part that a tensor needs begins too late, or the length is another one.
  CHECK(mentions(complaints([&] {
                   (void)import::onnx_network(file(external("a", {2}, 8) + external("b", {1}, 0)));
                 }), "bytes 8 to 16 lie behind the end of its 12 bytes"));
  CHECK(mentions(complaints([&] {
                   (void)import::onnx_network(
                       file(external("a", {2}, 0, length) + external("b", {1}, 0)));
                 }), "it has 4 bytes instead of 8"));
}
