// SPDX-License-Identifier: Apache-2.0
// Types of Caffe's layers that are read, and those of extensions beside their definitions.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <nvdlac/import/caffe.hpp>

#include "outcome.hpp"

using namespace nvdlac;

namespace {

// Reads layers with noise in place of weights, for a picture of 4 x 6 x 5.
outcome read(const std::string& layers) {
  return outcome_of([&] {
    const std::string input = "input: 'data' input_shape { dim: 1 dim: 4 dim: 6 dim: 5 } ";
    return import::caffe_format::read(
               {"net.prototxt", input + layers},
               import::caffe_format::weights(import::random_weights{1}, budget{}.weights)).graph;
  });
}
std::string layer(const std::string& type, const std::string& rest = {},
                  const std::string& bottoms = "bottom: 'data'", const std::string& name = "l") {
  return "layer { name: '" + name + "' type: '" + type + "' " + bottoms + " top: '" + name + "' " +
         rest + " }\n";
}
void check_close(const outcome& found, const std::vector<float>& expected) {
  CHECK(found.complaint == "");
  REQUIRE(found.outputs.size() == 1);
  REQUIRE(found.outputs[0].values.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK(found.outputs[0].values[i] == doctest::Approx(expected[i]).epsilon(1e-5));
}
net::float_tensor input() {
  return read(layer("Split")).outputs.at(0);
}

}  // namespace

TEST_CASE("Caffe: every type of layer is read or refused by its name") {
  // Types of BVLC Caffe that a deployed network cannot hold, and why.
  const auto called = [](std::string_view type) {
    return text("it is ", std::string_view("AEIOU").find(type[0]) == type.npos ? "a " : "an ",
                type);
  };
  for (const char* type : {"Data", "DummyData", "HDF5Data", "ImageData", "MemoryData",
                           "WindowData"})
    CHECK(mentions(read(layer(type)).complaint,
                   text(called(type), " layer, which reads a training set")));
  for (const char* type : {"Accuracy", "ContrastiveLoss", "EuclideanLoss", "HDF5Output",
                           "HingeLoss", "InfogainLoss", "MultinomialLogisticLoss",
                           "SigmoidCrossEntropyLoss", "SoftmaxWithLoss"})
    CHECK(mentions(read(layer(type)).complaint,
                   text(called(type), " layer, which is of use in training")));
  // Types for sequences and for whole batches.
  for (const char* type : {"BatchReindex", "Embed", "Filter", "Im2col", "LSTM", "LSTMUnit",
                           "Parameter", "Python", "RNN"})
    CHECK(mentions(read(layer(type)).complaint,
                   text("layer 'l': layers of type ", type, " are not supported (supported are")));
  // All others of BVLC Caffe, and common extensions.
  for (const char* type :
       {"AbsVal", "ArgMax", "BatchNorm", "Bias", "BNLL", "Clip", "Concat", "Convolution", "Crop",
        "Deconvolution", "Dropout", "Eltwise", "ELU", "Exp", "Flatten", "InnerProduct", "Log",
        "LRN", "MVN", "Pooling", "Power", "PReLU", "Reduction", "ReLU", "Reshape", "Scale",
        "Sigmoid", "Silence", "Slice", "Softmax", "Split", "SPP", "Swish", "TanH", "Threshold",
        "Tile", "Axpy", "ConvolutionDepthwise", "DepthwiseConvolution", "Interp", "Normalize",
        "Permute", "PriorBox", "DetectionOutput", "ReLU6", "ShuffleChannel", "Upsample"})
    CHECK_MESSAGE(import::caffe_format::layer_types().contains(type), type);
}

TEST_CASE("Caffe: depthwise types are convolutions with a group for each channel") {
  const std::string rest = "num_output: 4 kernel_size: 3 pad: 1";
  const auto expected = read(layer("Convolution", "convolution_param { group: 4 " + rest + " }"));
  CHECK(expected.accepted());
  for (const char* type : {"DepthwiseConvolution", "ConvolutionDepthwise"}) {
    CHECK(read(layer(type, "convolution_param { " + rest + " }")) == expected);
    CHECK(read(layer(type, "convolution_param { group: 4 " + rest + " }")) == expected);
  }
}

TEST_CASE("Caffe: the sum of a picture and a scaled one") {
  const std::string factor = layer("Pooling", "pooling_param { pool: AVE global_pooling: true }",
                                   "bottom: 'data'", "f");
  const std::string three = "bottom: 'f' bottom: 'data' bottom: 'data'";
  auto expected = input();
  const auto mean = read(factor).outputs.at(0).values;
  for (std::size_t i = 0; i < expected.values.size(); ++i)
    expected.values[i] += mean[i / 30] * expected.values[i];
  check_close(read(factor + layer("Axpy", "", three)), expected.values);
  CHECK(mentions(read(layer("Axpy", "", "bottom: 'data' bottom: 'data' bottom: 'data'")).complaint,
                 "its inputs have the shapes 1x4x6x5, 1x4x6x5 and 1x4x6x5"));
}

TEST_CASE("Caffe: a silenced blob is no output") {
  const std::string two = layer("TanH", "", "bottom: 'data'", "t") + layer("ReLU");
  CHECK(read(two).outputs.size() == 2);
  const std::string silence = "layer { name: 's' type: 'Silence' bottom: 't' }";
  CHECK(read(two + silence) == read(layer("ReLU")));
  CHECK(mentions(read(two + layer("Silence", "", "bottom: 't'", "s")).complaint,
                 "a layer of type Silence has 1 output (top)"));
}

TEST_CASE("Caffe: a spatial pyramid is poolings in a row") {
  const auto x = input();
  // 3 x 3 windows of 6 x 5, with a column of padding on the left.
  std::vector<float> expected;
  const auto largest = [&](std::int32_t c, int top, int bottom, int left, int right) {
    float m = x.at(c, top, left);
    for (int i = top; i < bottom; ++i)
      for (int j = left; j < right; ++j) m = std::max(m, x.at(c, i, j));
    expected.push_back(m);
  };
  for (int c = 0; c < 4; ++c) largest(c, 0, 6, 0, 5);
  for (int c = 0; c < 4; ++c)
    for (const int top : {0, 3})
      for (const int left : {0, 2}) largest(c, top, top + 3, left, left == 0 ? 2 : 5);
  check_close(read(layer("SPP", "spp_param { pyramid_height: 2 }")), expected);
}

TEST_CASE("Caffe: reductions from an axis on") {
  const auto x = input();
  const auto reduce = [&](const std::string& operation, int axis, float coefficient) {
    const std::size_t run = axis == 1 ? 120 : axis == 2 ? 30 : 5;
    std::vector<float> expected(120 / run, 0.0F);
    for (std::size_t i = 0; i < 120; ++i) {
      const float v = x.values[i];
      expected[i / run] += operation == "ASUM" ? std::fabs(v) : operation == "SUMSQ" ? v * v : v;
    }
    for (auto& v : expected)
      v *= operation == "MEAN" ? coefficient / static_cast<float>(run) : coefficient;
    check_close(read(layer("Reduction", text("reduction_param { operation: ", operation, " axis: ",
                                             axis, " coeff: ", coefficient, " }"))),
                expected);
  };
  for (const char* operation : {"SUM", "ASUM", "SUMSQ", "MEAN"})
    for (const int axis : {1, 2, 3})
      for (const float coefficient : {1.0F, -0.5F}) reduce(operation, axis, coefficient);
}

TEST_CASE("Caffe: random slopes are those of a trained PReLU, above 0 and below 1") {
  const auto x = input();
  const auto y = read(layer("PReLU")).outputs.at(0);
  REQUIRE(y.values.size() == x.values.size());
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    CAPTURE(x.values[i]);
    if (x.values[i] >= 0) CHECK(y.values[i] == x.values[i]);
    else CHECK((y.values[i] <= 0.1F * x.values[i] && y.values[i] >= 0.3F * x.values[i]));
  }
}
