// SPDX-License-Identifier: Apache-2.0
// ONNX operators that are products with a matrix of known factors.
#include "onnx_model.hpp"

using namespace onnx_model;

TEST_CASE("pictures sampled at constant places") {
  // Samples the picture 0 1 / 2 3.
  const auto at = [](float x, float y, const std::string& a, int opset = 16) {
    const auto g = read(x_to_y({1, 1, 2, 2}, floats("g", {1, 1, 1, 2}, {x, y}) +
                                                 node("GridSample", "x g", "y", a), opset));
    return net::evaluate(g, net::float_tensor{{1, 2, 2}, {0, 1, 2, 3}}).at(0).values.at(0);
  };
  const auto mode = [](const char* m) { return word("mode", m); };
  const auto outside = [](const char* m) { return word("padding_mode", m); };
  CHECK(at(0, 0, "") == doctest::Approx(1.5));
  CHECK(at(-0.5F, 0, "") == doctest::Approx(1));
  CHECK(at(0, -0.5F, "") == doctest::Approx(0.5));
  CHECK(at(0, 0, mode("nearest")) == 0);
  CHECK(at(0, 0, mode("bicubic")) == doctest::Approx(6 * 0.59375 * 0.59375));
  CHECK(at(0, 0, mode("cubic"), 20) == at(0, 0, mode("bicubic")));
  CHECK(at(1, 1, "") == doctest::Approx(0.75));
  CHECK(at(1, 1, integer("align_corners", 1)) == doctest::Approx(3));
  CHECK(at(1, 1, outside("border")) == doctest::Approx(3));
  CHECK(at(2, 2, "") == 0);
  CHECK(at(2, 2, outside("border")) == doctest::Approx(3));
  CHECK(at(2, 2, outside("reflection")) == doctest::Approx(1.5));
  const auto bad = [](const std::string& grid, const std::string& a) {
    return refused(x_to_y({1, 1, 2, 2}, grid + node("GridSample", "x g", "y", a), 16));
  };
  const auto one = floats("g", {1, 1, 1, 2}, {0, 0});
  CHECK(mentions(bad(one, mode("best")), "mode 'best'"));
  CHECK(mentions(bad(one, outside("ones")), "padding_mode 'ones'"));
  CHECK(mentions(bad(floats("g", {1, 1, 2}, {0, 0}), ""), "samples [1, 1, 2, 2] at [1, 1, 2]"));
  CHECK(mentions(bad(floats("g", {1, 1, 1, 2}, {0, 1e30F}), ""), "samples at"));
  CHECK(mentions(bad(node("Identity", "x", "g"), ""), "places are not constant"));
}

TEST_CASE("Fourier transforms") {
  const auto dft = [](const std::vector<std::int64_t>& shape, const std::string& in,
                      const std::string& a, const std::string& constants = "", int opset = 17) {
    const auto g = read(x_to_y(shape, constants + node("DFT", in, "y", a), opset));
    net::float_tensor x{g[net::input_nodes(g).at(0)].shape};
    for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] = static_cast<float>(i);
    return in_file::outputs(g, x).at(0).values;
  };
  check_close(dft({1, 4, 1}, "x", ""), {6, 0, -2, 2, -2, 0, -2, -2});
  check_close(dft({1, 4, 1}, "x", integer("onesided", 1)), {6, 0, -2, 2, -2, 0});
  check_close(dft({1, 4, 1}, "x", integer("axis", 0)), {0, 0, 1, 0, 2, 0, 3, 0});
  check_close(dft({1, 4, 1}, "x n", "", integers("n", {2})), {1, 0, -1, 0});
  check_close(dft({1, 2, 2}, "x", ""), {2, 4, -2, -2});
  check_close(dft({1, 2, 2}, "x", integer("inverse", 1)), {1, 2, -1, -1});
  check_close(dft({1, 2, 2, 1}, "x", ""), {2, 0, 4, 0, -2, 0, -2, 0});
  check_close(dft({1, 2, 2, 1}, "x", integer("axis", 2)), {1, 0, -1, 0, 5, 0, -1, 0});
  check_close(dft({1, 2, 2, 1}, "x", "", "", 20), {1, 0, -1, 0, 5, 0, -1, 0});
  check_close(dft({1, 2, 2, 1}, "x - a", "", integers("a", {1}), 20),
              {2, 0, 4, 0, -2, 0, -2, 0});
  const auto bad = [](const std::vector<std::int64_t>& shape, const std::string& a) {
    return refused(x_to_y(shape, node("DFT", "x", "y", a), 17));
  };
  CHECK(mentions(bad({1, 4, 3}, ""), "transforms axis 1 of [1, 4, 3]"));
  CHECK(mentions(bad({1, 4, 1}, integer("axis", 2)), "transforms axis 2"));
  CHECK(mentions(bad({1, 4, 2}, integer("onesided", 1)), "complex"));
  CHECK(mentions(bad({1, 4, 1}, integer("onesided", 1) + integer("inverse", 1)), "onesided"));
}
