// SPDX-License-Identifier: Apache-2.0
#include "onnx_model.hpp"

using namespace onnx_model;

TEST_CASE("a repetition beside what is not whole itself is made") {
  const auto repeated = integers("s", {1, 1, 2, 3}) + node("Expand", "x s", "e");
  const auto g = read(x_to_y({1, 1, 1, 1}, repeated + node("Mul", "e x", "y")));
  CHECK(g[g.outputs().at(0)].shape.size() == 6);
}

TEST_CASE("element-wise operators with constants and with each other") {
  const auto with = [](const std::string& type, const std::string& constant,
                       const std::string& in) {
    return read(x_to_y(cube233, constant + node(type, in, "y")));
  };
  const std::string channel = floats("k", {2, 1, 1}, {2, 4});
  const auto scaled = with("Mul", channel, "x k");
  CHECK(std::get<net::scale>(scaled[1].op).factor == std::vector<float>{2, 4});
  CHECK(run(with("Add", channel, "k x"))[9] == doctest::Approx(3.0F));
  CHECK(run(with("Sub", channel, "x k"))[0] == doctest::Approx(-1.9F));
  CHECK(run(with("Sub", channel, "k x"))[0] == doctest::Approx(1.9F));
  CHECK(run(with("Div", floats("k", {}, {4}), "x k"))[0] == doctest::Approx(0.025F));
  std::vector<float> each(9);
  for (std::size_t i = 0; i < 9; ++i) each[i] = static_cast<float>(i);
  const auto added = with("Add", floats("k", {3, 3}, each), "x k");
  CHECK(run(added)[17] == doctest::Approx(-1.8F + 8));
  CHECK(run(with("Mul", floats("k", {1, 1, 3, 3}, each), "x k"))[17] == doctest::Approx(-1.8F * 8));

  CHECK(run(x_to_y(cube233, node("Relu", "x", "r") + node("Add", "x r", "y")))[0] ==
        doctest::Approx(0.2F));
  CHECK(run(x_to_y(cube233, node("Relu", "x", "r") + node("Sub", "x r", "y")))[1] ==
        doctest::Approx(-0.2F));
  CHECK(run(x_to_y(cube233, channel + node("Sum", "x k x", "y")))[0] == doctest::Approx(2.2F));
  // Until opset 6 the axis was an attribute.
  CHECK(run(read(x_to_y(cube233,
                        floats("k", {2}, {1, 2}) +
                            node("Add", "x k", "y", integer("axis", 1) + integer("broadcast", 1)),
                        6)))[9] == doctest::Approx(1.0F));

  const auto two = [](const std::string& type) {
    return run(x_to_y(cube233, node("Relu", "x", "r") + node(type, "x r", "y")));
  };
  CHECK(two("Mul")[0] == doctest::Approx(0.01F));
  CHECK(two("Max")[1] == 0.0F);
  CHECK(two("Min")[1] == doctest::Approx(-0.2F));
  CHECK(two("Mean")[0] == doctest::Approx(0.1F));
  CHECK(two("Mean")[1] == doctest::Approx(-0.1F));
  CHECK(run(with("Max", floats("k", {}, {0.15F}), "x k"))[0] == doctest::Approx(0.15F));
  CHECK(run(with("Min", channel, "x k"))[2] == doctest::Approx(0.3F));
  CHECK(run(with("Sub", floats("k", {3, 3}, each), "k x"))[17] == doctest::Approx(8 + 1.8F));
  // One value for each channel, computed.
  const auto squeezed = [](const std::string& type, const std::string& in) {
    return read(x_to_y(cube233, node("GlobalAveragePool", "x", "m") + node(type, in, "y")));
  };
  CHECK(squeezed("Mul", "x m")[2].shape == net::shape{2, 3, 3});
  CHECK(run(squeezed("Sub", "m x"))[0] == doctest::Approx(run(squeezed("Add", "x m"))[0] - 0.2F));
  CHECK(run(x_to_y(cube233, node("Div", "x x", "y")))[0] == doctest::Approx(1));
  CHECK(run(with("Div", floats("k", {2, 1, 1}, {3, 4}), "k x"))[0] == doctest::Approx(30));
  CHECK(run(with("Div", floats("k", {3}, {1, 2, 3}), "k x"))[0] == doctest::Approx(10));
  CHECK(mentions(
      refused(x_to_y(cube233, floats("k", {5}, {1, 2, 3, 4, 5}) + node("Add", "x k", "y"))),
      "do not fit"));
  CHECK(mentions(
      refused(x_to_y({1, 2, 1, 1}, floats("k", {2, 2, 1, 1}, {1, 2, 3, 4}) +
                                       node("Add", "x k", "y"))),
      "repeated"));
  CHECK(mentions(refused(x_to_y(cube233, channel + node("Add", "x k", "y", integer("axis", 1)))),
                 "attribute 'axis' of Add"));
}

TEST_CASE("activation, normalisation, softmax and what changes nothing") {
  const auto plain = [](const std::string& body, int opset = 13) {
    return read(x_to_y(cube233, body, opset));
  };
  CHECK(run(plain(node("Clip", "x", "y", number("min", 0)), 6))[1] == 0.0F);
  CHECK(run(plain(floats("low", {}, {0}) + node("Clip", "x low", "y")))[1] == 0.0F);
  const std::string bounds = floats("low", {}, {-0.15F}) + floats("high", {}, {0.05F});
  const auto clipped = run(plain(bounds + node("Clip", "x low high", "y")));
  CHECK(clipped[0] == doctest::Approx(0.05F));
  CHECK(clipped[1] == doctest::Approx(-0.15F));
  CHECK(run(plain(node("Clip", "x", "y", number("max", -0.3F)), 6))[0] == doctest::Approx(-0.3F));
  CHECK(run(plain(bounds + node("Clip", "x high low", "y")))[0] == doctest::Approx(-0.15F));
  CHECK(mentions(refused(x_to_y(cube233, node("Clip", "x", "y", number("max", 6)))),
                 "attribute 'max' of Clip is not understood"));
  CHECK(run(plain(node("LeakyRelu", "x", "y")))[1] == doctest::Approx(-0.002F));
  CHECK(run(plain(node("LeakyRelu", "x", "y", number("alpha", 0.5F))))[1] ==
        doctest::Approx(-0.1F));
  CHECK(run(plain(node("Abs", "x", "y")))[1] == doctest::Approx(0.2F));
  CHECK(run(plain(node("Neg", "x", "y")))[1] == doctest::Approx(0.2F));
  CHECK(run(plain(node("HardSigmoid", "x", "y")))[0] == doctest::Approx(0.52F));
  CHECK(run(plain(node("HardSigmoid", "x", "y", number("alpha", 9) + number("beta", 0.2F))))[0] ==
        1.0F);
  CHECK(run(plain(node("HardSwish", "x", "y"), 14))[0] == doctest::Approx(0.1F * 3.1F / 6));
  const auto f = [&](const std::string& type, const std::string& attributes = "", int opset = 13) {
    return static_cast<double>(run(plain(node(type, "x", "y", attributes), opset))[1]);  // of -0.2
  };
  CHECK(f("Sigmoid") == doctest::Approx(0.450166));
  CHECK(f("Tanh") == doctest::Approx(std::tanh(-0.2)));
  CHECK(f("Elu", number("alpha", 2)) == doctest::Approx(2 * std::expm1(-0.2)));
  CHECK(f("Selu") == doctest::Approx(1.0507 * 1.67326 * std::expm1(-0.2)).epsilon(1e-4));
  CHECK(f("Selu", number("alpha", 1) + number("gamma", 3)) ==
        doctest::Approx(3 * std::expm1(-0.2)));
  CHECK(f("Celu", number("alpha", 0.5F)) == doctest::Approx(0.5 * std::expm1(-0.4)));
  CHECK(f("Softplus") == doctest::Approx(std::log1p(std::exp(-0.2))));
  CHECK(f("Softsign") == doctest::Approx(-0.2 / 1.2));
  CHECK(f("Exp") == doctest::Approx(std::exp(-0.2)));
  CHECK(f("Erf") == doctest::Approx(std::erf(-0.2)));
  CHECK(f("Reciprocal") == doctest::Approx(-5));
  CHECK(f("Mish", "", 18) == doctest::Approx(-0.2 * std::tanh(std::log1p(std::exp(-0.2)))));
  CHECK(f("Gelu", "", 18) == doctest::Approx(-0.1 * (1 + std::erf(-0.2 / std::sqrt(2)))));
  CHECK(f("Gelu", word("approximate", "tanh"), 18) == doctest::Approx(-0.0841485));
  CHECK(mentions(refused(x_to_y(cube233, node("Gelu", "x", "y", word("approximate", "no")), 18)),
                 "approximate is 'no'"));
  CHECK(f("ThresholdedRelu", number("alpha", -0.1F)) == 0.0);
  CHECK(f("ThresholdedRelu", number("alpha", -0.3F)) == doctest::Approx(-0.2));
  CHECK(f("Floor") == -1.0);
  CHECK(f("Shrink") == 0.0);
  CHECK(f("Shrink", number("lambd", 0.1F)) == doctest::Approx(-0.2));
  CHECK(f("Shrink", number("lambd", 0.1F) + number("bias", 0.05F)) == doctest::Approx(-0.15));
  CHECK(mentions(refused(x_to_y(cube233, node("Shrink", "x", "y", number("lambd", -1)))),
                 "its lambd is -1"));
  const auto with = [&](const std::string& type, float k, const std::string& in) {
    return static_cast<double>(run(plain(floats("k", {}, {k}) + node(type, in, "y")))[0]);  // 0.1
  };
  CHECK(with("Pow", 3, "x k") == doctest::Approx(0.001));
  CHECK(with("Pow", 2, "x k") == doctest::Approx(0.01));
  CHECK(with("Pow", 1, "x k") == doctest::Approx(0.1));
  CHECK(with("Pow", 2, "k x") == doctest::Approx(std::exp2(0.1)));
  CHECK(with("Div", 3, "k x") == doctest::Approx(30));
  CHECK(mentions(refused(x_to_y(cube233, node("Pow", "x x", "y"))), "exponents"));
  const auto prelu = plain(floats("s", {2, 1, 1}, {0.5F, 2}) + node("PRelu", "x s", "y"));
  CHECK(std::get<net::prelu>(prelu[1].op).slope == std::vector{0.5F, 2.0F});
  CHECK(run(prelu)[1] == doctest::Approx(-0.1F));
  CHECK(run(plain(floats("s", {2}, {0.5F, 2}) + node("PRelu", "x s", "y"), 6))[9] ==
        doctest::Approx(-2.0F));
  const auto each = plain(floats("s", {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}) +
                          node("PRelu", "x s", "y"));
  CHECK(std::holds_alternative<net::elementwise_prelu>(each[2].op));
  CHECK(run(each)[1] == doctest::Approx(-0.4F));
  CHECK(run(each)[0] == doctest::Approx(0.1F));
  // Slopes that int8 has no number for: one for all takes a factor of them.
  const auto steep = plain(floats("s", {3, 3}, {1, 500, 3, 4, 5, 6, 7, 8, -300}) +
                           node("PRelu", "x s", "y"));
  CHECK(std::get<net::prelu>(steep[1].op).slope == std::vector{4.0F});
  CHECK(run(steep)[1] == doctest::Approx(-100.0F));
  CHECK(run(steep)[0] == doctest::Approx(0.1F));
  CHECK(mentions(refused(x_to_y(cube233, floats("s", {2, 2, 1, 1}, {1, 1, 1, 1}) +
                                             node("PRelu", "x s", "y"))), "do not fit"));
  const auto bn = floats("s", {2}, {1, 2}) + floats("b", {2}, {3, 4}) + floats("m", {2}, {5, 6}) +
                  floats("v", {2}, {4, 9});
  const auto normal = run(plain(bn + node("BatchNormalization", "x s b m v", "y",
                                          number("epsilon", 0) + number("momentum", 0.1F))));
  CHECK(normal[0] == doctest::Approx((0.1F - 5) / 2 + 3));
  CHECK(normal[9] == doctest::Approx(2 * (-1.0F - 6) / 3 + 4));
  CHECK(mentions(
      refused(x_to_y(cube233,
                     bn + node("BatchNormalization", "x s b m v", "y", integer("training_mode", 1)),
                     14)),
      "training_mode"));
  const auto lrn = plain(node("LRN", "x", "y", integer("size", 5) + number("bias", 2)));
  CHECK(std::get<net::lrn>(lrn[1].op).k == 2.0F);

  CHECK(plain(node("Softmax", "x", "y", integer("axis", 1)))[1].shape == net::shape{2, 3, 3});
  const auto old = plain(node("Softmax", "x", "y"), 11);  // over all behind axis 1
  float sum = 0;
  for (const auto v : run(old)) sum += v;
  CHECK(sum == doctest::Approx(1));

  const auto same = plain(floats("ratio", {}, {0.4F}) + node("Dropout", "x ratio", "d mask") +
                          node("Identity", "d", "i") + node("Cast", "i", "c", integer("to", 1)) +
                          node("Relu", "c", "y"));
  CHECK(same.size() == 4);
  CHECK(mentions(refused(x_to_y(cube233, node("Dropout", "x", "d y"))),
                 "its output 1 is not supported"));
  CHECK(mentions(refused(x_to_y(cube233, node("Cast", "x", "y", integer("to", 7)))), "INT64"));
}
