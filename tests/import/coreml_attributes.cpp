// SPDX-License-Identifier: Apache-2.0
// Field by field of Core ML's layers and input by input of the operations of its programs: another
// value changes the result, or is refused.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/coreml.hpp>

#include "coreml_model.hpp"
#include "outcome.hpp"

using namespace nvdlac;
using namespace coreml_model;

namespace {

struct coreml_subject {
  std::string kind;
  shape input;
  std::vector<std::string> parts;
  std::vector<std::pair<std::string, std::string>> changes{};
  std::string outputs{};
};

floats steps(std::size_t n, float first = -0.5F) {
  floats v;
  for (std::size_t i = 0; i < n; ++i) v.push_back(first + 0.25F * static_cast<float>(i % 5));
  return v;
}
std::string with_change(const coreml_subject& s, const std::string& from, const std::string& to) {
  std::string all;
  for (const auto& p : s.parts) all += !from.empty() && p == from ? to : p;
  return from.empty() ? all + to : all;
}

const shape coreml_picture{1, 4, 5, 6};

std::vector<coreml_subject> layer_subjects() {
  const std::string two = "kernelSize: 2 kernelSize: 2 ", three = "kernelSize: 3 kernelSize: 3 ";
  const std::string once = "stride: 1 stride: 1 ", twice = "stride: 2 stride: 2 ";
  const auto amounts = [](int t, int b, int l, int r) {
    return borders("paddingAmounts", t, b, l, r);
  };
  return {
      {"convolution", coreml_picture,
       {"outputChannels: 2 ", "kernelChannels: 4 ", "nGroups: 1 ", three, once,
        "dilationFactor: 1 dilationFactor: 1 ", valid, "hasBias: true ",
        weights("weights", steps(72)), weights("bias", {1, 2})},
       {{"outputChannels: 2 ", "outputChannels: 3 "}, {"kernelChannels: 4 ", "kernelChannels: 2 "},
        {"nGroups: 1 ", "nGroups: 2 "}, {three, two}, {once, twice},
        {"dilationFactor: 1 dilationFactor: 1 ", "dilationFactor: 2 dilationFactor: 1 "},
        {valid, same}, {valid, "valid { " + amounts(1, 0, 0, 1) + "} "},
        {valid, ""}, {"hasBias: true ", ""},
        {"hasBias: true ", "hasBias: true isDeconvolution: true "},
        {"nGroups: 1 ", "outputShape: 9 outputShape: 9 "}}},
      {"convolution", coreml_picture,
       {"outputChannels: 2 ", "kernelChannels: 4 ", three, twice, valid, "isDeconvolution: true ",
        "dilationFactor: 1 dilationFactor: 1 ", weights("weights", steps(72))},
       {{"outputChannels: 2 ", "outputChannels: 4 "}, {three, two}, {twice, once}, {valid, same},
        {valid, "valid { " + amounts(1, 1, 0, 0) + "} "},
        {"dilationFactor: 1 dilationFactor: 1 ", "dilationFactor: 2 dilationFactor: 2 "},
        {"isDeconvolution: true ", "isDeconvolution: true outputShape: 12 outputShape: 14 "}}},
      {"innerProduct", {1, 6},
       {"inputChannels: 6 ", "outputChannels: 2 ", "hasBias: true ", weights("weights", steps(12)),
        weights("bias", {1, 2})},
       {{"inputChannels: 6 ", "inputChannels: 4 "}, {"outputChannels: 2 ", "outputChannels: 3 "},
        {"hasBias: true ", ""}}},
      {"pooling", coreml_picture, {"type: 1 ", three, once, same},
       {{"type: 1 ", "type: 0 "}, {"type: 1 ", "type: 2 "}, {three, two},
        {once, twice}, {same, valid}, {same, "includeLastPixel { paddingAmounts: 1 "
                                               "paddingAmounts: 0 } "},
        {once, once + "avgPoolExcludePadding: true "}, {once, once + "globalPooling: true "}}},
      {"batchnorm", coreml_picture,
       {"channels: 4 ", "epsilon: 0.001 ", weights("gamma", steps(4, 1)),
        weights("beta", steps(4)), weights("mean", steps(4)), weights("variance", steps(4, 1))},
       {{"channels: 4 ", "channels: 3 "}, {"epsilon: 0.001 ", "epsilon: 0.5 "},
        {"channels: 4 ", "channels: 4 computeMeanVar: true "},
        {"channels: 4 ", "channels: 4 instanceNormalization: true "},
        {"channels: 4 ", "channels: 4 computeMeanVar: true instanceNormalization: true "}}},
      {"lrn", coreml_picture, {"alpha: 0.5 ", "beta: 0.75 ", "localSize: 3 ", "k: 1 "},
       {{"alpha: 0.5 ", "alpha: 0.25 "}, {"beta: 0.75 ", "beta: 0.5 "},
        {"localSize: 3 ", "localSize: 5 "}, {"k: 1 ", "k: 2 "}}},
      {"crop", coreml_picture, {borders("cropAmounts", 1, 0, 0, 1)},
       {{borders("cropAmounts", 1, 0, 0, 1), borders("cropAmounts", 0, 1, 0, 1)},
        {borders("cropAmounts", 1, 0, 0, 1),
         borders("cropAmounts", 1, 0, 0, 1) + "offset: 1 offset: 1 "}}},
      {"padding", coreml_picture, {"constant { value: 0.5 } ", amounts(1, 0, 1, 1)},
       {{"constant { value: 0.5 } ", "constant { value: 1.5 } "},
        {"constant { value: 0.5 } ", "reflection { } "},
        {"constant { value: 0.5 } ", "replication { } "},
        {amounts(1, 0, 1, 1), amounts(0, 1, 1, 1)}}},
      {"upsample", coreml_picture, {"scalingFactor: 2 scalingFactor: 2 ", "mode: 0 "},
       {{"scalingFactor: 2 scalingFactor: 2 ", "scalingFactor: 3 scalingFactor: 2 "},
        {"mode: 0 ", "mode: 1 "}, {"mode: 0 ", "mode: 7 "},
        {"mode: 0 ", "mode: 0 fractionalScalingFactor: 3 fractionalScalingFactor: 3 "}}},
      {"unary", coreml_picture, {"type: 3 ", "alpha: 2 ", "shift: 0.5 ", "scale: 1 "},
       {{"type: 3 ", "type: 4 "}, {"type: 3 ", "type: 9 "}, {"alpha: 2 ", "alpha: 3 "},
        {"shift: 0.5 ", "shift: 1 "}, {"scale: 1 ", "scale: 2 "}}},
      {"reduce", coreml_picture, {"mode: 0 ", "axis: 2 "},
       {{"mode: 0 ", "mode: 1 "}, {"mode: 0 ", "mode: 9 "}, {"axis: 2 ", "axis: 3 "}}},
      {"reduceMean", coreml_picture, {"axes: 1 ", "keepDims: true "},
       {{"axes: 1 ", "axes: 2 "}, {"axes: 1 ", ""}, {"keepDims: true ", ""},
        {"axes: 1 ", "axes: 1 reduceAll: true "}}},
      {"slice", coreml_picture, {"startIndex: 1 ", "endIndex: 5 ", "stride: 1 ", "axis: 2 "},
       {{"startIndex: 1 ", "startIndex: 2 "}, {"endIndex: 5 ", "endIndex: 4 "},
        {"stride: 1 ", "stride: 2 "}, {"axis: 2 ", "axis: 1 "}}},
      {"reorganizeData", coreml_picture, {"mode: 1 ", "blockSize: 2 "},
       {{"mode: 1 ", "mode: 5 "}, {"blockSize: 2 ", "blockSize: 3 "}}},
      {"clip", coreml_picture, {"minVal: -1 ", "maxVal: 1 "},
       {{"minVal: -1 ", "minVal: 0 "}, {"maxVal: 1 ", "maxVal: 2 "}}},
      {"softmaxND", coreml_picture, {"axis: 1 "}, {{"axis: 1 ", "axis: 3 "}}},
      {"permute", coreml_picture, {"axes: 0 axes: 2 axes: 1 axes: 3 "},
       {{"axes: 0 axes: 2 axes: 1 axes: 3 ", "axes: 0 axes: 3 axes: 1 axes: 2 "}}},
      {"squeeze", {1, 4, 1, 1}, {"axes: 2 "},
       {{"axes: 2 ", "axes: 1 "}, {"axes: 2 ", "axes: 2 squeezeAll: true "}}},
      {"scale", coreml_picture, {"shapeScale: 4 ", weights("scale", steps(4)), "hasBias: true ",
                                 "shapeBias: 4 ", weights("bias", steps(4, 1))},
       {{"shapeScale: 4 ", "shapeScale: 3 "}, {"hasBias: true ", ""},
        {"shapeBias: 4 ", "shapeBias: 2 "}}},
      {"activation", coreml_picture, {"linear { alpha: 2 beta: 1 } "},
       {{"linear { alpha: 2 beta: 1 } ", "linear { alpha: 3 beta: 1 } "},
        {"linear { alpha: 2 beta: 1 } ", "linear { alpha: 2 beta: 2 } "},
        {"linear { alpha: 2 beta: 1 } ", "ReLU { } "}, {"linear { alpha: 2 beta: 1 } ", ""}}},
  };
}

std::vector<coreml_subject> operation_subjects() {
  const auto kernel = reals("weight", {2, 4, 3, 3}, steps(72));
  const auto two = integers("kernel_sizes", {2, 2});
  return {
      {"conv", coreml_picture,
       {kernel, integers("strides", {1, 1}), integers("dilations", {1, 1}), integer("groups", 1),
        word("pad_type", "valid"), reals("bias", {2}, {1, 2})},
       {{integers("strides", {1, 1}), integers("strides", {2, 1})},
        {integers("dilations", {1, 1}), integers("dilations", {1, 2})},
        {integer("groups", 1), integer("groups", 2)},
        {word("pad_type", "valid"), word("pad_type", "same")},
        {word("pad_type", "valid"), word("pad_type", "x")},
        {word("pad_type", "valid"), word("pad_type", "custom") + integers("pad", {1, 0, 0, 0})},
        {reals("bias", {2}, {1, 2}), ""}, {kernel, ""}}},
      {"max_pool", coreml_picture,
       {two, integers("strides", {2, 2}), word("pad_type", "valid"), flags("ceil_mode", {0})},
       {{two, integers("kernel_sizes", {3, 2})},
        {integers("strides", {2, 2}), integers("strides", {1, 2})},
        {word("pad_type", "valid"), word("pad_type", "same")},
        {flags("ceil_mode", {0}), flags("ceil_mode", {1})}}},
      {"avg_pool", coreml_picture,
       {integers("kernel_sizes", {3, 3}), word("pad_type", "same"),
        flags("exclude_padding_from_average", {0})},
       {{flags("exclude_padding_from_average", {0}), flags("exclude_padding_from_average", {1})}}},
      {"clip", coreml_picture, {number("alpha", -1), number("beta", 1)},
       {{number("alpha", -1), number("alpha", 0)}, {number("beta", 1), number("beta", 2)}}},
      {"leaky_relu", coreml_picture, {number("alpha", 0.1F)},
       {{number("alpha", 0.1F), number("alpha", 0.3F)}}},
      {"gelu", coreml_picture, {word("mode", "EXACT")},
       {{word("mode", "EXACT"), word("mode", "SIGMOID_APPROXIMATION")},
        {word("mode", "EXACT"), word("mode", "x")}}},
      {"softmax", coreml_picture, {integer("axis", 1)}, {{integer("axis", 1), integer("axis", 3)}}},
      {"reduce_mean", coreml_picture, {integers("axes", {1}), flags("keep_dims", {1})},
       {{integers("axes", {1}), integers("axes", {2})},
        {flags("keep_dims", {1}), flags("keep_dims", {0})}}},
      {"cast", coreml_picture, {word("dtype", "fp32")},
       {{word("dtype", "fp32"), word("dtype", "int32")}}},
      {"transpose", coreml_picture, {integers("perm", {0, 2, 3, 1})},
       {{integers("perm", {0, 2, 3, 1}), integers("perm", {0, 1, 3, 2})}}},
      {"pad", coreml_picture, {integers("pad", {1, 0}), number("constant_val", 0.5F)},
       {{integers("pad", {1, 0}), integers("pad", {0, 1})},
        {number("constant_val", 0.5F), number("constant_val", 1)},
        {number("constant_val", 0.5F), word("mode", "replicate")}}},
      {"upsample_bilinear", coreml_picture,
       {number("scale_factor_width", 2), flags("align_corners", {0})},
       {{number("scale_factor_width", 2), number("scale_factor_width", 3)},
        {flags("align_corners", {0}), flags("align_corners", {1})}}},
  };
}

outcome layer_outcome(const coreml_subject& s, const std::string& from = {},
                      const std::string& to = {}) {
  const auto text = layer_text(s.kind + " { " + with_change(s, from, to) + '}');
  const auto model = model_of(network_text(text, array_input(s.input)));
  return outcome_of([&] { return import::coreml_network_from({"m", model}).graph; });
}
outcome operation_outcome(const coreml_subject& s, const std::string& from = {},
                          const std::string& to = {}) {
  const auto model = model_of(program_text(op(s.kind, of_x + with_change(s, from, to)), s.input));
  return outcome_of([&] { return import::coreml_network_from({"m", model}).graph; });
}
template <class Outcome>
std::size_t check_changes(const std::vector<coreml_subject>& all, Outcome outcome_with) {
  std::size_t changes = 0;
  for (const auto& s : all) {
    INFO(s.kind);
    const auto base = outcome_with(s, "", "");
    CHECK(base.complaint == "");
    for (const auto& [from, to] : s.changes) {
      INFO(from << " -> " << to);
      bool differs = false;
      try {
        const auto changed = outcome_with(s, from, to);
        differs = !changed.accepted() || !changed.same_result(base);
      } catch (const error& e) {
        FAIL_CHECK("the text of the model: " << e.what());
      }
      CHECK(differs);
      ++changes;
    }
  }
  return changes;
}

}  // namespace

TEST_CASE("Core ML's layers: another value of a field gives another result or is refused") {
  CHECK(check_changes(layer_subjects(), [](const auto& s, const auto& from, const auto& to) {
          return layer_outcome(s, from, to);
        }) >= 70);
}

TEST_CASE("Core ML's operations: another input gives another result or is refused") {
  const auto all = operation_subjects();
  CHECK(check_changes(all, [](const auto& s, const auto& from, const auto& to) {
          return operation_outcome(s, from, to);
        }) >= 25);
  for (const auto& s : all) {
    INFO(s.kind);
    CHECK(mentions(operation_outcome(s, "", number("strange", 1)).complaint,
                   "its input strange is not understood"));
    const auto attribute = [](const std::string& key) {
      return "attributes { key: '" + key + "' value { " +
             value_text(11, {}, "floats { values: 1 }") + "} } ";
    };
    CHECK(operation_outcome(s, "", attribute("name")) == operation_outcome(s));
    CHECK(mentions(operation_outcome(s, "", attribute("strange")).complaint,
                   "its attribute strange is not understood"));
    CHECK(mentions(operation_outcome(s, "", "blocks { } ").complaint, "its blocks"));
  }
}
