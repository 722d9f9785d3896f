// SPDX-License-Identifier: Apache-2.0
// Operators of com.microsoft that ONNX Runtime makes of several of ONNX's.
#include "onnx_model.hpp"

#include <cmath>

using namespace onnx_model;

namespace {

std::string of_microsoft(const std::string& type, const std::string& in, const std::string& out,
                         const std::string& attributes = {}) {
  return node(type, in, out, "domain: 'com.microsoft' " + attributes);
}
std::string activation(const std::string& function, const std::string& parameters = {}) {
  return word("activation", function) +
         (parameters.empty() ? "" : "attribute { name: 'activation_params' type: FLOATS floats: [" +
                                        parameters + "] } ");
}
const std::string weights = floats("w", {1, 2, 1, 1}, {1, 1}) + floats("b", {1}, {0.1F});

}  // namespace

TEST_CASE("FusedConv: a convolution, a sum and a function of it") {
  // x is 0.1 and -0.2: the convolution -0.1, or 0 with its bias.
  const auto y = [](const std::string& in, const std::string& attributes) {
    return run(x_to_y({1, 2, 1, 1}, weights + floats("z", {1, 1, 1, 1}, {0.5F}) +
                                        of_microsoft("FusedConv", in, "y", attributes)))[0];
  };
  CHECK(y("x w", "") == doctest::Approx(-0.1));
  CHECK(y("x w", activation("Relu")) == 0);
  CHECK(y("x w b", "") == doctest::Approx(0));
  CHECK(y("x w b z", "") == doctest::Approx(0.5));
  CHECK(y("x w - z", activation("Relu")) == doctest::Approx(0.4));
  CHECK(y("x w", activation("Sigmoid")) == doctest::Approx(1 / (1 + std::exp(0.1))));
  CHECK(y("x w", activation("Tanh")) == doctest::Approx(std::tanh(-0.1)));
  CHECK(y("x w", activation("LeakyRelu", "0.5")) == doctest::Approx(-0.05));
  CHECK(y("x w", activation("Clip", "-0.02, 6")) == doctest::Approx(-0.02));
  CHECK(y("x w", activation("HardSigmoid", "0.5, 0.25")) == doctest::Approx(0.2));
  const auto bad = [](const std::string& attributes) {
    return refused(x_to_y({1, 2, 1, 1},
                          weights + of_microsoft("FusedConv", "x w", "y", attributes)));
  };
  CHECK(mentions(bad(activation("Clip", "6")), "its activation Clip has 1 parameters"));
  CHECK(mentions(bad(activation("Mish")), "its activation 'Mish' is not supported"));
  CHECK(mentions(bad(activation("", "6")), "it has parameters of an activation, but none"));
}

TEST_CASE("FusedConv reads a tensor that was computed before") {
  const auto g = read(x_to_y({1, 2, 2, 2}, floats("w", {2, 2, 1, 1}, {1, 0, 0, 1}) +
                                               of_microsoft("FusedConv", "x w - x", "y",
                                                            activation("Relu"))));
  const auto x = ramp({2, 2, 2}).values;
  const auto y = run(g);
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(y[i] == std::max(0.0F, 2 * x[i]));
}

TEST_CASE("FusedGemm: a Gemm and a function of it") {
  // x is 0.1 and -0.2: the product -0.1, and 0 with the bias.
  const auto y = [](const std::string& in, const std::string& attributes) {
    return run(x_to_y({1, 2}, floats("w", {2, 1}, {1, 1}) + floats("b", {1}, {0.1F}) +
                                  floats("z", {1}, {0.5F}) +
                                  of_microsoft("FusedGemm", in, "y", attributes)))[0];
  };
  CHECK(y("x w", "") == doctest::Approx(-0.1));
  CHECK(y("x w b", "") == doctest::Approx(0));
  CHECK(y("x w z", activation("Relu")) == doctest::Approx(0.4));
  CHECK(y("x w z", activation("Relu") + number("beta", 0.5F)) == doctest::Approx(0.15));
  CHECK(y("x w", activation("LeakyRelu")) == doctest::Approx(-0.001));
  CHECK(y("x w", activation("LeakyRelu") + number("activation_alpha", 0.5F)) ==
        doctest::Approx(-0.05));
  CHECK(y("x w", activation("HardSigmoid")) == doctest::Approx(0.48));
  CHECK(y("x w", activation("HardSigmoid") + number("activation_beta", 0.25F)) ==
        doctest::Approx(0.23));
  CHECK(y("x w", activation("Elu")) == doctest::Approx(std::exp(-0.1) - 1));
  CHECK(y("x w", activation("Selu")) == doctest::Approx(1.0507010 * 1.6732632 *
                                                        (std::exp(-0.1) - 1)));
  CHECK(y("x w", activation("Softplus")) == doctest::Approx(std::log1p(std::exp(-0.1))));
  CHECK(y("x w", activation("Softsign")) == doctest::Approx(-0.1 / 1.1));
  CHECK(y("x w", activation("ThresholdedRelu")) == 0);
  const auto bad = refused(x_to_y({1, 2}, floats("w", {2, 1}, {1, 1}) +
                                              of_microsoft("FusedGemm", "x w", "y",
                                                           activation("Relu") +
                                                               number("activation_alpha", 1))));
  CHECK(mentions(bad, "attribute 'activation_alpha' of com.microsoft:FusedGemm is not understood"));
}

TEST_CASE("FusedMatMul: a product of turned matrices, times alpha") {
  // x is 0.1 -0.2 / 0.3 -0.4
  const auto y = [](const std::string& in, const std::string& attributes) {
    return run(x_to_y({1, 2, 2}, floats("w", {2, 2}, {1, 2, 3, 4}) +
                                     of_microsoft("FusedMatMul", in, "y", attributes)));
  };
  check_close(y("x w", ""), {-0.5F, -0.6F, -0.9F, -1.0F});
  check_close(y("x w", number("alpha", 2)), {-1.0F, -1.2F, -1.8F, -2.0F});
  check_close(y("x w", integer("transB", 1)), {-0.3F, -0.5F, -0.5F, -0.7F});
  check_close(y("x w", integer("transA", 1)), {1.0F, 1.4F, -1.4F, -2.0F});
  check_close(y("w x", number("alpha", 2)), {1.4F, -2.0F, 3.0F, -4.4F});
  check_close(y("x x", integer("transB", 1) + number("alpha", 0.5F)),
              {0.025F, 0.055F, 0.055F, 0.125F});
  // The first dimension of [1, 2, 2] becomes the rows: two matrices of one row.
  const auto g = read(x_to_y({1, 2, 2}, floats("w", {2, 2, 1}, {1, 2, 3, 4}) +
                                            of_microsoft("FusedMatMul", "x w", "y",
                                                         integer("transBatchA", 1))));
  check_close(run(g), {0.1F - 0.4F, 0.9F - 1.6F});
  CHECK(mentions(refused(x_to_y({1, 2, 2}, floats("w", {3, 2}, {1, 2, 3, 4, 5, 6}) +
                                               of_microsoft("FusedMatMul", "x w", "y"))),
                 "do not fit"));
}

TEST_CASE("Where: elements that a constant condition chooses") {
  const auto condition = [](const std::vector<std::int64_t>& which) {
    return "initializer { name: 'k' data_type: 9" + list("dims", {1, 2, 2}) +
           list("int32_data", which) + " }\n";
  };
  const auto y = [&](const std::vector<std::int64_t>& which, const std::string& in) {
    return run(x_to_y({1, 2, 2}, condition(which) + floats("a", {1}, {7}) +
                                     node("Neg", "x", "n") + node("Where", in, "y")));
  };
  check_close(y({1, 0, 0, 1}, "k x a"), {0.1F, 7, 7, -0.4F});
  check_close(y({1, 0, 0, 1}, "k a x"), {7, -0.2F, 0.3F, 7});
  check_close(y({1, 0, 1, 1}, "k x n"), {0.1F, 0.2F, 0.3F, -0.4F});
  check_close(y({1, 1, 1, 1}, "k n a"), {-0.1F, 0.2F, -0.3F, 0.4F});
  CHECK(mentions(refused(x_to_y({1, 2, 2}, node("Where", "x x x", "y"))),
                 "its condition is of another type than BOOL"));
  CHECK(mentions(refused(x_to_y({1, 2, 2}, condition({1, 1, 1, 1}) + floats("a", {1}, {7}) +
                                               node("Where", "k a x", "y"))),
                 "its condition chooses no element of what is computed"));
}

TEST_CASE("Gelu of com.microsoft") {
  const auto y = [](const std::string& type, const std::string& in,
                    const std::string& attributes = {}) {
    return run(x_to_y({1, 2}, floats("b", {2}, {1, 2}) +
                                  of_microsoft(type, in, "y", attributes)))[0];
  };
  const auto gelu = [](double v) { return v / 2 * (1 + std::erf(v / std::sqrt(2.0))); };
  CHECK(y("Gelu", "x") == doctest::Approx(gelu(0.1)));
  CHECK(y("BiasGelu", "x b") == doctest::Approx(gelu(1.1)));
  CHECK(y("FastGelu", "x") == doctest::Approx(gelu(0.1)).epsilon(1e-3));
  CHECK(y("FastGelu", "x b") == doctest::Approx(gelu(1.1)).epsilon(1e-3));
  CHECK(y("QuickGelu", "x") == doctest::Approx(0.1 / (1 + std::exp(-0.1702))));
  CHECK(y("QuickGelu", "x", number("alpha", 1)) == doctest::Approx(0.1 / (1 + std::exp(-0.1))));
  CHECK(mentions(refused(x_to_y({1, 2}, of_microsoft("BiasGelu", "x", "y"))), "it has 1 input"));
  CHECK(mentions(refused(x_to_y({1, 2}, of_microsoft("Gelu", "x x", "y"))), "it has 2 inputs"));
}
