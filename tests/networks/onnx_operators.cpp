// SPDX-License-Identifier: Apache-2.0
// ONNX's operators that libonnx-testdata has not, behind a convolution.
#include <doctest/doctest.h>

#include <string>

#include "../import/onnx_model.hpp"
#include "operators.hpp"

using namespace onnx_model;

namespace {

// A convolution of a picture gives 8 channels c to the operators, which write y.
net::graph behind_convolution(const std::string& operators, int opset) {
  randomness random(5);
  return read(x_to_y({1, 8, 6, 6}, floats("w", {8, 8, 3, 3}, random.reals(576)) +
                                       node("Conv", "x w", "c", ints("pads", {1, 1, 1, 1})) +
                                       operators, opset));
}

}  // namespace

TEST_CASE("ONNX: channels normalised in groups, on the simulator") {
  const auto affine = [](std::int64_t n) {
    randomness random(7);
    const auto size = static_cast<std::size_t>(n);
    return floats("g", {n}, random.reals(size)) + floats("b", {n}, random.reals(size));
  };
  const auto operators = node("GroupNormalization", "c g b", "y", integer("num_groups", 4));
  networks::check("of groups", behind_convolution(affine(4) + operators, 18));
  networks::check("of channels", behind_convolution(affine(8) + operators, 21));
  // As PyTorch writes it for earlier opsets.
  const auto written = integers("lines", {0, 4, -1}) + integers("cube", {1, 8, 6, 6}) +
                       floats("ones", {4}, {1, 1, 1, 1}) + floats("zeros", {4}, {0, 0, 0, 0}) +
                       floats("g", {8, 1, 1}, randomness(7).reals(8)) +
                       floats("b", {8, 1, 1}, randomness(9).reals(8)) +
                       node("Reshape", "c lines", "l") +
                       node("InstanceNormalization", "l ones zeros", "n") +
                       node("Reshape", "n cube", "r") + node("Mul", "r g", "m") +
                       node("Add", "m b", "y");
  networks::check("as PyTorch writes it", behind_convolution(written, 13));
}

TEST_CASE("ONNX: norms of windows, on the simulator") {
  const auto pool = [](std::int64_t p) {
    return node("LpPool", "c", "y", ints("kernel_shape", {3, 2}) + ints("strides", {2, 2}) +
                                        ints("pads", {1, 0, 1, 1}) + integer("p", p));
  };
  for (const std::int64_t p : {1, 2, 3})
    networks::check(text("of ", p), behind_convolution(pool(p), 18));
  networks::check("of all", behind_convolution(node("GlobalLpPool", "c", "y"), 18));
}

// A convolution whose weights have 4 bits and a scale for each block, a mean and a choice of
// quantised tensors, and products that ONNX Runtime has fused with what follows them.
TEST_CASE("ONNX: the operators of quantised classifiers, on the simulator") {
  const auto of_microsoft = [](const std::string& type, const std::string& in,
                               const std::string& out, const std::string& attributes = {}) {
    return node(type, in, out, "domain: 'com.microsoft' " + attributes);
  };
  const auto initializer = [](const char* name, int type, const std::vector<std::int64_t>& shape,
                              const std::string& values) {
    return "initializer { name: '" + std::string(name) + text("' data_type: ", type) +
           list("dims", shape) + ' ' + values + " }\n";
  };
  const auto grid = [&](const std::string& name, float scale, int zero) {
    return floats(name + ".s", {}, {scale}) +
           initializer((name + ".z").c_str(), 3, {}, text("int32_data: ", zero));
  };
  // 64 numbers of 4 bits, two in a byte.
  std::string packed;
  for (int i = 0; i < 32; ++i) packed += text("int32_data: ", (37 * i + 11) % 256, ' ');
  randomness random(13);
  const auto weights =
      initializer("w4", 22, {8, 8, 1, 1}, packed) +
      floats("w4.s", {8, 2, 1, 1}, std::vector<float>(16, 0.1F)) +
      node("DequantizeLinear", "w4 w4.s", "w", integer("axis", 1) + integer("block_size", 4)) +
      floats("g", {8, 6}, random.reals(48)) + floats("b", {6}, random.reals(6)) +
      floats("m", {4, 6}, random.reals(24));
  const auto choice = initializer("k", 9, {1, 8, 1, 1}, "int32_data: [1, 1, 0, 1, 1, 1, 0, 1]") +
                      initializer("v", 3, {}, "int32_data: 9");
  const auto network =
      weights + choice + grid("c", 0.05F, 3) + grid("a", 0.02F, -10) +
      node("Conv", "x w", "c") + node("CastLike", "c x", "d") +
      node("QuantizeLinear", "d c.s c.z", "cq") +
      of_microsoft("QLinearReduceMean", "cq c.s c.z a.s a.z", "aq", ints("axes", {2, 3})) +
      of_microsoft("QLinearWhere", "k aq a.s a.z v a.s a.z a.s a.z", "wq") +
      node("DequantizeLinear", "wq a.s a.z", "p") + node("Flatten", "p", "f") +
      of_microsoft("FusedGemm", "f g b", "h", word("activation", "Relu")) +
      of_microsoft("FusedMatMul", "h m", "y", integer("transB", 1) + number("alpha", 0.5F));
  networks::check("float", read(x_to_y({1, 8, 6, 6}, network, 21)));
}
