// SPDX-License-Identifier: Apache-2.0
// ONNX operators that move elements: changing an attribute changes the result, or is refused.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <nvdlac/quant/calibrate.hpp>

#include "onnx_model.hpp"

using namespace onnx_model;

namespace {

const std::vector<std::int64_t> picture = {1, 4, 2, 3};

}  // namespace

TEST_CASE("depth to space and back") {
  const auto to_space = [](const std::string& a) {
    return x_to_y({1, 4, 1, 2}, node("DepthToSpace", "x", "y", a));
  };
  CHECK(counted(to_space(integer("blocksize", 2))) == numbers{0, 2, 1, 3, 4, 6, 5, 7});
  const std::vector<std::int64_t> deep = {1, 8, 1, 1};
  const auto mode = [&](const std::string& m) {
    return counted(x_to_y(deep, node("DepthToSpace", "x", "y",
                                     integer("blocksize", 2) + word("mode", m))));
  };
  CHECK(mode("DCR") == numbers{0, 2, 4, 6, 1, 3, 5, 7});
  CHECK(mode("CRD") == numbers{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(mentions(refused(to_space(integer("blocksize", 3))), "do not divide 4 channels"));
  CHECK(mentions(refused(to_space("")), "in blocks of 0"));
  CHECK(mentions(refused(to_space(integer("blocksize", 2) + word("mode", "X"))), "mode 'X'"));
  CHECK(counted(x_to_y({1, 1, 2, 4}, node("SpaceToDepth", "x", "y", integer("blocksize", 2)))) ==
        numbers{0, 2, 1, 3, 4, 6, 5, 7});
  CHECK(mentions(refused(x_to_y({1, 1, 3, 4}, node("SpaceToDepth", "x", "y",
                                                   integer("blocksize", 2)))), "do not divide"));
}

TEST_CASE("detection heads: tensors of five dimensions") {
  // Two anchors of three numbers each on 2 x 2 places: x[a * 3 + k][i][j] = 12 a + 4 k + 2 i + j.
  const auto shapes = integers("five", {1, 2, 3, 2, 2}) + integers("rows", {1, -1, 3});
  const auto head = shapes + node("Reshape", "x five", "r") +
                    node("Transpose", "r", "t", ints("perm", {0, 1, 3, 4, 2}));
  const auto wanted = [](const std::function<float(int, int, int, int)>& f) {
    numbers all;
    for (int a = 0; a < 2; ++a)
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          for (int k = 0; k < 3; ++k) all.push_back(f(a, i, j, k));
    return all;
  };
  const auto x = [](int a, int i, int j, int k) {
    return static_cast<float>(12 * a + 4 * k + 2 * i + j);
  };
  const std::vector<std::int64_t> cube = {1, 6, 2, 2};
  CHECK(counted(x_to_y(cube, head + node("Reshape", "t rows", "y"))) == wanted(x));
  CHECK(counted(x_to_y(cube, head + node("Relu", "t", "y"))) == wanted(x));
  // A factor of each anchor, a grid of places, and all together again.
  const auto decoded = counted(x_to_y(
      cube, head + node("Split", "t", "p q", integer("axis", 4) + ints("split", {2, 1})) +
                floats("anchors", {1, 2, 1, 1, 2}, {1, 2, 3, 4}) +
                floats("places", {1, 1, 2, 2, 2}, {0, 0, 1, 0, 0, 1, 1, 1}) +
                node("Mul", "p anchors", "m") + node("Add", "m places", "s") +
                node("Concat", "s q", "c", integer("axis", 4)) + node("Reshape", "c rows", "y"),
      12));
  CHECK(decoded == wanted([&](int a, int i, int j, int k) {
          if (k == 2) return x(a, i, j, k);
          return x(a, i, j, k) * static_cast<float>(2 * a + k + 1) +
                 static_cast<float>(k == 0 ? j : i);
        }));
  // Along an axis in the middle, and of two computed tensors.
  CHECK(counted(x_to_y(cube, shapes + node("Reshape", "x five", "r") +
                                 node("Concat", "r r", "c", integer("axis", 3)) +
                                 integers("flat", {1, 48, 1, 1}) + node("Reshape", "c flat", "y")))
            .at(4) == 0);
  CHECK(counted(x_to_y(cube, head + node("ReduceMax", "t", "m", ints("axes", {4})) +
                                 node("Sub", "t m", "s") + node("Reshape", "s rows", "y"))) ==
        wanted([](int, int, int, int k) { return static_cast<float>(4 * k - 8); }));
  // Channels that are shuffled, and places that move into them: both ends have four dimensions.
  CHECK(counted(x_to_y({1, 1, 2, 4}, integers("six", {1, 1, 2, 1, 2, 2}) +
                                         integers("deep", {1, 4, 2, 1}) +
                                         node("Reshape", "x six", "r") +
                                         node("Transpose", "r", "t",
                                              ints("perm", {0, 1, 5, 4, 2, 3})) +
                                         node("Reshape", "t deep", "y"))) ==
        numbers{0, 4, 2, 6, 1, 5, 3, 7});
  CHECK(counted(x_to_y({1, 24}, head + node("Softmax", "t", "s", integer("axis", 2)) +
                                    node("Reshape", "s rows", "y")))
            .at(8) == doctest::Approx(1 / (1 + std::exp(-2.0))));
  CHECK(mentions(refused(x_to_y({1, 2, 3, 2, 2}, node("Relu", "x", "y"))),
                 "more than 4 dimensions"));
}

TEST_CASE("pads of all kinds") {
  const auto pad = [](const std::string& a, const std::vector<std::int64_t>& pads) {
    return x_to_y({1, 1, 1, 3}, node("Pad", "x", "y", a + ints("pads", pads)), 9);
  };
  const std::vector<std::int64_t> sides = {0, 0, 0, 2, 0, 0, 0, 1};
  CHECK(counted(pad("", sides)) == numbers{0, 0, 0, 1, 2, 0});
  CHECK(counted(pad(number("value", 7), sides)) == numbers{7, 7, 0, 1, 2, 7});
  CHECK(counted(pad(word("mode", "edge"), sides)) == numbers{0, 0, 0, 1, 2, 2});
  CHECK(counted(pad(word("mode", "reflect"), sides)) == numbers{2, 1, 0, 1, 2, 1});
  CHECK(counted(pad(word("mode", "wrap"), sides)) == numbers{1, 2, 0, 1, 2, 0});
  CHECK(counted(pad("", {0, 0, 0, -1, 0, 1, 0, 0})) == numbers{1, 2, 0, 0});
  CHECK(mentions(refused(pad("", {0, 0, 0, -2, 0, 0, 0, -1})), "do not fit"));
  CHECK(mentions(refused(pad(word("mode", "reflect"), {0, 0, 0, 3, 0, 0, 0, 0})), "reflect more"));
  CHECK(counted(x_to_y({1, 1, 1, 2}, integers("p", {1, 0}) + integers("a", {-1}) +
                                         node("Pad", "x p - a", "y"), 18)) == numbers{0, 0, 1});
}

TEST_CASE("resizes") {
  const std::vector<std::int64_t> line = {1, 1, 1, 4};
  const auto resize = [&](const std::string& a, const std::string& values, int opset = 13) {
    return x_to_y(line, values + node("Resize", "x - s", "y", a), opset);
  };
  const auto by = [](float f) { return floats("s", {4}, {1, 1, 1, f}); };
  const auto coordinates = [](const char* m) {
    return word("coordinate_transformation_mode", m);
  };
  const auto nearest = [](const char* m) { return word("nearest_mode", m); };
  CHECK(counted(resize("", by(2))) == numbers{0, 0, 1, 1, 2, 2, 3, 3});
  CHECK(counted(resize(coordinates("asymmetric"), by(2))) == numbers{0, 0, 1, 1, 2, 2, 3, 3});
  CHECK(counted(resize(coordinates("asymmetric") + nearest("ceil"), by(2))) ==
        numbers{0, 1, 1, 2, 2, 3, 3, 3});
  CHECK(counted(resize(nearest("ceil"), by(2))) == numbers{0, 1, 1, 2, 2, 3, 3, 3});
  CHECK(counted(resize(nearest("floor"), by(2))) == numbers{0, 0, 0, 1, 1, 2, 2, 3});
  CHECK(counted(resize(coordinates("align_corners") + nearest("floor"), by(2))) ==
        numbers{0, 0, 0, 1, 1, 2, 2, 3});
  CHECK(counted(resize("", by(0.5F))) == numbers{0, 2});
  CHECK(counted(resize(nearest("round_prefer_ceil"), by(0.5F))) == numbers{1, 3});
  // Elements are counted in float: 0.7 is a little less there, and ten times it 7.
  for (const auto& [factor, elements] : {std::pair{0.7F, 7U}, {2.3F, 23U}})
    CHECK(counted(x_to_y({1, 1, 1, 10}, by(factor) + node("Resize", "x - s", "y"))).size() ==
          elements);
  CHECK(counted(x_to_y(line, integers("n", {1, 1, 2, 4}) + node("Resize", "x - - n", "y"))) ==
        numbers{0, 1, 2, 3, 0, 1, 2, 3});
  CHECK(counted(x_to_y(line, floats("s", {4}, {1, 1, 2, 1}) + node("Resize", "x s", "y"), 10)) ==
        numbers{0, 1, 2, 3, 0, 1, 2, 3});
  CHECK(counted(x_to_y(line, floats("s", {1}, {2}) +
                                 node("Resize", "x - s", "y", ints("axes", {3})), 18)) ==
        numbers{0, 0, 1, 1, 2, 2, 3, 3});
  CHECK(counted(x_to_y(line, node("Upsample", "x", "y",
                                  "attribute { name: 'scales' type: FLOATS floats: 1 floats: 1 "
                                  "floats: 1 floats: 2 } "), 7)) ==
        numbers{0, 0, 1, 1, 2, 2, 3, 3});

  // A single element is all that there is between.
  for (const char* mode : {"nearest", "linear", "cubic"}) {
    const auto all = read(x_to_y({1, 2, 1, 1}, integers("n", {1, 2, 1, 3}) +
                                                   node("Resize", "x - - n", "y",
                                                        word("mode", mode))));
    CHECK(all.size() == 2);
    CHECK(run(all, onnx_model::count) == numbers{0, 0, 0, 1, 1, 1});
  }

  const auto linear = word("mode", "linear");
  check_close(counted(resize(linear, by(2))), {0, 0.25F, 0.75F, 1.25F, 1.75F, 2.25F, 2.75F, 3});
  check_close(counted(resize(linear + coordinates("asymmetric"), by(2))),
              {0, 0.5F, 1, 1.5F, 2, 2.5F, 3, 3});
  check_close(counted(x_to_y(line, integers("n", {1, 1, 1, 7}) +
                                       node("Resize", "x - - n", "y",
                                            linear + coordinates("align_corners")))),
              {0, 0.5F, 1, 1.5F, 2, 2.5F, 3});
  check_close(counted(resize(linear, by(1.5F))), {0, 0.5F, 7.0F / 6, 11.0F / 6, 2.5F, 3});
  check_close(counted(resize(linear, by(0.5F))), {0.5F, 2.5F});
  CHECK(mentions(refused(resize(linear + coordinates("align_corners"), by(0.6F))),
                 "give the sizes of the output"));
  const auto cubic = word("mode", "cubic");
  check_close(counted(resize(cubic, by(2))), {-0.105469F, 0.191406F, 0.667969F, 1.296875F,
                                              1.703125F, 2.332031F, 2.808594F, 3.105469F});
  check_close(counted(resize(cubic + number("cubic_coeff_a", -0.5F), by(2))),
              {-0.070312F, 0.179688F, 0.726562F, 1.25F, 1.75F, 2.273438F, 2.820312F, 3.070312F});
  check_close(counted(resize(cubic + integer("exclude_outside", 1), by(2))),
              {-0.136364F, 0.173145F, 0.645283F, 1.296875F, 1.703125F, 2.354717F, 2.826855F,
               3.136364F});
  CHECK(mentions(refused(resize(word("mode", "square"), by(2))), "mode 'square'"));
  CHECK(mentions(refused(resize(coordinates("tf_crop_and_resize"), by(2))), "tf_crop_and_resize"));
  CHECK(mentions(refused(resize(nearest("up"), by(2))), "nearest_mode 'up'"));
  CHECK(mentions(refused(resize(integer("antialias", 1), by(0.5F), 18)),
                 "it picks the nearest elements with antialias"));
  CHECK(mentions(refused(resize(word("keep_aspect_ratio_policy", "not_larger"), by(2), 18)),
                 "it keeps the ratio of its sides"));
  CHECK(mentions(refused(resize(word("keep_aspect_ratio_policy", "square"), by(2), 18)),
                 "keep_aspect_ratio_policy 'square' is not understood"));
}

TEST_CASE("resizes with antialias") {
  // The numbers are ONNX Runtime's for 0, 1, 4, 9, .. 49.
  const auto squares = [](net::shape s) {
    net::float_tensor t{s};
    for (std::size_t i = 0; i < t.values.size(); ++i) t.values[i] = static_cast<float>(i * i);
    return t;
  };
  const auto resized = [&](std::int64_t to, const std::string& a) {
    return run(read(x_to_y({1, 1, 1, 8}, integers("n", {1, 1, 1, to}) +
                                             node("Resize", "x - - n", "y",
                                                  integer("antialias", 1) + a), 18)),
               squares);
  };
  const auto linear = word("mode", "linear"), cubic = word("mode", "cubic"),
             inside = integer("exclude_outside", 1);
  const auto coordinates = [](const char* m) {
    return word("coordinate_transformation_mode", m);
  };
  check_close(resized(3, linear), {1.81395364F, 13.45238113F, 37.139534F});
  check_close(resized(5, linear),
              {0.35999998F, 4.14814854F, 12.66666698F, 26.18518448F, 44.31999588F});
  check_close(resized(4, linear + inside), {1, 7, 21, 40});
  check_close(resized(3, linear + coordinates("align_corners")),
              {0.59090912F, 13.45238113F, 43.86363602F});
  check_close(resized(4, linear + coordinates("asymmetric")), {0.25F, 4.5F, 16.5F, 36.5F});
  check_close(resized(4, cubic), {0.20703125F, 5.98632812F, 20.23242188F, 42.58984375F});
  check_close(resized(3, cubic + number("cubic_coeff_a", -0.5F)),
              {0.96023601F, 12.42102146F, 38.32524109F});
  check_close(resized(4, cubic + inside), {0.22037417F, 5.88291693F, 20.7293663F, 42.17671204F});
  // The elements 0, 1, 2, .. in the order of the file.
  const auto smaller = [](const std::vector<std::int64_t>& shape,
                          const std::vector<std::int64_t>& sizes, const std::string& mode) {
    return read(x_to_y(shape, integers("n", sizes) + node("Resize", "x - - n", "y",
                                                          mode + integer("antialias", 1)), 18));
  };
  const auto counted_in_file = [](const net::graph& g) {
    const auto& input = g[net::input_nodes(g).at(0)];
    auto x = onnx_model::count(input.shape);
    x.values = input.in_file.at(0).to_cube(std::span<const float>(x.values));
    return in_file::outputs(g, x).at(0).values;
  };
  check_close(counted_in_file(smaller({1, 2, 5, 6}, {1, 2, 2, 3}, linear)),
              {5.90499973F, 7.77999973F, 9.65499973F, 19.34500122F, 21.22000122F, 23.09499931F,
               35.90499878F, 37.78000259F, 39.65499878F, 49.34500122F, 51.22000122F,
               53.09500122F});
  check_close(counted_in_file(smaller({1, 2, 4, 6}, {1, 2, 2, 2}, linear)),
              {4.86111164F, 7.63888979F, 15.36111259F, 18.13888931F, 28.8611145F, 31.63888931F,
               39.3611145F, 42.13889313F});
  check_close(counted_in_file(smaller({1, 2, 4, 6}, {1, 2, 2, 2}, cubic)),
              {3.89819622F, 6.98461533F, 16.01538467F, 19.10180283F, 27.89819527F, 30.98461723F,
               40.01538467F, 43.10180664F});
  // A large one, by whole factors, is one convolution.
  for (const bool is_cubic : {false, true}) {
    const auto even = smaller({1, 1, 32, 36}, {1, 1, 16, 12}, is_cubic ? cubic : linear);
    std::size_t filters = 0;
    for (net::graph::id n = 0; n < even.size(); ++n)
      if (const auto* f = std::get_if<net::convolution>(&even[n].op)) {
        ++filters;
        CHECK(f->window.stride_h == 2);
        CHECK(f->window.stride_w == 3);
        CHECK(f->window.kernel_h == (is_cubic ? 8 : 4));
        CHECK(f->window.kernel_w == (is_cubic ? 11 : 5));
      }
    CHECK(filters == 1);
    const auto y = counted_in_file(even);
    REQUIRE(y.size() == 192);
    check_close({y[0], y[11], y[180], y[191], y[13], y[89], y[5]},
                is_cubic ? numbers{17.9538994F, 51.0773544F, 1099.92261F, 1133.04614F, 93.3486710F,
                                   538, 33.0156288F}
                         : numbers{23.6111107F, 56.3889008F, 1094.61121F, 1127.38892F, 94, 538,
                                   38.5F});
  }
  // A larger result is as without.
  for (const auto& mode : {linear, cubic})
    check_close(resized(12, mode),
                run(read(x_to_y({1, 1, 1, 8}, integers("n", {1, 1, 1, 12}) +
                                                  node("Resize", "x - - n", "y", mode), 18)),
                    squares));
}

TEST_CASE("resizes that keep the ratio of sides") {
  const auto resized = [](const char* policy, const std::vector<std::int64_t>& shape,
                          const std::vector<std::int64_t>& sizes, const std::string& a) {
    return counted(x_to_y(shape, integers("n", sizes) +
                                     node("Resize", "x - - n", "y",
                                          a + ints("axes", {2, 3}) +
                                              word("keep_aspect_ratio_policy", policy)), 18));
  };
  // By ONNX Runtime: the scale stays 1 / 3 where the sizes are rounded.
  CHECK(resized("not_larger", {1, 1, 4, 6}, {2, 2}, "") == numbers{7, 10});
  CHECK(resized("not_smaller", {1, 1, 4, 6}, {2, 2}, "") == numbers{0, 2, 4, 12, 14, 16});
  const auto smooth = word("mode", "linear") + integer("antialias", 1);
  check_close(resized("not_larger", {1, 1, 3, 7}, {2, 3}, smooth), {6, 8.25F, 10.5F});
  check_close(resized("not_smaller", {1, 1, 3, 7}, {2, 3}, smooth),
              {2.66666651F, 4.11111116F, 5.55555534F, 7.11111164F, 8.22222137F, 12, 13.44444466F,
               14.88888931F, 16.44444656F, 17.55555534F});
}

TEST_CASE("joining and transposing") {
  const auto joined = [](std::int64_t axis) {
    return counted(x_to_y({1, 1, 2, 2}, node("Concat", "x x", "y", integer("axis", axis))));
  };
  CHECK(joined(2) == numbers{0, 1, 2, 3, 0, 1, 2, 3});
  CHECK(joined(3) == numbers{0, 1, 0, 1, 2, 3, 2, 3});
  CHECK(counted(x_to_y({1, 1, 2, 3}, node("Transpose", "x", "t", ints("perm", {0, 1, 3, 2})) +
                                         node("Relu", "t", "y"))) == numbers{0, 3, 1, 4, 2, 5});
  CHECK(counted(x_to_y({1, 1, 2, 3}, node("Transpose", "x", "t", ints("perm", {0, 1, 3, 2})) +
                                         floats("w", {1, 1, 1, 1}, {1}) +
                                         node("Conv", "t w", "y"))) ==
        numbers{0, 3, 1, 4, 2, 5});
  CHECK(counted(x_to_y(picture, node("ReduceSum", "x", "y"))) == numbers{276});
  CHECK(counted(x_to_y({1, 2, 1, 2}, node("ReduceMean", "x", "y", ints("axes", {1})))) ==
        numbers{1, 2});
}

TEST_CASE("transposed convolutions") {
  const auto up = [](const std::string& a, const std::vector<float>& w = {1, 2, 3}) {
    return x_to_y({1, 1, 1, 2},
                  floats("w", {1, 1, 1, 3}, w) + node("ConvTranspose", "x w", "y", a));
  };
  CHECK(counted(up("")) == numbers{0, 1, 2, 3});
  CHECK(counted(up(ints("strides", {1, 2}))) == numbers{0, 0, 1, 2, 3});
  CHECK(counted(up(ints("dilations", {1, 2}))) == numbers{0, 1, 0, 2, 0, 3});
  CHECK(counted(up(ints("pads", {0, 1, 0, 0}))) == numbers{1, 2, 3});
  CHECK(counted(up(ints("strides", {1, 2}) + ints("output_padding", {0, 1}))) ==
        numbers{0, 0, 1, 2, 3, 0});
  CHECK(counted(up(word("auto_pad", "SAME_UPPER"))) == numbers{1, 2});
  CHECK(counted(up(word("auto_pad", "SAME_LOWER") + ints("strides", {1, 2}))) ==
        numbers{0, 1, 2, 3});
  CHECK(counted(up(word("auto_pad", "SAME_UPPER") + ints("strides", {1, 2}))) ==
        numbers{0, 0, 1, 2});
  CHECK(counted(up(ints("output_shape", {1, 3}))) == numbers{1, 2, 3});
  CHECK(counted(up(ints("output_shape", {1, 5}))) == numbers{0, 1, 2, 3, 0});
  CHECK(counted(up(ints("kernel_shape", {1, 3}))) == numbers{0, 1, 2, 3});
  CHECK(mentions(refused(up(ints("kernel_shape", {3, 1}))), "kernel_shape"));
  CHECK(mentions(refused(up(word("auto_pad", "SOME"))), "auto_pad 'SOME'"));
  CHECK(mentions(refused(up(ints("pads", {0, -1, 0, 0}))), "pads"));
  CHECK(mentions(refused(up(integer("group", 2))), "groups"));
  CHECK(counted(x_to_y({1, 2, 1, 1}, floats("w", {2, 1, 1, 1}, {3, 5}) + floats("b", {2}, {1, 2}) +
                                         node("ConvTranspose", "x w b", "y",
                                              integer("group", 2)))) == numbers{1, 7});
}

TEST_CASE("padding before an average") {
  const auto mean = [](const std::vector<std::int64_t>& pads, const std::string& window) {
    return read(x_to_y({1, 1, 2, 2}, node("Pad", "x", "p", ints("pads", pads)) +
                                         node("AveragePool", "p", "y", window), 9));
  };
  const auto in_window = mean({0, 0, 1, 0, 0, 0, 0, 0}, ints("kernel_shape", {2, 2}));
  CHECK(in_window.size() == 2);
  check_close(run(in_window), {-0.025F, -0.05F});
  // A window would lie in padding alone.
  check_close(run(mean({0, 0, 2, 0, 0, 0, 0, 0}, ints("kernel_shape", {2, 2}))),
              {0, -0.025F, -0.05F});
  // The zeros of the input count, the window's own padding does not.
  check_close(run(mean({0, 0, 0, 1, 0, 0, 0, 0},
                       ints("kernel_shape", {1, 2}) + ints("pads", {0, 1, 0, 0}))),
              {0, 0.05F, -0.05F, 0, 0.15F, -0.05F});
}

TEST_CASE("padding with zeros before a maximum of what is never negative") {
  const auto maxima = [](const std::string& function) {
    const auto padding = node("Pad", "f", "p", ints("pads", {0, 0, 1, 0, 0, 0, 0, 1}));
    return read(x_to_y({1, 1, 2, 2}, node(function, "x", "f") + padding +
                                         node("MaxPool", "p", "y", ints("kernel_shape", {2, 2})),
                       9));
  };
  const auto mixed = [](net::shape s) { return net::float_tensor{s, {-1, 2, 3, -4}}; };
  const auto joined = maxima("Relu");
  CHECK(joined.size() == 3);
  CHECK(run(joined, mixed) == numbers{2, 2, 3, 2});
  // Zeros are more than what is negative.
  const auto negative = [](net::shape s) { return net::float_tensor{s, {-6, -3, -2, -9}}; };
  const auto apart = maxima("Neg");
  CHECK(apart.size() > 3);
  CHECK(run(apart, mixed) == numbers{1, 0, 4, 4});
  CHECK(run(apart, negative) == numbers{6, 3, 9, 9});
}

TEST_CASE("what is padded with minus infinity is the padding of a maximum") {
  const auto file = [](const std::string& pool) {
    return x_to_y({1, 2, 4, 4}, integers("p", {0, 0, 1, 1, 0, 0, 1, 1}) +
                                    "initializer { name: 'low' data_type: 1 float_data: -inf }\n" +
                                    node("Pad", "x p low", "q") + pool);
  };
  const auto window = ints("kernel_shape", {3, 3}) + ints("strides", {2, 2});
  const auto g = read(file(node("MaxPool", "q", "y", window)));
  CHECK(g.size() == 2);
  CHECK(run(g) == run(x_to_y({1, 2, 4, 4}, node("MaxPool", "x", "y",
                                                window + ints("pads", {1, 1, 1, 1})))));
  for (const auto& other :
       {node("AveragePool", "q", "y", window), node("Relu", "q", "y"),
        node("MaxPool", "q", "y", window + ints("dilations", {1, 2}))})
    CHECK(mentions(refused(file(other)), "it takes a tensor that is padded with minus infinity"));
  CHECK(mentions(refused(file(node("Identity", "q", "y"))), "padded with minus infinity"));
}

TEST_CASE("a function of a part of a tensor is computed of that part alone") {
  const auto part = [](int axis, int first, int end) {
    return integers("first", {first}) + integers("end", {end}) + integers("axis", {axis}) +
           node("Slice", "x first end axis", "s");
  };
  const std::vector<std::int64_t> four{1, 4, 1, 1};
  const auto of = [&](const std::string& body) { return read(x_to_y(four, part(1, 2, 4) + body)); };

  SUBCASE("channels") {
    const auto g = of(node("Exp", "s", "y"));
    REQUIRE(g.size() == 3);
    CHECK(std::holds_alternative<net::move>(g[1].op));
    CHECK(g[1].shape == net::shape{2, 1, 1});
    check_close(run(g, onnx_model::count), {std::exp(2.0F), std::exp(3.0F)});
    // Values that are left out have no part in the scale.
    const std::vector<net::float_tensor> samples{{{4, 1, 1}, {9, -9, 1, 2}}};
    const auto scales = quant::calibrate<quant::min_max>(g, samples);
    CHECK(scales.entries.at(2).range.step() == doctest::Approx(std::exp(2.0) / 127));
  }
  SUBCASE("places where the function has no value") {
    for (const auto& [type, y] : std::vector<std::pair<std::string, numbers>>{
             {"Log", {0, std::log(2.0F), std::log(3.0F)}}, {"Reciprocal", {1, 0.5F, 1.0F / 3}}}) {
      CAPTURE(type);
      const auto g = read(x_to_y({1, 4}, part(1, 1, 4) + node(type, "s", "y")));
      check_close(run(g, onnx_model::count), y);
      for (net::graph::id n = 1; n < g.size(); ++n) CHECK(g[n].shape == net::shape{3, 1, 1});
    }
  }
  SUBCASE("powers, products and sums of powers") {
    const auto two = floats("two", {}, {2});
    for (const auto& [body, y] : std::vector<std::pair<std::string, numbers>>{
             {two + node("Pow", "s two", "y"), {4, 9}},
             {node("Mul", "s s", "y"), {4, 9}},
             {node("Relu", "s", "r") + node("Mul", "s r", "y"), {4, 9}},
             {two + node("Add", "s two", "r") + node("Mul", "s r", "y"), {8, 15}},
             {node("ReduceSumSquare", "s", "y", ints("axes", {1})), {13}},
             {node("ReduceLogSumExp", "s", "y", ints("axes", {1})), {3.3132617F}},
             {node("Neg", "s", "r") + node("Div", "r s", "y"), {-1, -1}}}) {
      CAPTURE(body);
      const auto g = of(body);
      check_close(run(g, onnx_model::count), y);
      for (net::graph::id n = 1; n < g.size(); ++n)
        if (std::holds_alternative<net::multiply>(g[n].op) ||
            std::holds_alternative<net::activation>(g[n].op))
          CHECK(g[n].shape.c <= 2);
    }
  }
  SUBCASE("lines, columns and elements apart") {
    const std::vector<std::int64_t> cube{1, 2, 3, 4};
    const auto shape = [&](const std::string& body) {
      const auto g = read(x_to_y(cube, body + node("Exp", "s", "y")));
      CHECK(run(g).size() == g[g.size() - 1].shape.size());
      return g[g.size() - 1].shape;
    };
    CHECK(shape(part(2, 1, 3)) == net::shape{2, 2, 4});
    CHECK(shape(integers("i", {0, 3, 3}) + node("Gather", "x i", "t", integer("axis", 3)) +
                integers("first", {1}) + integers("end", {2}) + integers("axis", {1}) +
                node("Slice", "t first end axis", "u") +
                integers("j", {0, 1}) + node("Gather", "u j", "s", integer("axis", 3))) ==
          net::shape{1, 3, 2});
    // The first two elements of one line, and all of another one.
    const auto line = integers("n", {1, 24}) + node("Reshape", "x n", "r") +
                      integers("k", {0, 1, 4, 5, 6, 7}) +
                      node("Gather", "r k", "s", integer("axis", 1));
    CHECK(shape(line) == net::shape{6, 1, 1});
  }
  SUBCASE("a transposition behind it stays where it is") {
    const auto g = read(x_to_y({1, 4, 2, 3}, part(1, 2, 4) + node("Transpose", "s", "t",
                                                                  ints("perm", {0, 3, 2, 1})) +
                                                 node("Exp", "t", "e") + node("Log", "e", "y")));
    CHECK(g.size() == 4);
    CHECK(g[1].shape == net::shape{2, 2, 3});
    check_close(run(g, onnx_model::count), {12, 18, 15, 21, 13, 19, 16, 22, 14, 20, 17, 23});
  }
}

TEST_CASE("what is as good for all of a tensor is computed before a part that takes a layer") {
  const auto body = floats("f", {2, 2, 1, 1}, {1, 0, 0, 1}) + node("Conv", "x f", "m") +
                    integers("first", {1}) + integers("end", {3}) + integers("axis", {2}) +
                    node("Slice", "m first end axis", "s") +
                    floats("k", {2, 1, 1}, {2, 4}) + node("Mul", "s k", "n") +
                    node("Relu", "n", "y");
  const auto g = read(x_to_y(cube233, body));
  REQUIRE(g.size() == 5);  // input, convolution, scale, ReLU and the slice
  CHECK(std::holds_alternative<net::relu>(g[3].op));
  CHECK(g[3].shape == net::shape{2, 3, 3});
  // Channels that begin with an atom are a part without a layer: a gate is computed of it.
  const auto gate = read(x_to_y({1, 16, 1, 1},
                                integers("first", {8}) + integers("end", {16}) +
                                    integers("axis", {1}) +
                                    node("Slice", "x first end axis", "s") +
                                    floats("k", {}, {0.5F}) + node("Mul", "s k", "h") +
                                    node("Erf", "h", "e") + node("Mul", "s e", "y")));
  REQUIRE(gate.size() == 5);
  CHECK(std::holds_alternative<net::move>(gate[1].op));
  for (net::graph::id n = 1; n < gate.size(); ++n) CHECK(gate[n].shape == net::shape{8, 1, 1});
}

TEST_CASE("a movement that several layers read is made once") {
  const auto window = ints("kernel_shape", {2, 2});
  const auto behind = node("MaxPool", "m", "p", window) + node("AveragePool", "m", "q", window) +
                      node("Add", "p q", "y");
  const auto movements = [&](const std::string& moved) {
    const auto g = read(x_to_y({1, 2, 4, 2}, node("LRN", "x", "r", integer("size", 1)) + moved +
                                                 behind));
    return g.size() - 5;  // input, LRN, two poolings and the sum
  };
  CHECK(movements(integers("s", {1, 1, 4, 4}) + node("Reshape", "r s", "m")) == 1);
  CHECK(movements(node("Transpose", "r", "m", ints("perm", {0, 2, 1, 3}))) == 1);
}
