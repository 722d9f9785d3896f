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
