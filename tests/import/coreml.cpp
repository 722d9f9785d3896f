// SPDX-License-Identifier: Apache-2.0
// Core ML's neural networks.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <nvdlac/import/coreml.hpp>
#include <nvdlac/import/coreml/layers.hpp>
#include <nvdlac/import/coreml/moving.hpp>
#include <nvdlac/import/coreml/operations.hpp>
#include <nvdlac/import/model.hpp>

#include "../shared.hpp"
#include "coreml_model.hpp"
#include "files.hpp"
#include "tensorflow_files.hpp"

using namespace nvdlac;
using namespace coreml_model;

namespace {

// The largest relative error of a stored network for its stored inputs; pixels are prepared as the
// file tells.
double error_on(const std::string& model, const std::string& stem,
                const std::vector<std::string>& outputs, const import::part& wanted = {}) {
  const auto root = *shared_path("nets/coreml");
  const auto n = import::any_network(root / model, {}, wanted);
  REQUIRE(net::input_nodes(n.graph).size() == 1);
  const auto input = n.graph[net::input_nodes(n.graph)[0]].name;
  double worst = 0;
  for (const std::string k : {"0", "1", "2", "3"}) {
    auto x = tensorflow_files::values_of(root / (stem + ".input_" + k + ".npy"));
    if (model.starts_with("lenet_image"))
      for (auto& v : x) v = std::round((v * 0.3081F + 0.1307F) * 255);
    if (n.preprocessing)
      for (auto& v : x)
        v = static_cast<float>((v - n.preprocessing->mean[0]) * n.preprocessing->scale[0]);
    const auto found = tensorflow_files::run(n, {{input, x}});
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto which = outputs.size() == 1 ? "" : "_" + std::to_string(i);
      const auto expected =
          tensorflow_files::values_of(root / (stem + ".output_" + k + which + ".npy"));
      REQUIRE(found.contains(outputs[i]));
      worst = std::max(worst, tensorflow_files::error_of(found.at(outputs[i]), expected));
    }
  }
  return worst;
}

// Results of layers for an input of 0, 1, 2, .. in the dimensions that the file has.
floats layers_give(const std::string& layers, const shape& input) {
  return result_of(network_text(layers, array_input(input)),
                   static_cast<std::size_t>(import::onnx_format::count(input)));
}
floats gives(const std::string& kind, const shape& input) {
  return layers_give(layer_text(kind), input);
}
std::string refused(const std::string& kind, const shape& input = {1, 2, 2, 2}) {
  return complaints([&] { (void)gives(kind, input); });
}
}  // namespace

TEST_CASE("trained Core ML networks give the stored outputs") {
  if (!shared_path("nets/coreml")) return;
  CHECK(error_on("r4ghu_mnist.mlmodel", "r4ghu_mnist", {"output"}) < 1e-4);
  CHECK(error_on("TinyDrawingEmbedding.mlmodel", "TinyDrawingEmbedding", {"embedding"}) < 1e-4);
  CHECK(error_on("resnet20_nn.mlmodel", "pytorch_resnet20", {"var_359"}) < 1e-4);
  CHECK(error_on("pnet_nn.mlmodel", "pytorch_mtcnn_pnet", {"var_70", "var_82"}) < 1e-4);

  CHECK(error_on("pnet_fp32.mlpackage", "pytorch_mtcnn_pnet", {"var_70", "var_82"}) < 1e-4);
  CHECK(error_on("resnet20_fp16.mlpackage", "pytorch_resnet20", {"var_359"}) < 1e-3);
  CHECK(error_on("lenet_palette6.mlpackage", "pytorch_lenet", {"ret_1"}) < 0.05);
  CHECK(error_on("lenet_image_fp16.mlpackage", "pytorch_lenet", {"ret_1_cast_to_fp32"}) < 1e-3);

  const auto n = import::any_network(*shared_path("nets/coreml") / "r4ghu_mnist.mlmodel");
  REQUIRE(n.preprocessing);
  CHECK(n.preprocessing->order == net::channel_order::grey);
  CHECK(n.preprocessing->scale[0] == doctest::Approx(1.0 / 255));
  REQUIRE(n.notes.size() == 1);
  CHECK(n.notes[0].layer == "classLabel");
}

TEST_CASE("Core ML's convolutions and inner products") {
  const auto ones = weights("weights", {1, 1, 1, 1, 1, 1, 1, 1});
  const std::string of = "outputChannels: 1 kernelChannels: 2 kernelSize: 2 kernelSize: 2 ";
  CHECK(near(gives("convolution { " + of + valid + "hasBias: true " + ones +
                       weights("bias", {0.5F}) + '}',
                   {1, 2, 2, 2}),
             {28.5F}));
  // The odd element of the padding lies behind, or before.
  CHECK(near(gives("convolution { " + of + same + ones + '}', {1, 2, 2, 2}), {28, 16, 18, 10}));
  CHECK(near(gives("convolution { " + of + "same { asymmetryMode: 1 } " + ones + '}',
                   {1, 2, 2, 2}),
             {4, 10, 12, 28}));
  CHECK(near(gives("convolution { " + of + "valid { " + borders("paddingAmounts", 1, 0, 0, 1) +
                       "} " + ones + '}',
                   {1, 2, 2, 2}),
             {10, 6, 28, 16}));
  CHECK(near(gives("convolution { outputChannels: 2 kernelChannels: 1 nGroups: 2 kernelSize: 1 "
                   "kernelSize: 1 stride: 2 stride: 2 " +
                       valid + weights("weights", {2, 3}) + '}',
                   {1, 2, 2, 2}),
             {0, 12}));
  const auto up = "convolution { isDeconvolution: true outputChannels: 1 kernelChannels: 1 "
                  "kernelSize: 2 kernelSize: 2 stride: 2 stride: 2 " +
                  weights("weights", {1, 2, 3, 4});
  CHECK(near(gives(up + valid + '}', {1, 1, 1, 2}), {0, 0, 1, 2, 0, 0, 3, 4}));
  CHECK(near(gives(up + valid + "outputShape: 2 outputShape: 4 }", {1, 1, 1, 2}),
             {0, 0, 1, 2, 0, 0, 3, 4}));
  CHECK(near(gives(up + same + '}', {1, 1, 1, 2}), {0, 0, 1, 2, 0, 0, 3, 4}));
  const auto product = "innerProduct { inputChannels: 4 outputChannels: 2 hasBias: true " +
                       weights("weights", {1, 0, 0, 0, 0, 0, 0, 2}) + weights("bias", {1, 2}) + '}';
  CHECK(near(gives(product, {1, 2, 1, 2}), {1, 8}));
  CHECK(near(gives(product, {1, 4}), {1, 8}));
  CHECK(near(gives("batchedMatmul { weightMatrixFirstDimension: 2 weightMatrixSecondDimension: 1 "
                   "hasBias: true " +
                       weights("weights", {2, 3}) + weights("bias", {1}) + '}',
                   {1, 2}),
             {4}));
  CHECK(mentions(refused("convolution { " + of + ones + '}'), "padding is missing"));
  CHECK(mentions(refused("convolution { " + of + valid + weights("weights", {1}) + '}'),
                 "1 value for the shape [1, 2, 2, 2]"));
  CHECK(mentions(refused("convolution { " + of + valid + '}'), "its weights are missing"));
}

TEST_CASE("Core ML's weights in fewer bits") {
  const std::string of = "convolution { outputChannels: 2 kernelChannels: 1 kernelSize: 1 "
                         "kernelSize: 2 " + valid + "weights { ";
  const shape in{1, 1, 1, 2};  // 0 and 1: the second weights of both channels
  CHECK(near(gives(of + R"(float16Value: '\x00\x3c\x00\x40\x00\x3c\x00\xb8' } })", in),
             {2, -0.5F}));
  CHECK(near(gives(of + R"(rawValue: '\x01\x02\x03\x04' quantization { numberOfBits: 8
                           linearQuantization { scale: 0.5 scale: 2 bias: 1 bias: -1 } } } })", in),
             {2, 7}));
  // 1, 2, 3, 0 in two bits each.
  CHECK(near(gives(of + R"(rawValue: '\x6c' quantization { numberOfBits: 2
                           lookupTableQuantization { floatValue: 5 floatValue: 6 floatValue: 7
                           floatValue: 8 } } } })", in),
             {7, 5}));
  CHECK(mentions(refused(of + R"(rawValue: '\x6c' quantization { numberOfBits: 2
                                lookupTableQuantization { floatValue: 5 } } } })", in),
                 "has 1 numbers"));
  CHECK(mentions(refused(of + "rawValue: 'ab' } }", in), "without a quantisation"));
  CHECK(mentions(refused(of + "floatValue: 1 rawValue: 'a' } }", in), "several forms"));
  CHECK(mentions(refused(of + "int8RawValue: 'abcd' } }", in), "quantised arithmetic"));
}

TEST_CASE("Core ML's poolings") {
  const std::string two = "kernelSize: 2 kernelSize: 2 stride: 2 stride: 2 ";
  const shape in{1, 1, 3, 3};
  CHECK(near(gives("pooling { " + two + valid + '}', in), {4}));
  CHECK(near(gives("pooling { " + two + same + '}', in), {4, 5, 7, 8}));
  CHECK(near(gives("pooling { " + two + "includeLastPixel { } }", in), {4, 5, 7, 8}));
  CHECK(near(gives("pooling { type: 1 " + two + same + "avgPoolExcludePadding: true }", in),
             {2, 3.5F, 6.5F, 8}));
  CHECK(near(gives("pooling { type: 1 " + two + same + "}", in), {2, 1.75F, 3.25F, 2}));
  CHECK(near(gives("pooling { type: 2 kernelSize: 1 kernelSize: 2 " + valid + '}', {1, 1, 2, 2}),
             {1, std::sqrt(13.0F)}));
  CHECK(near(gives("pooling { type: 1 globalPooling: true }", in), {4}));
  CHECK(near(gives("pooling { " + valid + '}', in), {8}));
}

TEST_CASE("Core ML's functions") {
  const shape in{1, 2, 1, 2};
  const auto shifted = [&](const std::string& kind) {  // -1, 0, 1, 2
    return layers_give(layer_text("add { alpha: -1 }", "input: 'x'", "output: 'h'") +
                           layer_text(kind, "input: 'h'"),
                       in);
  };
  const auto e = [](double v) { return static_cast<float>(std::exp(v)); };
  CHECK(near(shifted("activation { linear { alpha: 2 beta: 1 } }"), {-1, 1, 3, 5}));
  CHECK(near(shifted("activation { ReLU { } }"), {0, 0, 1, 2}));
  CHECK(near(shifted("activation { leakyReLU { alpha: 0.5 } }"), {-0.5F, 0, 1, 2}));
  CHECK(near(shifted("activation { thresholdedReLU { alpha: 1.5 } }"), {0, 0, 0, 2}));
  CHECK(near(shifted("activation { PReLU { " + weights("alpha", {0.5F, 3}) + "} }"),
             {-0.5F, 0, 1, 2}));
  CHECK(near(shifted("activation { tanh { } }"),
             {std::tanh(-1.0F), 0, std::tanh(1.0F), std::tanh(2.0F)}));
  CHECK(near(shifted("activation { scaledTanh { alpha: 2 beta: 0.5 } }"),
             {2 * std::tanh(-0.5F), 0, 2 * std::tanh(0.5F), 2 * std::tanh(1.0F)}));
  CHECK(near(shifted("activation { sigmoid { } }"),
             {1 / (1 + e(1)), 0.5F, 1 / (1 + e(-1)), 1 / (1 + e(-2))}));
  CHECK(near(shifted("activation { sigmoidHard { alpha: 0.5 beta: 0.25 } }"),
             {0, 0.25F, 0.75F, 1}));
  CHECK(near(shifted("activation { ELU { alpha: 2 } }"), {2 * (e(-1) - 1), 0, 1, 2}));
  CHECK(near(shifted("activation { softsign { } }"), {-0.5F, 0, 0.5F, 2.0F / 3}));
  CHECK(near(shifted("activation { softplus { } }"),
             {std::log1p(e(-1)), std::log(2.0F), std::log1p(e(1)), std::log1p(e(2))}));
  CHECK(near(shifted("activation { parametricSoftplus { " + weights("alpha", {2, 1}) +
                     weights("beta", {1, 2}) + "} }"),
             {2 * std::log1p(e(-1)), 2 * std::log(2.0F), std::log1p(e(2)), std::log1p(e(4))}));
  CHECK(near(gives("unary { type: 0 shift: 1 scale: 3 }", in),
             {1, 2, std::sqrt(7.0F), std::sqrt(10.0F)}));
  CHECK(near(gives("unary { type: 1 shift: 1 epsilon: 3 }", in),
             {0.5F, 1 / std::sqrt(5.0F), 1 / std::sqrt(6.0F), 1 / std::sqrt(7.0F)}));
  CHECK(near(gives("unary { type: 2 epsilon: 1 }", in), {1, 0.5F, 1.0F / 3, 0.25F}));
  CHECK(near(gives("unary { type: 3 alpha: 2 }", in), {0, 1, 4, 9}));
  CHECK(near(gives("unary { type: 4 }", in), {1, e(1), e(2), e(3)}));
  CHECK(near(gives("unary { type: 5 shift: 1 }", in),
             {0, std::log(2.0F), std::log(3.0F), std::log(4.0F)}));
  CHECK(near(shifted("unary { type: 6 }"), {1, 0, 1, 2}));
  CHECK(near(gives("unary { type: 7 alpha: 1.5 }", in), {1.5F, 1.5F, 2, 3}));
  CHECK(near(gives("clip { minVal: 1 maxVal: 2 }", in), {1, 1, 2, 2}));
  CHECK(near(shifted("clampedReLU { alpha: 0.5 beta: 1 }"), {-0.5F, 0, 1, 1}));
  for (const char* mode : {"0", "1", "2"}) {
    CAPTURE(mode);
    const auto y = shifted(std::string("gelu { mode: ") + mode + " }");
    REQUIRE(y.size() == 4);
    CHECK(y[3] == doctest::Approx(1.954).epsilon(0.01));
  }
  CHECK(near(gives("softmax { }", {1, 2, 1, 1}),
             {1 / (1 + std::exp(1.0F)), 1 / (1 + std::exp(-1.0F))}));
  CHECK(near(gives("softmaxND { axis: -1 }", {1, 2}),
             {1 / (1 + std::exp(1.0F)), 1 / (1 + std::exp(-1.0F))}));
  CHECK(mentions(refused("activation { }"), "its function is not known"));
}

TEST_CASE("Core ML's normalisation and element-wise layers") {
  const shape in{1, 2, 1, 2};
  CHECK(near(gives("batchnorm { channels: 2 epsilon: 1 " + weights("gamma", {2, 3}) +
                       weights("beta", {1, 0}) + weights("mean", {0, 2}) +
                       weights("variance", {3, 8}) + '}',
                   in),
             {1, 2, 0, 1}));
  CHECK(mentions(refused("batchnorm { channels: 2 computeMeanVar: true " +
                         weights("gamma", {2, 3}) + weights("beta", {1, 0}) + '}'),
                 "mean of a batch"));
  CHECK(near(gives("lrn { alpha: 4 beta: 1 localSize: 1 }", {1, 1, 1, 2}), {0, 0.2F}));
  CHECK(near(gives("multiply { alpha: 3 }", in), {0, 3, 6, 9}));
  const std::string both = "input: 'x' input: 'x'";
  CHECK(near(layers_give(layer_text("add { }", both), in), {0, 2, 4, 6}));
  CHECK(near(layers_give(layer_text("average { }", both + " input: 'x'"), in), {0, 1, 2, 3}));
  CHECK(near(layers_give(layer_text("subtractBroadcastable { }", both), in), {0, 0, 0, 0}));
  const auto constant = layer_text("loadConstant { shape: 2 shape: 1 shape: 1 " +
                                  weights("data", {1, 4}) + '}',
                              "", "output: 'k'");
  const std::string beside_k = "input: 'x' input: 'k'";
  CHECK(near(layers_give(constant + layer_text("max { }", beside_k), in), {1, 1, 4, 4}));
  CHECK(near(layers_give(constant + layer_text("min { }", beside_k), in), {0, 1, 2, 3}));
  CHECK(near(layers_give(constant + layer_text("divideBroadcastable { }", beside_k), in),
             {0, 1, 0.5F, 0.75F}));
  CHECK(near(gives("scale { shapeScale: 2 hasBias: true shapeBias: 1 " + weights("scale", {2, 3}) +
                       weights("bias", {1}) + '}',
                   in),
             {1, 3, 7, 10}));
  CHECK(near(gives("bias { shape: 1 shape: 1 shape: 2 " + weights("bias", {10, 20}) + '}', in),
             {10, 21, 12, 23}));
  CHECK(near(gives("reduce { mode: 0 axis: 1 }", in), {1, 5}));
  CHECK(near(gives("reduce { mode: 1 axis: 2 }", in), {1, 2}));
  CHECK(near(gives("reduce { mode: 7 axis: 0 }", in), {3}));
  CHECK(near(gives("reduceMean { axes: -1 axes: -2 keepDims: true }", in), {0.5F, 2.5F}));
  CHECK(near(gives("reduceSum { axes: 1 }", in), {2, 4}));
  CHECK(mentions(refused("reduce { mode: 9 axis: 2 }"), "mode 9"));
}

TEST_CASE("Core ML's layers that move elements") {
  const shape in{1, 2, 2, 2};
  CHECK(near(gives("flatten { }", in), {0, 1, 2, 3, 4, 5, 6, 7}));
  CHECK(near(gives("flatten { mode: 1 }", in), {0, 4, 1, 5, 2, 6, 3, 7}));
  CHECK(near(gives("reshape { targetShape: 4 targetShape: 1 targetShape: 2 }", in),
             {0, 1, 2, 3, 4, 5, 6, 7}));
  CHECK(near(gives("reshape { mode: 1 targetShape: 4 targetShape: 1 targetShape: 2 }", in),
             {0, 2, 4, 6, 1, 3, 5, 7}));
  CHECK(near(gives("permute { axes: 0 axes: 2 axes: 3 axes: 1 }", in),
             {0, 4, 1, 5, 2, 6, 3, 7}));
  CHECK(near(gives("transpose { axes: 0 axes: 1 axes: 3 axes: 2 }", in),
             {0, 2, 1, 3, 4, 6, 5, 7}));
  CHECK(near(gives("crop { " + borders("cropAmounts", 1, 0, 0, 1) + '}', in), {2, 6}));
  CHECK(near(gives("padding { constant { value: 9 } " + borders("paddingAmounts", 0, 0, 1, 0) + '}',
                   {1, 1, 1, 2}),
             {9, 0, 1}));
  CHECK(near(gives("padding { reflection { } " + borders("paddingAmounts", 0, 0, 1, 0) + '}',
                   {1, 1, 1, 2}),
             {1, 0, 1}));
  CHECK(near(gives("padding { replication { } " + borders("paddingAmounts", 0, 0, 1, 0) + '}',
                   {1, 1, 1, 2}),
             {0, 0, 1}));
  CHECK(near(gives("constantPad { value: 7 padAmounts: 0 padAmounts: 1 }", {1, 1, 1, 2}),
             {0, 1, 7}));
  CHECK(near(gives("upsample { scalingFactor: 1 scalingFactor: 2 }", {1, 1, 1, 2}), {0, 0, 1, 1}));
  CHECK(near(gives("upsample { mode: 1 scalingFactor: 1 scalingFactor: 2 }", {1, 1, 1, 2}),
             {0, 0.5F, 1, 1}));
  CHECK(near(gives("resizeBilinear { targetSize: 1 targetSize: 3 }", {1, 1, 1, 2}), {0, 0.5F, 1}));
  CHECK(near(gives("resizeBilinear { targetSize: 1 targetSize: 4 mode { samplingMethod: 2 } }",
                   {1, 1, 1, 2}),
             {0, 0.5F, 1, 1}));
  CHECK(near(layers_give(layer_text("concat { }", "input: 'x' input: 'x'"), {1, 1, 1, 2}),
             {0, 1, 0, 1}));
  CHECK(near(layers_give(layer_text("concatND { axis: -1 }", "input: 'x' input: 'x'"),
                         {1, 2, 1, 1}),
             {0, 0, 1, 1}));
  const std::string halves = "output: 'a' output: 'b'";
  CHECK(near(layers_give(layer_text("split { nOutputs: 2 }", "input: 'x'", halves) +
                             layer_text("subtractBroadcastable { }", "input: 'b' input: 'a'"),
                         in),
             {4, 4, 4, 4}));
  CHECK(near(layers_give(layer_text("splitND { axis: 3 splitSizes: 1 splitSizes: 1 }", "input: 'x'",
                               halves) +
                             layer_text("subtractBroadcastable { }", "input: 'b' input: 'a'"),
                         in),
             {1, 1, 1, 1}));
  CHECK(near(gives("slice { startIndex: 1 axis: 0 stride: 1 }", in), {4, 5, 6, 7}));
  CHECK(near(gives("slice { endIndex: -1 axis: 2 stride: 1 }", in), {0, 2, 4, 6}));
  CHECK(near(gives("sliceStatic { beginIds: 0 beginIds: 1 beginIds: 0 beginIds: 0 endIds: 1 "
                   "endIds: 2 endIds: 9 endIds: 2 strides: 1 strides: 1 strides: 1 strides: 2 "
                   "endMasks: false endMasks: false endMasks: true endMasks: false "
                   "squeezeMasks: false squeezeMasks: true }",
                   in),
             {4, 6}));
  CHECK(near(gives("squeeze { axes: -1 axes: -2 }", {1, 2, 1, 1}), {0, 1}));
  CHECK(near(gives("expandDims { axes: -1 axes: -2 }", {1, 2}), {0, 1}));
  CHECK(near(gives("flattenTo2D { axis: 1 }", {1, 2, 1, 1}), {0, 1}));
  CHECK(near(gives("reshapeStatic { targetShape: 1 targetShape: 2 }", {1, 2, 1, 1}), {0, 1}));
  CHECK(near(gives("rankPreservingReshape { targetShape: 0 targetShape: -1 targetShape: 1 "
                   "targetShape: 1 }",
                   {1, 1, 1, 2}),
             {0, 1}));
  CHECK(near(gives("reorganizeData { mode: 1 blockSize: 2 }", {1, 4, 1, 1}), {0, 1, 2, 3}));
  CHECK(mentions(refused("slice { axis: 0 }"), "stride 0"));
  CHECK(mentions(refused("permute { axes: 1 axes: 0 axes: 2 axes: 3 }"), "sequences"));
}

TEST_CASE("Core ML's first versions have a dimension of sequences") {
  const auto old = [](const std::string& kind, const shape& in) {
    return result_of(network_text(layer_text(kind), array_input(in), "0"),
                     static_cast<std::size_t>(import::onnx_format::count(in)));
  };
  CHECK(near(old("pooling { globalPooling: true }", {1, 2, 2}), {3}));
  CHECK(near(old("innerProduct { inputChannels: 2 outputChannels: 1 " +
                     weights("weights", {1, 2}) + '}',
                 {2}),
             {2}));
  CHECK(near(old("softmaxND { axis: 2 }", {2}),
             {1 / (1 + std::exp(1.0F)), 1 / (1 + std::exp(-1.0F))}));
  CHECK(mentions(complaints([&] { (void)old("softmaxND { axis: 0 }", {2}); }), "of sequences"));
  CHECK(mentions(complaints([&] { (void)old("activation { ReLU { } }", {2, 2}); }),
                 "five dimensions"));
}

TEST_CASE("Core ML's pictures are prepared as the file tells") {
  const auto image = [](int colours, const char* name = "x") {
    return text("input { name: '", name, "' type { imageType { width: 2 height: 1 colorSpace: ",
                colours, " } } } ");
  };
  const auto scaler = [](const std::string& inside) {
    return "preprocessing { featureName: 'x' " + inside + " } ";
  };
  const std::string of = "scaler { channelScale: 0.5 redBias: 1 greenBias: 2 blueBias: 3 }";
  const auto read = [&](const std::string& inputs, const std::string& layers) {
    return import::coreml_network_from({"m", model_of(network_text(layers, inputs))});
  };
  const auto relu = layer_text("activation { ReLU { } }");
  const auto bgr = read(image(30), relu + scaler(of)).preprocessing;
  REQUIRE(bgr);
  CHECK(*bgr == net::preprocessing{{-6, -4, -2}, {0.5}, net::channel_order::bgr});
  const auto rgb = read(image(20), relu + scaler(of)).preprocessing;
  REQUIRE(rgb);
  CHECK(*rgb == net::preprocessing{{-2, -4, -6}, {0.5}, net::channel_order::rgb});
  CHECK(read(image(10), relu).preprocessing ==
        net::preprocessing{{0}, {1}, net::channel_order::grey});
  CHECK(!read(array_input({1, 2}), relu).preprocessing);
  // A mean of each pixel is a layer.
  CHECK(near(result_of(network_text(relu + scaler("meanImage { meanImage: -1 meanImage: 1 }"),
                                    image(10)),
                       2),
             {1, 0}));
  // A network of several inputs has all of its preprocessing as layers.
  const auto two = read(image(10) + image(10, "z"),
                        layer_text("add { }", "input: 'x' input: 'z'") +
                            scaler("scaler { channelScale: 2 grayBias: 10 }"));
  CHECK(!two.preprocessing);
  const auto sum = tensorflow_files::run(two, {{"x", {1, 2}}, {"z", {0, 0}}});
  REQUIRE(sum.size() == 1);
  CHECK(near(sum.begin()->second, {12, 14}));
  CHECK(mentions(complaints([&] { (void)read(image(40), relu); }), "color space 40"));
  CHECK(mentions(complaints([&] {
          (void)read("input { name: 'x' type { } } ", relu);
        }),
        "neither a picture nor an array"));
}

TEST_CASE("shapes of Core ML's inputs that are flexible") {
  const auto model = network_text(layer_text("pooling { globalPooling: true }"),
                                  "input { name: 'x' type { multiArrayType { shape: 1 shape: 1 "
                                  "shape: 1 shape: 2 enumeratedShapes { shapes { shape: 1 } } } } "
                                  "}");
  CHECK(near(result_of(model, 2), {1}));
  const auto n = import::coreml_network_from({"m", model_of(model)},
                                             {.shapes = {{"x", {1, 1, 2, 2}}}});
  CHECK(n.graph[net::input_nodes(n.graph)[0]].shape.h == 2);
  REQUIRE(n.notes.size() == 1);
  CHECK(mentions(n.notes[0].reason, "default"));
}

TEST_CASE("what is not understood of Core ML's models is refused by name") {
  const auto all = complaints([] {
    (void)layers_give("layers { name: 'r' input: 'x' output: 'a' gru { } } " +
                          layer_text("slice { axis: 7 }", "input: 'x'", "output: 'b'") +
                          layer_text("add { }", "input: 'a' input: 'b'"),
                      {1, 2});
  });
  CHECK(mentions(all, "the operator gru is not supported (1 layer)"));
  CHECK(mentions(all, "layer 'r'"));
  CHECK(mentions(all, "axis 7"));
  CHECK(mentions(complaints([&] {
          (void)import::coreml_network_from(
              {"m", model_of("specificationVersion: 4 description { " + array_input({1}) +
                             "} pipeline { nothing: 1 }")});
        }),
        "a pipeline"));
  CHECK(mentions(complaints([&] { (void)import::coreml_network_from({"m", "hello"}); }),
                 "not a Core ML model"));
  CHECK(mentions(refused(""), "the operator without a kind"));
  CHECK(mentions(refused("add { } average { }"), "add and average"));
}

TEST_CASE("damaged files of Core ML") {
  const auto model = model_of(network_text(
      layer_text("convolution { outputChannels: 2 kernelChannels: 1 kernelSize: 1 kernelSize: 2 " +
                valid + "hasBias: true weights { rawValue: 'abcd' quantization { numberOfBits: 8 "
                "linearQuantization { scale: 1 bias: 0 } } } " + weights("bias", {1, 2}) + '}',
            "input: 'x'", "output: 'h'") +
          layer_text("pooling { kernelSize: 1 kernelSize: 2 includeLastPixel { } }", "input: 'h'"),
      array_input({1, 1, 1, 4})));
  const auto read = [](const std::string& bytes) {
    try {
      (void)import::coreml_network_from({"m", bytes});
    } catch (const error& e) {
      for (const auto& k : e.problems()) CHECK(k.file != "");
    }
  };
  read(model);
  std::mt19937 random(5);
  for (std::size_t n = 0; n < model.size(); ++n) read(model.substr(0, n));
  for (int k = 0; k < 3000; ++k) {
    auto damaged = model;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    read(damaged);
  }
}

TEST_CASE("the page of Core ML lists its layers and operations") {
  CHECK(missing_in("coreml.md", import::coreml_format::layers()) == "");
  CHECK(missing_in("coreml.md", import::coreml_format::program::operations()) == "");
}
