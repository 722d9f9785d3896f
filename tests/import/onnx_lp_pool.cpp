// SPDX-License-Identifier: Apache-2.0
// ONNX's LpPool and GlobalLpPool beside a reference that goes over the windows one by one.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "onnx_model.hpp"

using namespace onnx_model;

namespace {

// One of both dimensions of a pooling.
struct side {
  std::int64_t size, kernel, stride = 1, before = 0, after = 0, dilation = 1;

  // As many windows as fit and, with ceil_mode, one more over what they leave, if it begins before
  // the padding behind the input.
  std::int64_t outputs(bool ceil) const {
    std::int64_t n = 0, first = -before, end = 0;  // of the next window, of the last one
    for (; first + (kernel - 1) * dilation < size + after; first += stride, ++n)
      end = first + (kernel - 1) * dilation + 1;
    return ceil && end < size + after && first < size ? n + 1 : n;
  }
};

numbers reference(const net::float_tensor& x, const side& rows, const side& columns, double p,
                  bool ceil = false) {
  numbers y;
  for (std::int32_t c = 0; c < x.shape.c; ++c)
    for (std::int64_t i = 0; i < rows.outputs(ceil); ++i)
      for (std::int64_t j = 0; j < columns.outputs(ceil); ++j) {
        double sum = 0;
        for (std::int64_t k = 0; k < rows.kernel; ++k)
          for (std::int64_t l = 0; l < columns.kernel; ++l) {
            const auto row = i * rows.stride - rows.before + k * rows.dilation;
            const auto column = j * columns.stride - columns.before + l * columns.dilation;
            if (row < 0 || column < 0 || row >= rows.size || column >= columns.size) continue;
            sum += std::pow(std::fabs(double{x.at(c, static_cast<std::int32_t>(row),
                                                  static_cast<std::int32_t>(column))}), p);
          }
        y.push_back(static_cast<float>(std::pow(sum, 1 / p)));
      }
  return y;
}

numbers pooled(const std::string& attributes, const std::vector<std::int64_t>& shape = {1, 2, 7, 6},
               const std::string& type = "LpPool") {
  return run(x_to_y(shape, node(type, "x", "y", attributes), 18));
}
std::string bad(const std::string& attributes,
                const std::vector<std::int64_t>& shape = {1, 2, 7, 6},
                const std::string& type = "LpPool") {
  return refused(x_to_y(shape, node(type, "x", "y", attributes), 18));
}
const std::string kernel = ints("kernel_shape", {3, 2});
const net::float_tensor x = ramp({2, 7, 6});

}  // namespace

TEST_CASE("ONNX: the norms of windows") {
  for (const std::int64_t p : {1, 2, 3, 4, 5}) {
    CAPTURE(p);
    const auto norm = integer("p", p);
    const auto n = static_cast<double>(p);
    check_close(pooled(kernel + norm), reference(x, {7, 3}, {6, 2}, n));
    check_close(pooled(kernel + norm + ints("strides", {2, 3}) + ints("pads", {1, 0, 2, 1})),
                reference(x, {7, 3, 2, 1, 2}, {6, 2, 3, 0, 1}, n));
    check_close(pooled(kernel + norm + ints("dilations", {2, 3}) + ints("pads", {1, 1, 1, 1})),
                reference(x, {7, 3, 1, 1, 1, 2}, {6, 2, 1, 1, 1, 3}, n));
    check_close(pooled(norm, {1, 2, 7, 6}, "GlobalLpPool"), reference(x, {7, 7}, {6, 6}, n));
  }
  // 2 is the default.
  CHECK(pooled(kernel) == pooled(kernel + integer("p", 2)));
  CHECK(pooled("", {1, 2, 7, 6}, "GlobalLpPool") ==
        pooled(integer("p", 2), {1, 2, 7, 6}, "GlobalLpPool"));
  // A length instead of a picture.
  check_close(pooled(ints("kernel_shape", {3}) + ints("strides", {2}), {1, 2, 42}),
              reference(ramp({2, 42, 1}), {42, 3, 2}, {1, 1}, 2));
  // The padding that a Pad put around the input is that of the sums.
  const auto padding = integers("p", {0, 0, 1, 0, 0, 0, 1, 2});
  const auto g = read(x_to_y({1, 2, 7, 6}, padding + node("Pad", "x p", "a") +
                                               node("LpPool", "a", "y", kernel)));
  check_close(run(g), reference(x, {7, 3, 1, 1, 1}, {6, 2, 1, 0, 2}, 2));
  for (std::size_t n = 0; n < g.size(); ++n) CHECK(!std::holds_alternative<net::move>(g[n].op));
}

TEST_CASE("ONNX: windows of norms that the file does not place itself") {
  const auto strides = ints("strides", {3, 4});
  const auto mode = [](const char* m) { return word("auto_pad", m); };
  // 7 rows at steps of 3 are 3 windows, which need 9 rows; 6 columns at steps of 4 are 2 of 6.
  check_close(pooled(kernel + strides + mode("SAME_UPPER")),
              reference(x, {7, 3, 3, 1, 1}, {6, 2, 4}, 2));
  check_close(pooled(kernel + ints("strides", {3, 5}) + mode("SAME_LOWER")),
              reference(x, {7, 3, 3, 1, 1}, {6, 2, 5, 1, 0}, 2));
  check_close(pooled(kernel + strides + mode("VALID")), reference(x, {7, 3, 3}, {6, 2, 4}, 2));
  // With ceil_mode the last windows hang over the input, where there are only zeros.
  const auto ceil = integer("ceil_mode", 1);
  check_close(pooled(kernel + ints("strides", {3, 3}) + ceil),
              reference(x, {7, 3, 3}, {6, 2, 3}, 2, true));
  check_close(pooled(ints("kernel_shape", {4, 3}) + ints("strides", {2, 2}) + ceil +
                     integer("p", 1)),
              reference(x, {7, 4, 2}, {6, 3, 2}, 1, true));
  check_close(pooled(ints("kernel_shape", {2, 2}) + ints("strides", {3, 3}) +
                     ints("dilations", {2, 2}) + ints("pads", {1, 1, 1, 1}) + ceil),
              reference(x, {7, 2, 3, 1, 1, 2}, {6, 2, 3, 1, 1, 2}, 2, true));
}

TEST_CASE("ONNX: norms that are none") {
  CHECK(mentions(bad(kernel + integer("p", 0)), "layer 'LpPool_y': its p is 0"));
  CHECK(mentions(bad(kernel + integer("p", -2)), "its p is -2"));
  CHECK(mentions(bad(kernel + integer("p", 65)), "its p is 65 (1 to 64 are supported)"));
  CHECK(mentions(bad(kernel + number("p", 2)), "attribute 'p' is of type FLOAT instead of INT"));
  CHECK(mentions(bad(""), "its kernel_shape is missing"));
  CHECK(mentions(bad(ints("kernel_shape", {8, 2})),
                 "its window spans 8 elements but the padded input has only 7"));
  CHECK(mentions(bad(kernel + integer("count_include_pad", 1)),
                 "attribute 'count_include_pad' of LpPool is not understood (understood are "
                 "auto_pad, ceil_mode, dilations, kernel_shape, p, pads, strides)"));
  CHECK(mentions(bad(kernel, {1, 2}), "pictures [1, channels, height, width]"));
  CHECK(mentions(bad("", {1, 2}, "GlobalLpPool"), "pictures [1, channels, height, width]"));
  // Ones for a window that padding makes possible are not made before they are counted.
  CHECK(mentions(bad(ints("kernel_shape", {40000, 40000}) +
                     ints("pads", {20000, 20000, 20000, 20000})), "--limit weights="));
}
