// SPDX-License-Identifier: Apache-2.0
// Resizing of pictures for which a matrix of all factors would be too large.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <variant>

#include <nvdlac/net/evaluate.hpp>

#include "../net/random.hpp"
#include "onnx_model.hpp"

using namespace nvdlac;
using namespace onnx_model;

namespace {

struct resize {
  net::shape from, to;
  std::string coordinates;
  std::function<double(double, double, double)> place;  // of output i, in elements, out elements
};

// Bilinear, by its definition.
double expected(const net::float_tensor& x, const resize& r, int c, int y, int x_) {
  const auto sides = [](double at, int size) {
    const double low = std::floor(at);
    const auto inside = [&](double p) {
      return std::clamp(static_cast<int>(p), 0, size - 1);
    };
    return std::tuple{inside(low), inside(low + 1), at - low};
  };
  const auto [top, bottom, v] = sides(r.place(y, r.from.h, r.to.h), r.from.h);
  const auto [left, right, h] = sides(r.place(x_, r.from.w, r.to.w), r.from.w);
  const auto at = [&](int i, int j) { return double{x.at(c, i, j)}; };
  return (1 - v) * ((1 - h) * at(top, left) + h * at(top, right)) +
         v * ((1 - h) * at(bottom, left) + h * at(bottom, right));
}
net::graph read_resize(const resize& r, const std::string& mode = "linear") {
  return read(x_to_y({1, r.from.c, r.from.h, r.from.w},
                     integers("n", {1, r.to.c, r.to.h, r.to.w}) +
                         node("Resize", "x - - n", "y",
                              word("mode", mode.c_str()) +
                                  word("coordinate_transformation_mode", r.coordinates.c_str()))));
}

}  // namespace

TEST_CASE("large pictures are interpolated by height and width, few layers for any factor") {
  const auto corners = [](double i, double in, double out) { return i * (in - 1) / (out - 1); };
  const auto centres = [](double i, double in, double out) { return (i + 0.5) * in / out - 0.5; };
  const auto first = [](double i, double in, double out) { return i * in / out; };
  for (const resize& r : {resize{{2, 32, 30}, {2, 64, 60}, "align_corners", corners},
                          resize{{2, 24, 20}, {2, 49, 33}, "half_pixel", centres},
                          resize{{1, 100, 90}, {1, 151, 90}, "pytorch_half_pixel", centres},
                          resize{{1, 4, 400}, {1, 4, 401}, "asymmetric", first},
                          resize{{1, 64, 64}, {1, 40, 37}, "half_pixel", centres}}) {
    CAPTURE(r.coordinates);
    CAPTURE(r.to.h);
    const auto g = read_resize(r);
    CHECK(g.size() <= 18);
    CHECK(g[g.outputs()[0]].shape == r.to);
    net::float_tensor x{r.from};
    randomness random(2);
    x.values = random.reals(x.values.size());
    const auto y = net::evaluate(g, x)[0];
    double most = 0;
    for (int c = 0; c < r.to.c; ++c)
      for (int i = 0; i < r.to.h; ++i)
        for (int j = 0; j < r.to.w; ++j)
          most = std::max(most, std::fabs(double{y.at(c, i, j)} - expected(x, r, c, i, j)));
    CHECK(most < 1e-5);
  }
}

TEST_CASE("cubic interpolation of a large picture keeps a constant one") {
  const resize r{{1, 40, 40}, {1, 70, 50}, "half_pixel", {}};
  const auto g = read_resize(r, "cubic");
  CHECK(std::holds_alternative<net::add>(g[g.outputs()[0]].op));
  net::float_tensor x{r.from};
  std::ranges::fill(x.values, 3.0F);
  const auto y = net::evaluate(g, x);
  for (const float v : y[0].values) CHECK(v == doctest::Approx(3.0F));
}
