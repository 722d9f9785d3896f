// SPDX-License-Identifier: Apache-2.0
// ONNX models that are quantised already.
#include "onnx_model.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <nvdlac/import/onnx.hpp>
#include <nvdlac/prepare.hpp>
#include <nvdlac/quant/adopt.hpp>
#include <nvdlac/quant/calibrate.hpp>
#include <nvdlac/quant/quantise.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/numbers.hpp>

using namespace onnx_model;

namespace {

import::network network(const std::string& content) {
  return import::onnx_network_from(content, "net.onnx");
}
double scale(const import::network& n, const char* layer) {
  return n.scales.find(layer).value_or(0);
}

// A constant of integers of any type of TensorProto.
std::string whole(const std::string& name, int type, const std::vector<std::int64_t>& shape,
                  const std::vector<std::int64_t>& values) {
  return "initializer { name: '" + name + text("' data_type: ", type) + list("dims", shape) +
         list("int32_data", values) + " }\n";
}
// NAME.s and NAME.z
std::string grid(const std::string& name, float s, std::int64_t zero, int type = 3) {
  return floats(name + ".s", {}, {s}) + whole(name + ".z", type, {}, {zero});
}
std::string domain(std::string node) {
  return node.insert(node.find("op_type"), "domain: 'com.microsoft' ");
}
// NAME to NAME.q and back to NAME.d
std::string pair(const std::string& name, const std::string& g) {
  const auto both = " " + g + ".s " + g + ".z";
  return node("QuantizeLinear", name + both, name + ".q") +
         node("DequantizeLinear", name + ".q" + both, name + ".d");
}

const std::vector<std::int64_t> picture = {1, 2, 2, 2};
const std::string weights = whole("w", 3, {2, 2, 1, 1}, {1, -2, 3, 4}) +
                            floats("w.s", {2}, {0.25F, 2}) + whole("w.z", 3, {2}, {0, 0});
// 0.25 a - 0.5 b + 1 and 6 a + 8 b - 1 for x = ramp
std::vector<float> convolved() {
  const auto x = ramp({2, 2, 2}).values;
  std::vector<float> y;
  for (std::size_t i = 0; i < 4; ++i) y.push_back(0.25F * x[i] - 0.5F * x[i + 4] + 1);
  for (std::size_t i = 0; i < 4; ++i) y.push_back(6 * x[i] + 8 * x[i + 4] - 1);
  return y;
}

}  // namespace

TEST_CASE("QuantizeLinear and DequantizeLinear around operators leave their scales") {
  const auto body = [](std::int64_t zero, const std::string& function = {}) {
    return grid("x", 0.5F, 0) + grid("y", 0.1F, zero) + pair("x", "x") + weights +
           node("DequantizeLinear", "w w.s w.z", "w.d", integer("axis", 0)) +
           whole("b", 6, {2}, {8, -1}) + floats("b.s", {2}, {0.125F, 1}) +
           node("DequantizeLinear", "b b.s", "b.d", integer("axis", 0)) +
           node("Conv", "x.d w.d b.d", "c") +
           (function.empty() ? pair("c", "y") : node(function, "c", "r") + pair("r", "y")) +
           node("MaxPool", function.empty() ? "c.q" : "r.q", "p", ints("kernel_shape", {1, 1})) +
           node("DequantizeLinear", "p y.s y.z", "y");
  };
  const auto plain = network(x_to_y(picture, body(0)));
  check_close(run(plain.graph), convolved());
  CHECK(scale(plain, "x") == doctest::Approx(0.5));
  CHECK(scale(plain, "Conv_c") == doctest::Approx(0.1));
  CHECK(plain.quantised == std::vector<quant::quantised_tensor>{{"QuantizeLinear_x.q/range", 8},
                                                                {"QuantizeLinear_c.q/range", 8}});
  CHECK(plain.scales.entries.size() == 4);  // and of both ranges; the pooling has its input's
  // From -11.8 to 13.7: the scale reaches both ends.
  CHECK(scale(network(x_to_y(picture, body(-10))), "Conv_c") == doctest::Approx(0.1 * 137 / 127));
  CHECK(scale(network(x_to_y(picture, body(10))), "Conv_c") == doctest::Approx(0.1 * 138 / 128));

  // Integers from 0 on cut off what is negative; after a ReLU there is nothing to cut.
  auto expected = convolved();
  for (auto& v : expected) v = std::clamp(v, 0.0F, 25.5F);
  const auto cut = network(x_to_y(picture, body(-128)));
  check_close(run(cut.graph), expected);
  CHECK(std::holds_alternative<net::clip>(cut.graph[3].op));
  CHECK(scale(cut, "QuantizeLinear_c.q/range") == doctest::Approx(25.5 / 127));
  CHECK(scale(cut, "Conv_c") == doctest::Approx(25.5 / 127));
  const auto relu = network(x_to_y(picture, body(-128, "Relu")));
  CHECK(relu.graph.size() == cut.graph.size() + 1);
  CHECK(std::holds_alternative<net::relu>(relu.graph[3].op));
  CHECK(scale(relu, "Conv_c") == doctest::Approx(25.5 / 127));
}

TEST_CASE("an input that is given as values saturates as in the file") {
  const auto filters = [](std::int64_t channels) {
    return whole("w", 3, {1, channels, 1, 1}, std::vector<std::int64_t>(
                                                  static_cast<std::size_t>(channels), 90)) +
           floats("w.s", {}, {0.01F}) + whole("w.z", 3, {}, {0}) +
           node("DequantizeLinear", "w w.s w.z", "w.d");
  };
  struct kind {
    std::vector<std::int64_t> input;
    std::string reader;
    bool pixels;
  };
  const kind kinds[] = {
      {{1, 2, 2, 2}, filters(2) + node("Conv", "x.d w.d", "c"), false},
      {{1, 3, 2, 2}, filters(3) + node("Conv", "x.d w.d", "c"), true},
      {{1, 3, 2, 2}, floats("m", {1, 3, 1, 1}, {1, -2, 0.5F}) + node("Mul", "x.d m", "c"), false},
      {{1, 3, 2, 2}, node("GlobalAveragePool", "x.d", "c"), false},
      {{1, 8}, floats("m", {8, 1}, std::vector<float>(8, 0.3F)) + node("MatMul", "x.d m", "c"),
       false}};
  for (const auto& k : kinds) {
    CAPTURE(k.reader);
    const auto n = network(x_to_y(k.input, grid("x", 0.02F, -100) + grid("y", 0.1F, 0) +
                                               pair("x", "x") + k.reader + pair("c", "y") +
                                               node("Identity", "c.d", "y")));
    REQUIRE(n.preprocessing);
    const auto of = prepare(n.graph, n.scales, {.preprocessing = n.preprocessing}, pass::silent{},
                            [](const net::graph&) {});
    const auto in = net::input_nodes(of.integers)[0];
    CHECK(std::get<quantised::input>(of.integers[in].op).pixels.has_value() == k.pixels);
    if (k.pixels) continue;

    net::float_tensor x{of.integers[in].shape}, within = x;  // -0.56 .. 4.54
    for (std::size_t i = 0; i < x.values.size(); ++i) {
      x.values[i] = static_cast<float>(i * 5 % 8) - 2.5F;
      within.values[i] = std::clamp(x.values[i], -0.56F, 4.54F);
    }
    const auto real = net::evaluate(n.graph, x)[0].values;
    check_close(real, net::evaluate(n.graph, within)[0].values);
    const auto found = quantised::evaluate(
        of.integers, std::get<net::int8_tensor>(
                         quantised::numbers_of(x, of.integers[in].scale, hw::precision::int8)))[0];
    for (std::size_t i = 0; i < real.size(); ++i)
      CHECK(std::fabs(found.values[i] * 0.1 - double{real[i]}) <= 0.15);
  }
}

TEST_CASE("QLinear operators are the operators of real numbers") {
  const auto head = grid("x", 0.5F, 3) + grid("y", 0.1F, -10) + weights +
                    node("QuantizeLinear", "x x.s x.z", "xq");
  const auto tail = node("DequantizeLinear", "yq y.s y.z", "y");
  const auto conv = network(x_to_y(
      picture, head + whole("b", 6, {2}, {8, -1}) +
                   node("QLinearConv", "xq x.s x.z w w.s w.z y.s y.z b", "yq") + tail));
  check_close(run(conv.graph), convolved());
  CHECK(scale(conv, "QLinearConv_yq") == doctest::Approx(0.1 * 137 / 127));
  CHECK(scale(conv, "x") == doctest::Approx(0.5 * 131 / 128));

  const auto unbiased = run(x_to_y(
      picture, head + node("QLinearConv", "xq x.s x.z w w.s w.z y.s y.z", "yq") + tail));
  CHECK(unbiased[0] == doctest::Approx(convolved()[0] - 1));

  const auto product = run(x_to_y(
      {1, 2}, grid("x", 0.5F, 3) + grid("y", 1, 0) + whole("w", 2, {2, 1}, {130, 120}) +
                  grid("w", 0.5F, 128, 2) + node("QuantizeLinear", "x x.s x.z", "xq") +
                  node("QLinearMatMul", "xq x.s x.z w w.s w.z y.s y.z", "yq") + tail));
  check_close(product, {0.1F * 1 - 0.2F * -4});

  const auto microsoft = [&](const std::string& op) {
    return network(x_to_y(picture, head + domain(op) + tail));
  };
  const auto sum = microsoft(node("QLinearAdd", "xq x.s x.z xq x.s x.z y.s y.z", "yq"));
  const auto x = ramp({2, 2, 2}).values;
  CHECK(run(sum.graph)[3] == doctest::Approx(2 * x[3]));
  CHECK(scale(sum, "QLinearAdd_yq") == doctest::Approx(0.1 * 137 / 127));
  CHECK(run(microsoft(node("QLinearMul", "xq x.s x.z xq x.s x.z y.s y.z", "yq")).graph)[3] ==
        doctest::Approx(x[3] * x[3]));
  const auto mean = microsoft(node("QLinearGlobalAveragePool", "xq x.s x.z y.s y.z", "yq",
                                   integer("channels_last", 0)));
  check_close(run(mean.graph), {(0.1F - 0.2F + 0.3F - 0.4F) / 4, (0.5F - 0.6F + 0.7F - 0.8F) / 4});
  const auto last = integer("channels_last", 1);
  const auto turned = [&](const std::string& op, const std::string& wanted) {
    return run(x_to_y(picture, head + node("Transpose", "xq", "tq", ints("perm", {0, 2, 3, 1})) +
                                   domain(op) + node("Transpose", "uq", wanted,
                                                     ints("perm", {0, 3, 1, 2})) +
                                   (wanted == "yq" ? tail
                                                   : node("DequantizeLinear", "vq x.s x.z", "y"))));
  };
  check_close(turned(node("QLinearConv", "tq x.s x.z w w.s w.z y.s y.z", "uq", last), "yq"),
              unbiased);
  check_close(turned(node("QLinearGlobalAveragePool", "tq x.s x.z y.s y.z", "uq", last), "yq"),
              {(0.1F - 0.2F + 0.3F - 0.4F) / 4, (0.5F - 0.6F + 0.7F - 0.8F) / 4});
  check_close(turned(node("QLinearAveragePool", "tq x.s x.z y.s y.z", "uq",
                          last + ints("kernel_shape", {2, 1})), "yq"),
              {(0.1F + 0.3F) / 2, (-0.2F - 0.4F) / 2, (0.5F + 0.7F) / 2, (-0.6F - 0.8F) / 2});
  check_close(turned(node("NhwcMaxPool", "tq", "uq", ints("kernel_shape", {2, 1})), "vq"),
              {0.3F, -0.2F, 0.7F, -0.6F});
  const auto leaky = microsoft(node("QLinearLeakyRelu", "xq x.s x.z y.s y.z", "yq",
                                    number("alpha", 0.5F)));
  CHECK(run(leaky.graph)[1] == doctest::Approx(-0.1));
  const auto sigmoid = microsoft(node("QLinearSigmoid", "xq x.s x.z y.s y.z", "yq"));
  CHECK(run(sigmoid.graph)[1] == doctest::Approx(1 / (1 + std::exp(0.2))));
  const auto softmax = [&](const std::string& attributes) {
    return x_to_y({1, 2}, head + domain(node("QLinearSoftmax", "xq x.s x.z y.s y.z", "yq",
                                             attributes)) + tail);
  };
  for (const int opset : {11, 13})
    CHECK(run(softmax(integer("opset", opset) + integer("axis", -1)))[1] ==
          doctest::Approx(1 / (1 + std::exp(0.3))));
  CHECK(mentions(refused(softmax(integer("axis", 1))), "the opset of its Softmax is missing"));
  const auto joined = microsoft(node("QLinearConcat", "y.s y.z xq x.s x.z xq x.s x.z", "yq",
                                     integer("axis", 1)));
  CHECK(run(joined.graph).size() == 16);
  const auto gemm = network(x_to_y(
      {1, 2}, grid("x", 0.5F, 3) + grid("y", 1, 0) + whole("w", 3, {1, 2}, {2, -8}) +
                  grid("w", 0.5F, 0) + whole("b", 6, {1}, {4}) +
                  node("QuantizeLinear", "x x.s x.z", "xq") +
                  domain(node("QGemm", "xq x.s x.z w w.s w.z b y.s y.z", "yq",
                              integer("transB", 1))) + tail));
  check_close(run(gemm.graph), {0.1F * 1 - 0.2F * -4 + 1});
  CHECK(scale(gemm, "QGemm_yq") == doctest::Approx(1));
}

TEST_CASE("inputs of integers stand for real numbers, or for themselves") {
  const auto file = [](const std::string& body) {
    return model("input " + value_info("x", picture, 2) + "output " + value_info("y", {1}) + body);
  };
  const auto real = network(file(grid("x", 0.5F, 128, 2) +
                                 node("DequantizeLinear", "x x.s x.z", "r") +
                                 node("Relu", "r", "y")));
  CHECK(run(real.graph)[0] == doctest::Approx(0.1));
  CHECK(scale(real, "x") == doctest::Approx(0.5));
  // ConvInteger: x less 128, w less 1, and the scale of both behind it.
  const auto whole_numbers = run(network(file(
      whole("x.z", 2, {}, {128}) + whole("w", 3, {1, 2, 1, 1}, {3, -1}) + whole("w.z", 3, {}, {1}) +
      node("ConvInteger", "x w x.z w.z", "c") + node("Cast", "c", "f", integer("to", 1)) +
      floats("s", {}, {0.5F}) + node("Mul", "f s", "y"))).graph);
  CHECK(whole_numbers[0] == doctest::Approx(0.5F * ((0.1F - 128) * 2 - (0.5F - 128) * 2)));
}

TEST_CASE("scales that depend on the picture leave real numbers") {
  const auto n = network(x_to_y(
      {1, 2}, whole("w", 3, {2, 1}, {2, -8}) + floats("w.s", {}, {0.5F}) +
                  node("DynamicQuantizeLinear", "x", "q s z") +
                  node("MatMulInteger", "q w z", "m") + node("Cast", "m", "f", integer("to", 1)) +
                  node("Mul", "s w.s", "k") + node("Mul", "f k", "y")));
  check_close(run(n.graph), {0.1F * 1 - 0.2F * -4});
  CHECK(n.scales.entries.empty());
}

TEST_CASE("constants are quantised and dequantised by the axis of their scales") {
  const auto body = [](const std::string& axis) {
    return floats("k", {2, 3}, {1, 2.5F, -3.5F, 400, 5, 6}) + floats("s", {2}, {1, 2}) +
           whole("z", 3, {2}, {0, 1}) + node("QuantizeLinear", "k s z", "q", axis) +
           node("DequantizeLinear", "q s z", "d", axis) + node("MatMul", "x d", "y");
  };
  // Half goes to even; what is too large saturates at (127 - 1) * 2.
  check_close(run(x_to_y({1, 2}, body(integer("axis", 0)))),
              {0.1F * 1 - 0.2F * 252, 0.1F * 2 - 0.2F * 4, 0.1F * -4 - 0.2F * 6});
  CHECK(mentions(refused(x_to_y({1, 2}, body(integer("axis", 1)))), "2 scales do not fit axis 1"));
}

TEST_CASE("quantised models that cannot be computed are refused") {
  const auto file = [](const std::string& body) { return refused(x_to_y(picture, body)); };
  const auto head = grid("x", 0.5F, 0) + node("QuantizeLinear", "x x.s x.z", "q");
  CHECK(mentions(file(head + node("Relu", "q", "y")),
                 "layer 'Relu_y': it computes with the integers of a quantised tensor"));
  CHECK(mentions(file(head + grid("o", 0.25F, 0) + node("DequantizeLinear", "q o.s o.z", "y")),
                 "it takes the scale 0.25 and the zero point 0, but its input has 0.5 and 0"));
  CHECK(mentions(file(grid("x", 0.5F, 0) + node("DequantizeLinear", "x x.s x.z", "y")),
                 "its input holds no integers"));
  CHECK(mentions(file(grid("x", 0, 0) + node("QuantizeLinear", "x x.s x.z", "y")),
                 "its scale is 0"));
  CHECK(mentions(file(floats("s", {2}, {1, 2}) + whole("z", 3, {2}, {0, 0}) +
                      node("QuantizeLinear", "x s z", "y")),
                 "several scales for one computed tensor"));
  CHECK(mentions(file(grid("x", 0.5F, 200) + node("QuantizeLinear", "x x.s x.z", "y")),
                 "layer 'x.z': its value 200 is no INT8"));
  CHECK(mentions(file(grid("x", 0.5F, 0, 9) + node("QuantizeLinear", "x x.s x.z", "y")),
                 "it quantises to BOOL"));
  CHECK(mentions(file(head + node("QuantizeLinear", "q x.s x.z", "y")), "quantised already"));
  CHECK(mentions(file(head + node("DequantizeLinear", "q x.s x.z", "y", integer("block_size", 2))),
                 "it has a scale for each block of a computed tensor"));
}

TEST_CASE("integers quantised by the picture are computed with once they have their scale") {
  const auto head = whole("w", 3, {2, 1}, {2, -8}) + floats("w.s", {}, {0.5F}) +
                    node("DynamicQuantizeLinear", "x", "q s z") +
                    node("MatMulInteger", "q w z", "m") + node("Cast", "m", "f", integer("to", 1));
  const auto file = [&](const std::string& rest) { return x_to_y({1, 2}, head + rest); };
  // In any order of the factors, and behind what moves elements.
  for (const auto& rest :
       {node("Mul", "f s", "g") + node("Mul", "g w.s", "y"),
        node("Mul", "w.s f", "g") + node("Mul", "s g", "y"),
        integers("d", {1, 1, 1}) + node("Reshape", "f d", "g") + node("Mul", "w.s s", "k") +
            node("Mul", "g k", "y")})
    check_close(run(file(rest)), {0.1F * 1 - 0.2F * -4});
  const char* const why = "before they are multiplied by its scale 's'";
  for (const auto& rest :
       {node("Relu", "f", "y"), floats("b", {1}, {3}) + node("Add", "f b", "y"),
        node("Mul", "f f", "y"), node("Mul", "f w.s", "g") + node("Add", "g w.s", "y"),
        node("Concat", "f x", "y", integer("axis", 1)), node("Add", "q x", "y")})
    CHECK(mentions(refused(file(rest)), why));
  CHECK(mentions(refused(file(node("Mul", "f w.s", "y"))),
                 "layer 'y': this output is not multiplied by the scale 's'"));
}

TEST_CASE("the scales of a quantised model are not lost by the way") {
  const auto content = x_to_y(picture, grid("x", 0.5F, 0) + pair("x", "x") +
                                           node("Relu", "x.d", "y"));
  const scratch directory;
  const auto file = directory.write("net.onnx", content);
  CHECK(import::onnx_network(file).scales.entries.size() == 2);
  CHECK(import::without_scales(import::onnx_network(file)).size() == 3);
  CHECK(mentions(complaints([&] { (void)import::onnx(file); }),
                 "net.onnx: the model is quantised: the scales of its 2 tensors would be lost"));
  CHECK(mentions(complaints([&] { (void)import::onnx_from(content, "f"); }), "would be lost"));
}

TEST_CASE("a conversion to the type that integers have changes nothing") {
  const auto file = [](int type, int to) {
    return x_to_y(picture, grid("x", 0.5F, 0, type) + node("QuantizeLinear", "x x.s x.z", "q") +
                               node("Cast", "q", "c", integer("to", to)) +
                               node("DequantizeLinear", "c x.s x.z", "y"));
  };
  for (const int type : {2, 3, 5}) {
    CHECK(run(file(type, type)).size() == 8);
    for (const int other : {1, 2, 3, 6, 7, 9})
      if (other != type)
        CHECK(mentions(refused(file(type, other)),
                       "layer 'Cast_c': it computes with the integers of a quantised tensor"));
  }
}

namespace {

// How far the network in int8, with the scales of its file, is from the real one, at most, in steps
// of its output.
double off(const import::network& n) {
  const auto q = prepare(n.graph, n.scales, {}, pass::silent{}, [](net::graph&) {}).integers;
  const auto in = net::input_nodes(q).at(0), out = q.outputs().at(0);
  net::float_tensor x{q[in].shape};
  for (std::size_t i = 0; i < x.values.size(); ++i)
    x.values[i] = 7 * static_cast<float>(std::sin(1.3 * static_cast<double>(i)));
  const std::vector<quantised::feed> feeds{
      quantised::feed_of(quantised::numbers_of(x, q[in].scale, q[in].precision))};
  const auto y = quantised::real_of(
      quantised::evaluate_any(q, std::span<const quantised::feed>(feeds)).at(0),
      q[out].scale, q[out].zero).values;
  const auto wanted = net::evaluate(n.graph, x).at(0).values;
  REQUIRE(y.size() == wanted.size());
  double error = 0;
  for (std::size_t i = 0; i < y.size(); ++i)
    error = std::max(error, std::fabs(double{y[i]} - double{wanted[i]}));
  return error / q[out].scale;
}

}  // namespace

TEST_CASE("layers that nvdlac makes have scales with those of the file") {
  const auto ends = grid("x", 0.0625F, 0) + grid("o", 0.125F, 0) + pair("x", "x");
  const auto between = [&](const std::string& body, const std::string& end = {}, int opset = 13) {
    return network(x_to_y({1, 2, 6, 6}, ends + body + pair("b", "o") +
                                            (end.empty() ? node("Relu", "b.d", "y") : end), opset));
  };
  const auto wt = floats("w", {2, 3, 3, 3}, std::vector<float>(54, 0.125F));
  const auto resize = [](const std::string& mode, const std::string& where, const char* factors) {
    return node("Resize", "x.d - " + std::string(factors), "b",
                word("mode", mode) + word("coordinate_transformation_mode", where));
  };
  const auto twice = floats("f2", {4}, {1, 1, 2, 2}), more = floats("f", {4}, {1, 1, 1.5F, 2.5F});
  CHECK(off(between(wt + node("ConvTranspose", "x.d w", "b", ints("strides", {2, 2})))) < 1.5);
  CHECK(off(between(wt + node("ConvTranspose", "x.d w", "b",
                              ints("strides", {3, 2}) + ints("pads", {1, 0, 1, 1})))) < 1.5);
  for (const char* where : {"half_pixel", "asymmetric"}) {
    CHECK(off(between(twice + resize("linear", where, "f2"))) < 1.5);
    CHECK(off(between(more + resize("linear", where, "f"))) < 1.5);
    CHECK(off(between(more + resize("cubic", where, "f"))) < 1.5);
    CHECK(off(between(twice + resize("nearest", where, "f2"))) < 1.5);
  }
  // Operators that only keep values, behind the last pair.
  CHECK(off(between(node("Neg", "x.d", "b"), node("Identity", "b.d", "y"))) < 1.5);
  CHECK(off(between(node("Neg", "x.d", "b"), node("Dropout", "b.d", "y"))) < 1.5);
  CHECK(off(between(node("Neg", "x.d", "b"), node("Identity", "b.d", "i") +
                                                  node("Identity", "i", "y"))) < 1.5);
  CHECK(off(between(node("Neg", "x.d", "b"), node("Flatten", "b.d", "y"))) < 1.5);
  // Operators of several layers each.
  CHECK(off(between(node("HardSwish", "x.d", "b"), {}, 14)) < 1.5);
  CHECK(off(between(node("Mean", "x.d x.d x.d", "b"))) < 1.5);
  CHECK(off(between(floats("k", {2, 6, 6}, std::vector<float>(72, 0.5F)) +
                    node("PRelu", "x.d k", "b"))) < 1.5);
  CHECK(off(between(node("ReduceMean", "x.d", "b", ints("axes", {2, 3})))) < 1.5);
  CHECK(off(between(node("AveragePool", "x.d", "b", ints("kernel_shape", {3, 3}) +
                                                        ints("pads", {1, 1, 1, 1})))) < 1.5);
}

TEST_CASE("tensors of 16 bits are known for them") {
  const auto n = network(x_to_y(picture, grid("x", 0.5F, 0, 5) + pair("x", "x") +
                                             floats("k", {2, 2, 1, 1}, {1, 0, 0, 1}) +
                                             node("Conv", "x.d k", "y")));
  CHECK(n.quantised == std::vector<quant::quantised_tensor>{{"QuantizeLinear_x.q/range", 16}});
}

TEST_CASE("tensors have their names in the file, which tables of scales may list") {
  const auto pytorch = [](const std::string& name, const std::string& type, const std::string& in,
                          const std::string& out, const std::string& attributes = {}) {
    auto n = node(type, in, out, attributes);
    const auto written = type + "_" + out;
    return n.replace(n.find(written), written.size(), name);
  };
  const auto n = network(x_to_y(
      picture, floats("k", {2, 2, 1, 1}, {1, 0, 0, 1}) + integers("flat", {1, -1}) +
                   floats("w", {1, 8}, {1, 2, 3, 4, 5, 6, 7, 8}) +
                   pytorch("/c/Conv", "Conv", "x k", "/c/Conv_output_0") +
                   pytorch("/r/Relu", "Relu", "/c/Conv_output_0", "/r/Relu_output_0") +
                   pytorch("/f/Reshape", "Reshape", "/r/Relu_output_0 flat", "/f/out") +
                   pytorch("/s/Slice", "Split", "/f/out", "/s/a /s/b", integer("axis", 1)) +
                   // A layer by the name of another's tensor.
                   pytorch("/f/out", "Gemm", "/f/out w", "y", integer("transB", 1))));
  const std::vector<quant::named_tensor> expected{{"/c/Conv_output_0", "/c/Conv"},
                                                  {"/r/Relu_output_0", "/r/Relu"},
                                                  {"y", "/f/out"}};
  CHECK(n.tensors == expected);
}

TEST_CASE("an output is called by its layer, not by the clipping of its range") {
  const auto n = network(x_to_y(picture, grid("x", 0.5F, 0) + grid("y", 0.1F, -10) + weights +
                                             node("DequantizeLinear", "w w.s w.z", "w.d",
                                                  integer("axis", 0)) +
                                             pair("x", "x") + node("Conv", "x.d w.d", "c") +
                                             node("QuantizeLinear", "c y.s y.z", "q") +
                                             node("DequantizeLinear", "q y.s y.z", "y")));
  const auto out = n.graph.outputs().at(0);
  CHECK(n.graph[out].name == "Conv_c");
  CHECK(std::holds_alternative<net::clip>(n.graph[out].op));
  CHECK(scale(n, "Conv_c/unclipped") == scale(n, "Conv_c"));
}

TEST_CASE("integers that are cut before they are real numbers again have the narrower range") {
  // As Brevitas exports fewer bits than 8: between -8 and 7 in steps of 0.125.
  const auto bounds = whole("low", 3, {}, {-8}) + whole("high", 3, {}, {7});
  const auto file = [&](const std::string& g, const std::string& clip) {
    return x_to_y(picture, g + bounds + node("QuantizeLinear", "x x.s x.z", "q") + clip +
                               node("DequantizeLinear", "c x.s x.z", "d") +
                               floats("k", {2, 2, 1, 1}, {1, 0, 0, 1}) + node("Conv", "d k", "y"));
  };
  const auto n = network(file(grid("x", 0.125F, 0), node("Clip", "q low high", "c")));
  CHECK(scale(n, "Clip_c") == 0.125);
  const quant::quantised_tensor four{"Clip_c", 4};
  CHECK(std::ranges::count(n.quantised, four) == 1);
  for (const auto v : run(n.graph)) CHECK((v >= -1 && v <= 0.875F));
  // Weights are cut while the file is read.
  const auto g = read(x_to_y(picture, bounds + grid("k", 0.5F, 0) +
                                          floats("k", {1, 2, 1, 1}, {9, -1}) +
                                          node("QuantizeLinear", "k k.s k.z", "q") +
                                          node("Clip", "q low high", "c") +
                                          node("DequantizeLinear", "c k.s k.z", "d") +
                                          node("Conv", "x d", "y")));
  CHECK(std::get<net::convolution>(g[1].op).weights == std::vector<float>{3.5F, -1});
  // Bounds of the whole type cut nothing.
  const auto wide = network(file(grid("x", 0.125F, 0) + whole("a", 3, {}, {-128}),
                                 node("Clip", "q a", "c")));
  CHECK_FALSE(wide.scales.find("Clip_c"));
  CHECK(mentions(refused(file(grid("x", 0.125F, 0) + floats("f", {}, {1}),
                              node("Clip", "q f", "c"))),
                 "its bounds are no single integers"));
}

namespace {

std::string qonnx(const std::string& type, const std::string& in, const std::string& out,
                  const std::string& attributes = {}) {
  auto n = node(type, in, out, attributes);
  return n.insert(n.find("op_type"), "domain: 'qonnx.custom_op.general' ");
}
std::string with_qonnx(const std::string& body) {
  return "opset_import { domain: 'qonnx.custom_op.general' version: 1 } " + x_to_y(picture, body);
}
const std::string bits = floats("s", {}, {0.5F}) + floats("z", {}, {0}) + floats("b", {}, {4});

}  // namespace

TEST_CASE("Quant of QONNX rounds constants, and leaves computed tensors their steps") {
  const auto file = [&](const std::string& attributes) {
    return with_qonnx(bits + floats("v", {2, 1, 1}, {0.25F, -0.5F}) +
                      floats("k", {2, 2, 1, 1}, {0.3F, 9, -9, 0.6F}) +
                      qonnx("Quant", "k v z b", "kq", attributes) +
                      qonnx("Quant", "x s z b", "xq") + node("Conv", "xq kq", "y"));
  };
  CHECK(mentions(refused(file("")), "its scale is -0.5"));
  const auto per_kernel = [&](const std::string& attributes) {
    return with_qonnx(bits + floats("v", {2, 1, 1, 1}, {0.25F, 0.5F}) +
                      floats("k", {2, 2, 1, 1}, {0.3F, 9, -9, 0.6F}) +
                      qonnx("Quant", "k v z b", "kq", attributes) +
                      qonnx("Quant", "x s z b", "xq") + node("Conv", "xq kq", "y"));
  };
  const auto kernels = [&](const std::string& attributes) {
    const auto n = network(per_kernel(attributes));
    for (net::graph::id i = 0; i < n.graph.size(); ++i)
      if (const auto* c = std::get_if<net::convolution>(&n.graph[i].op)) return c->weights;
    return std::vector<float>{};
  };
  using floats_of = std::vector<float>;
  CHECK(kernels("") == floats_of{0.25F, 1.75F, -4, 0.5F});
  CHECK(kernels(integer("narrow", 1)) == floats_of{0.25F, 1.75F, -3.5F, 0.5F});
  CHECK(kernels(integer("signed", 0)) == floats_of{0.25F, 3.75F, 0, 0.5F});
  CHECK(kernels(word("rounding_mode", "CEIL")) == floats_of{0.5F, 1.75F, -4, 1});
  CHECK(mentions(refused(per_kernel(word("rounding_mode", "UP"))), "its rounding_mode is UP"));
  const auto n = network(per_kernel(""));
  CHECK(scale(n, "Quant_xq/range") == 0.5);
}

TEST_CASE("Quant of QONNX that cannot be computed is refused") {
  const auto file = [&](const std::string& more, const std::string& in,
                        const std::string& attributes = {}) {
    return refused(with_qonnx(bits + more + qonnx("Quant", in, "y", attributes)));
  };
  CHECK(mentions(file(floats("w", {}, {17}), "x s z w"), "it quantises to 17 bits"));
  CHECK(mentions(file(floats("v", {2, 1, 1}, {1, 2}), "x v z b"),
                 "several scales for one computed"));
  CHECK(mentions(file("", "x s z b", word("rounding_mode", "FLOOR")),
                 "ROUND is supported of computed tensors"));
}

TEST_CASE("BipolarQuant makes signs of weights") {
  const auto g = read(with_qonnx(bits + floats("k", {2, 2, 1, 1}, {0.3F, -9, 0, 0.6F}) +
                                 qonnx("BipolarQuant", "k s", "kq") + node("Conv", "x kq", "y")));
  CHECK(std::get<net::convolution>(g[1].op).weights == std::vector<float>{0.5F, -0.5F, 0.5F, 0.5F});
}

TEST_CASE("Trunc of QONNX leaves lower bits out") {
  const auto file = [](const std::string& more, const std::string& in,
                       const std::string& attributes = {}) {
    return with_qonnx(bits + floats("i", {}, {6}) + more + qonnx("Trunc", in, "t", attributes) +
                      node("Conv", "x t", "y"));
  };
  const auto kernels = [&](const std::string& more, const std::string& in,
                           const std::string& attributes = {}) {
    const auto g = read(file(floats("k", {2, 2, 1, 1}, {2.5F, -2.5F, 3.5F, 13}) + more, in,
                             attributes));
    return std::get<net::convolution>(g[1].op).weights;
  };
  using floats_of = std::vector<float>;
  // 5, -5, 7 and 26 steps of 0.5, of which the first version leaves a quarter.
  CHECK(kernels("", "k s z i b") == floats_of{0.5F, -1, 0.5F, 3});
  CHECK(kernels("", "k s z i b", word("rounding_mode", "ceil")) == floats_of{1, -0.5F, 1, 3.5F});
  CHECK(kernels("", "k s z i b", word("rounding_mode", "ROUND")) == floats_of{0.5F, -0.5F, 1, 3});
  // The second one tells the scale behind it, and clips.
  const auto two = floats("o", {}, {2});
  CHECK(kernels(two, "k s z i o b") == floats_of{2, -4, 2, 12});
  CHECK(kernels(two + floats("c", {}, {3}), "k s z i o c") == floats_of{2, -4, 2, 6});
  CHECK(kernels(two, "k s z i o b", integer("signed", 0)) == floats_of{2, 0, 2, 12});
}

TEST_CASE("Trunc of computed tensors rounds down on NVDLA, which rounds to the nearest") {
  const auto read_with = [](const std::string& mode, const std::string& in = "x s z i b") {
    const auto attribute = mode.empty() ? std::string() : word("rounding_mode", mode);
    return network(with_qonnx(bits + floats("i", {}, {6}) + floats("o", {}, {2}) +
                              qonnx("Trunc", in, "y", attribute)));
  };
  // x / 4, less half a step of 0.5 but for an eighth of it.
  const auto affine = [&](const import::network& n) { return std::get<net::scale>(n.graph[1].op); };
  const auto floor = affine(read_with(""));
  CHECK(floor.factor.at(0) == 0.25F);
  CHECK(floor.bias.at(0) == -0.1875F);
  for (int steps = -16; steps < 16; ++steps)
    CHECK(std::lround((static_cast<double>(steps) * 0.5 * 0.25 - 0.1875) / 0.5) ==
          static_cast<long>(std::floor(steps / 4.0)));
  CHECK(affine(read_with("CEIL")).bias.at(0) == 0.1875F);
  CHECK(affine(read_with("ROUND")).bias.at(0) == 0);
  const auto n = read_with("", "x s z i o b");
  CHECK(affine(n).factor.at(0) == 1);
  CHECK(affine(n).bias.at(0) == -0.75F);
  CHECK(scale(n, "Trunc_y") == 2);  // the clipping of an output has its name
  const auto refused_with = [](const std::string& in, const std::string& attributes = {}) {
    return refused(with_qonnx(bits + floats("w", {}, {2}) + floats("v", {2, 1, 1}, {1, 2}) +
                              qonnx("Trunc", in, "y", attributes)));
  };
  CHECK(mentions(refused_with("x s z w b"), "it leaves one of 0.25 steps"));
  CHECK(mentions(refused_with("x v z b w"), "it has 2 scales, of which one is supported"));
  CHECK(mentions(refused_with("x s z b w", word("rounding_mode", "ROUND_TO_ZERO")),
                 "FLOOR, CEIL and ROUND are supported"));
}

namespace {

// The results of the integer network for these inputs of one channel.
std::vector<float> integers_of(const import::network& n, const std::vector<float>& x) {
  auto g = n.graph;
  for (const auto& p : net::verify(g)) FAIL_CHECK(to_string(p));
  net::infer_shapes(g);
  const auto table = quant::completed(
      quant::calibrate(g, std::vector<std::vector<net::float_tensor>>{{{g[0].shape, x}}}),
      n.scales, n.graph, g);
  const auto q = quant::quantise(g, table, {});
  const auto in = net::input_nodes(q).at(0);
  const std::vector<quantised::feed> feeds{quantised::feed_of(quantised::numbers_of(
      net::float_tensor{g[0].shape, x}, q[in].scale, q[in].precision))};
  const auto y = quantised::evaluate_any(q, std::span<const quantised::feed>(feeds));
  const auto& out = q[q.outputs().at(0)];
  return quantised::real_of(y.at(0), out.scale, out.zero, out.gain).values;
}
std::string of_line(const std::string& body, std::int64_t count) {
  return "opset_import { domain: 'qonnx.custom_op.general' version: 1 } " +
         x_to_y({1, 1, 1, count}, body);
}

}  // namespace

TEST_CASE("Trunc of computed tensors gives in integers what QONNX defines") {
  // Steps of 0.5 from -32 to 31, of which 4 become one, as 4 bits of either kind.
  std::vector<float> x;
  for (int k = -32; k < 32; ++k) x.push_back(0.5F * static_cast<float>(k));
  for (const std::string mode : {"FLOOR", "CEIL", "ROUND", "floor"})
    for (const int is_signed : {0, 1})
      for (const int narrow : {0, 1})
        for (const char* in : {"x s z i b", "x s z i o b", "x s z i o z b"}) {
          const bool second = std::string(in) != "x s z i b";
          const auto more = word("rounding_mode", mode) +
                            (second ? integer("signed", is_signed) + integer("narrow", narrow)
                                    : std::string());
          CAPTURE(more);
          CAPTURE(in);
          const auto y = integers_of(
              network(of_line(bits + floats("i", {}, {6}) + floats("o", {}, {2}) +
                                  qonnx("Trunc", in, "y", more), 64)), x);
          REQUIRE(y.size() == x.size());
          const double told = second ? 2 : 0.5;
          const double least = second && is_signed == 0 ? 0 : narrow != 0 && second ? -7 : -8,
                       most = second && is_signed == 0 ? (narrow != 0 ? 14 : 15) : 7;
          for (std::size_t i = 0; i < x.size(); ++i) {
            const double q = std::nearbyint(double{x[i]} / 0.5) / 4;
            // Ties are NVDLA's: away from 0, where QONNX goes to the even one.
            const double r = mode == "CEIL"    ? std::ceil(q)
                             : mode == "ROUND" ? std::round(q)
                                               : std::floor(q);
            CHECK(double{y[i]} == doctest::Approx(std::clamp(r, least, most) * told));
          }
        }
}

TEST_CASE("BipolarQuant of computed tensors gives the sign, that of 0 and above is positive") {
  const std::vector<float> x{-1, -0.5F, -0.25F, 0, 0.25F, 0.5F, 1, -0.75F};
  const std::vector<float> expected{-0.5F, -0.5F, -0.5F, 0.5F, 0.5F, 0.5F, 0.5F, -0.5F};
  const auto n = network(of_line(bits + qonnx("BipolarQuant", "x s", "y"), 8));
  CHECK(in_file::outputs(n.graph, net::float_tensor{n.graph[0].shape, x}).at(0).values ==
        expected);
  const auto y = integers_of(n, x);
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(y[i] == doctest::Approx(expected[i]));
  // A scale for each channel, and what cannot be.
  const auto two = with_qonnx(floats("v", {1, 2, 1, 1}, {2, 3}) +
                              qonnx("BipolarQuant", "x v", "y"));
  const auto g = read(two);
  const auto given = in_file::outputs(g, ramp(g[0].shape)).at(0).values;
  const auto half = given.size() / 2;
  CHECK(given[0] == 2);
  CHECK(given[1] == -2);
  CHECK(given[half] == 3);
  CHECK(!refused(with_qonnx(floats("v", {3, 1, 1}, {1, 2, 3}) +
                            qonnx("BipolarQuant", "x v", "y"))).empty());
  CHECK(mentions(refused(with_qonnx(floats("v", {2}, {1, 2}) + qonnx("BipolarQuant", "x v", "y"))),
                 "it has scales [2] (one, or one for each channel, is supported)"));
  CHECK(mentions(refused(with_qonnx(floats("v", {}, {0}) + qonnx("BipolarQuant", "x v", "y"))),
                 "its scale is 0"));
}
