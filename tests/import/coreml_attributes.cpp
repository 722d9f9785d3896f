// SPDX-License-Identifier: Apache-2.0
// Field by field of Core ML's layers: another value changes the result, or is refused.
#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/coreml.hpp>
#include <nvdlac/import/coreml/layers.hpp>
#include <nvdlac/import/coreml/moving.hpp>
#include <nvdlac/import/coreml/schema.hpp>

#include "coreml_model.hpp"
#include "outcome.hpp"

using namespace nvdlac;
using namespace coreml_model;

namespace {

namespace pb = import::proto::pb;

struct coreml_subject {
  std::string kind;
  shape input;
  std::vector<std::string> parts;
  std::vector<std::pair<std::string, std::string>> changes{};
  std::string inputs = "input: 'x'", outputs = "output: 'y'";
  std::string behind{}, before{};  // further layers
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
      {"reorganizeData", {1, 8, 5, 6}, {"mode: 1 ", "blockSize: 2 "},
       {{"mode: 1 ", "mode: 5 "}, {"blockSize: 2 ", "blockSize: 3 "}}},
      {"clip", coreml_picture, {"minVal: -1 ", "maxVal: 1 "},
       {{"minVal: -1 ", "minVal: 0 "}, {"maxVal: 1 ", "maxVal: 2 "}}},
      {"softmaxND", coreml_picture, {"axis: 1 "}, {{"axis: 1 ", "axis: 3 "}}},
      {"permute", coreml_picture, {"axes: 0 axes: 2 axes: 1 axes: 3 "},
       {{"axes: 0 axes: 2 axes: 1 axes: 3 ", "axes: 0 axes: 3 axes: 1 axes: 2 "}}},
      {"squeeze", {1, 4, 1, 5}, {"axes: 2 "},
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

// Beside them those of the other kinds, and those that have the fields that these leave out.
std::vector<coreml_subject> further_layer_subjects() {
  const auto picture = coreml_picture;
  const std::string twice = "input: 'x' input: 'x'", none = "", two = "output: 'y' output: 'z'";
  const std::string three = "kernelSize: 3 kernelSize: 3 ", once = "stride: 1 stride: 1 ";
  const std::string sum_with_k =
      "layers { name: 'sum' input: 'x' input: 'k' output: 'y' addBroadcastable { } } ";
  const auto data = [](std::size_t n) { return weights("data", steps(n)); };
  const auto masks = [](const char* field) {
    return listed(field, std::vector<const char*>(3, "false")) + ' ';
  };
  std::vector<coreml_subject> all{
      {"convolution", picture,
       {"outputChannels: 2 kernelChannels: 4 dilationFactor: 1 dilationFactor: 1 ", three, once,
        "valid { " + borders("paddingAmounts", 1, 0, 0, 1) + "} ", weights("weights", steps(72))}},
      {"convolution", picture,
       {"outputChannels: 2 kernelChannels: 4 ", "kernelSize: 2 kernelSize: 2 ", once,
        "same { asymmetryMode: 1 } ", weights("weights", steps(32))}},
      {"convolution", picture,
       {"outputChannels: 2 kernelChannels: 4 isDeconvolution: true ", three,
        "stride: 2 stride: 2 outputShape: 12 outputShape: 14 ", valid,
        weights("weights", steps(72))}},
      {"innerProduct", {1, 2},
       {"inputChannels: 2 outputChannels: 2 ",
        R"(weights { rawValue: '\x01\x02\x03\x04' quantization { numberOfBits: 8 )"
        "linearQuantization { scale: 2 scale: 0.5 bias: 1 bias: 0.25 } } } "}},
      {"innerProduct", {1, 2},
       {"inputChannels: 2 outputChannels: 2 ",
        R"(weights { rawValue: '\x6c' quantization { numberOfBits: 2 )"
        "lookupTableQuantization { floatValue: 1 floatValue: 2 floatValue: 3 "
        "floatValue: 4 } } } "}},
      {"innerProduct", {1, 2},
       {"inputChannels: 2 outputChannels: 2 ",
        R"(weights { float16Value: '\x00\x3c\x00\x3c\x00\x40\x00\x40' } )"}},
      {"pooling", picture,
       {"type: 1 ", "kernelSize: 2 kernelSize: 2 ", once, "same { asymmetryMode: 1 } "}},
      {"pooling", picture,
       {"type: 1 ", three, once, "valid { " + borders("paddingAmounts", 1, 0, 0, 1) + "} "}},
      {"pooling", picture,
       {"type: 1 ", three, "stride: 2 stride: 2 ",
        "includeLastPixel { paddingAmounts: 1 paddingAmounts: 0 } "}},
      {"upsample", picture, {"fractionalScalingFactor: 2 fractionalScalingFactor: 2 mode: 1 "}},
      {"upsample", picture, {"scalingFactor: 2 scalingFactor: 2 mode: 1 linearUpsampleMode: 0 "}},
      {"resizeBilinear", picture, {"targetSize: 10 targetSize: 12 mode { samplingMethod: 2 } "}},
      {"unary", picture, {"type: 1 epsilon: 0.5 shift: 10 scale: 1 "}},
      {"reduce", picture, {"mode: 3 epsilon: 10 axis: 1 "}},
      {"add", picture, {"alpha: 0.5 "}},
      {"multiply", picture, {"alpha: 0.5 "}},
      {"bias", picture, {"shape: 4 ", weights("bias", steps(4))}},
      {"loadConstant", picture, {"shape: 4 shape: 5 shape: 6 ", data(120)}, {}, none, "output: 'k'",
       sum_with_k},
      {"loadConstantND", picture, {"shape: 5 shape: 6 ", data(30)}, {}, none, "output: 'k'",
       sum_with_k},
      {"powBroadcastable", picture, {}, {}, "input: 'x' input: 'k'", "output: 'y'",
       "", "layers { name: 'k' output: 'k' loadConstantND { shape: 1 data { floatValue: 2 } } } "},
      {"reshape", picture, {"targetShape: 6 targetShape: 4 targetShape: 5 ", "mode: 0 "}},
      {"flatten", picture, {"mode: 0 "}},
      {"gelu", picture, {"mode: 0 "}},
      {"transpose", picture, {"axes: 0 axes: 2 axes: 3 axes: 1 "}},
      {"expandDims", {1, 4, 5}, {"axes: 1 "}},
      {"concat", picture, {}, {}, twice},
      {"concatND", picture, {"axis: 2 "}, {}, twice},
      {"split", picture, {"nOutputs: 2 "}, {}, "input: 'x'", two},
      {"splitND", picture, {"axis: 1 numSplits: 2 "}, {}, "input: 'x'", two},
      {"splitND", picture, {"axis: 1 splitSizes: 1 splitSizes: 3 "}, {}, "input: 'x'", two},
      {"sliceStatic", {1, 4, 5},
       {"beginIds: 0 beginIds: 1 beginIds: 2 endIds: 1 endIds: 3 endIds: 4 strides: 1 strides: 1 "
        "strides: 1 ", masks("beginMasks"), masks("endMasks"), masks("squeezeMasks")}},
      {"batchedMatmul", {1, 4, 6},
       {"weightMatrixFirstDimension: 6 weightMatrixSecondDimension: 2 hasBias: true ",
        weights("weights", steps(12)), weights("bias", steps(2, 1))}},
      {"batchedMatmul", {1, 4, 6}, {"transposeB: true "}, {}, twice},
      {"batchedMatmul", {1, 4, 6}, {"transposeA: true "}, {}, twice},
      {"constantPad", picture,
       {"value: 0.5 ", "padAmounts: 1 padAmounts: 0 padAmounts: 1 padAmounts: 1 "}},
      {"flattenTo2D", picture, {"axis: 2 "}},
      {"reshapeStatic", picture, {"targetShape: 1 targetShape: 20 targetShape: 6 "}},
      {"rankPreservingReshape", {1, 4, 6}, {"targetShape: 1 targetShape: 6 targetShape: 4 "}},
      {"clampedReLU", picture, {"alpha: 0.25 beta: 2 "}},
  };
  for (const char* kind : {"average", "max", "min", "addBroadcastable", "subtractBroadcastable",
                           "multiplyBroadcastable", "divideBroadcastable",
                           "maxBroadcastable", "minBroadcastable"})
    all.push_back({kind, picture, {}, {}, twice});
  for (const char* kind : {"ceil", "copy", "cos", "erf", "floor", "round", "sign", "sin", "softmax",
                           "tan", "tanh"})
    all.push_back({kind, picture, {}});
  for (const char* kind : {"reduceL1", "reduceL2", "reduceLogSum", "reduceLogSumExp", "reduceMax",
                           "reduceMin", "reduceProd", "reduceSum", "reduceSumSquare"})
    all.push_back({kind, picture, {"axes: 2 ", "keepDims: true "}});
  for (const char* function : {"ReLU", "tanh", "sigmoid", "softsign", "softplus"})
    all.push_back({"activation", picture, {function, " { } "}});
  for (const char* function : {"leakyReLU", "thresholdedReLU", "ELU"})
    all.push_back({"activation", picture, {function, " { alpha: 0.25 } "}});
  for (const char* function : {"scaledTanh", "sigmoidHard"})
    all.push_back({"activation", picture, {function, " { alpha: 0.25 beta: 0.5 } "}});
  all.push_back({"activation", picture, {"PReLU { ", weights("alpha", steps(4)), "} "}});
  all.push_back({"activation", picture,
                 {"parametricSoftplus { ", weights("alpha", steps(4)), weights("beta", steps(4, 1)),
                  "} "}});
  return all;
}

// A model, and the message of the kind of the layer that is looked at.
struct layer_model {
  std::unique_ptr<pb::Message> model;
  pb::Message* layer = nullptr;
};
layer_model model_with(const coreml_subject& s, const std::string& from = {},
                       const std::string& to = {}) {
  const auto content = network_text(
      s.before + layer_text(s.kind + " { " + with_change(s, from, to) + '}', s.inputs, s.outputs) +
          s.behind,
      array_input(s.input));
  layer_model m{import::proto::parse_text(import::coreml_format::schema(), "Model", "", content,
                                          budget{}.fields)
                    .message};
  const auto inner = [&](pb::Message& of, const std::string& name) {
    const auto* field = of.GetDescriptor()->FindFieldByName(name);
    const int place = s.before.empty() ? 0 : 1;
    return field->is_repeated() ? of.GetReflection()->MutableRepeatedMessage(&of, field, place)
                                : of.GetReflection()->MutableMessage(&of, field);
  };
  m.layer = inner(*inner(*inner(*m.model, "neuralNetwork"), "layers"), s.kind);
  return m;
}
outcome outcome_of(const layer_model& m) {
  const auto bytes = m.model->SerializeAsString();
  return ::outcome_of([&] { return import::coreml_network_from({"m", bytes}).graph; });
}

// A change of one field of a message, and its name: that of the kind of layer, those of the
// messages on the way to it, and its own; of weights it begins with theirs.
struct field_change {
  std::string name;
  bool is_set = false;
  std::function<void(pb::Message&)> make{};
};
// Another value of a field, of several the last: the next number, the other truth, another byte;
// or a first one.
void change_value(pb::Message& m, const pb::FieldDescriptor* f) {
  const auto& r = *m.GetReflection();
  const bool many = f->is_repeated();
  const int last = many ? r.FieldSize(m, f) - 1 : -1;
  using types = pb::FieldDescriptor;
  const auto put = [&](auto get, auto set, auto get_one, auto set_one, auto add, auto other) {
    if (!many) (r.*set)(&m, f, other((r.*get)(m, f)));
    else if (last >= 0) (r.*set_one)(&m, f, last, other((r.*get_one)(m, f, last)));
    else (r.*add)(&m, f, other({}));
  };
  using reflection = pb::Reflection;
  switch (f->cpp_type()) {
    case types::CPPTYPE_INT32:
      put(&reflection::GetInt32, &reflection::SetInt32, &reflection::GetRepeatedInt32,
          &reflection::SetRepeatedInt32, &reflection::AddInt32,
          [](std::int32_t v) { return v + 1; });
      break;
    case types::CPPTYPE_INT64:
      put(&reflection::GetInt64, &reflection::SetInt64, &reflection::GetRepeatedInt64,
          &reflection::SetRepeatedInt64, &reflection::AddInt64,
          [](std::int64_t v) { return v + 1; });
      break;
    case types::CPPTYPE_FLOAT:
      put(&reflection::GetFloat, &reflection::SetFloat, &reflection::GetRepeatedFloat,
          &reflection::SetRepeatedFloat, &reflection::AddFloat, [](float v) { return v + 1; });
      break;
    case types::CPPTYPE_BOOL:
      put(&reflection::GetBool, &reflection::SetBool, &reflection::GetRepeatedBool,
          &reflection::SetRepeatedBool, &reflection::AddBool, [](bool v) { return !v; });
      break;
    default: {
      auto bytes = r.GetString(m, f);
      if (bytes.empty()) bytes = "a";
      else bytes.back() = static_cast<char>(bytes.back() ^ 1);
      r.SetString(&m, f, bytes);
    }
  }
}
// All changes of the fields of a message; `in` finds it in the layer's.
void list_changes(const pb::Message& m, const std::string& name,
                  const std::function<pb::Message&(pb::Message&)>& in,
                  std::vector<field_change>& to) {
  const auto& r = *m.GetReflection();
  if (m.GetDescriptor()->name() == "Nothing") return;
  const auto prefix = m.GetDescriptor()->name() == "Weights" ? "Weights" : name;
  for (int i = 0; i < m.GetDescriptor()->field_count(); ++i) {
    const auto* f = m.GetDescriptor()->field(i);
    const auto own = prefix + '.' + f->name();
    const bool set = f->is_repeated() ? r.FieldSize(m, f) > 0 : r.HasField(m, f);
    if (f->cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE) {
      to.push_back({own, set, [in, f](pb::Message& layer) { change_value(in(layer), f); }});
      continue;
    }
    to.push_back({own, set, [in, f, set](pb::Message& layer) {
                    auto& changed = in(layer);
                    if (set) changed.GetReflection()->ClearField(&changed, f);
                    else if (f->is_repeated()) changed.GetReflection()->AddMessage(&changed, f);
                    else changed.GetReflection()->MutableMessage(&changed, f);
                  }});
    for (int k = 0; set && k < (f->is_repeated() ? r.FieldSize(m, f) : 1); ++k)
      list_changes(f->is_repeated() ? r.GetRepeatedMessage(m, f, k) : r.GetMessage(m, f), own,
                   [in, f, k](pb::Message& layer) -> pb::Message& {
                     auto& whole = in(layer);
                     const auto& of = *whole.GetReflection();
                     return f->is_repeated() ? *of.MutableRepeatedMessage(&whole, f, k)
                                             : *of.MutableMessage(&whole, f);
                   },
                   to);
  }
}
// The names of all fields that a message may have.
void list_fields(const pb::Descriptor& m, const std::string& name, std::set<std::string>& to) {
  if (m.name() == "Nothing") return;
  const auto prefix = m.name() == "Weights" ? "Weights" : name;
  for (int i = 0; i < m.field_count(); ++i) {
    const auto own = prefix + '.' + m.field(i)->name();
    to.insert(own);
    if (m.field(i)->cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE)
      list_fields(*m.field(i)->message_type(), own, to);
  }
}
// Fields that say nothing of the values.
bool is_idle_field(const std::string& name) { return name == "Weights.isUpdatable"; }

}  // namespace

TEST_CASE("Core ML's layers: another value of a field gives another result or is refused") {
  std::set<std::string> changing, known;
  auto subjects = layer_subjects();
  for (auto& s : further_layer_subjects()) subjects.push_back(std::move(s));
  for (const auto& s : subjects) {
    INFO(s.kind << ": " << with_change(s, "", ""));
    const auto plain = model_with(s);
    const auto base = outcome_of(plain);
    CHECK(base.complaint == "");
    const auto differs = [&](const layer_model& m) {
      const auto changed = outcome_of(m);
      return !changed.accepted() || !changed.same_result(base);
    };
    for (const auto& [from, to] : s.changes) {
      INFO(from << " -> " << to);
      CHECK(differs(model_with(s, from, to)));
    }
    std::vector<field_change> changes;
    list_changes(*plain.layer, s.kind, [](pb::Message& layer) -> pb::Message& { return layer; },
                 changes);
    for (const auto& c : changes) {
      auto m = model_with(s);
      c.make(*m.layer);
      const bool changed = differs(m);
      if (changed) changing.insert(c.name);
      CHECK_MESSAGE((changed || !c.is_set || is_idle_field(c.name)), c.name);
    }
    auto strange = model_with(s);
    strange.layer->GetReflection()->MutableUnknownFields(strange.layer)->AddVarint(7777, 1);
    CHECK(mentions(outcome_of(strange).complaint, "the field number 7777 of its"));
    list_fields(*plain.layer->GetDescriptor(), s.kind, known);
    known.insert(s.kind);
  }
  for (const auto& [kind, ignored] : import::coreml_format::layers())
    CHECK_MESSAGE(known.contains(std::string(kind)), std::string(kind));
  for (const auto& name : known)
    if (mentions(name, "."))
      CHECK_MESSAGE((changing.contains(name) || is_idle_field(name)), name);
}
