// SPDX-License-Identifier: Apache-2.0
// Every parameter of every type of Caffe's layers: another value gives another result or is
// refused, and the default's value gives what leaving it out gives.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/caffe.hpp>
#include <nvdlac/import/caffe/schema.hpp>

#include "outcome.hpp"

using namespace nvdlac;
namespace caffe = import::caffe_format;
using std::string;

namespace {

// Stands in place of a complaint where a changed value gives the same result, not another one.
const string same = "the same";

struct parameter {
  string field;
  string others;         // the parameters beside it
  string value, another; // "": it is left out
  string complaint{};
  string standard{};     // its default; "": it has none
};
using parameters = std::vector<parameter>;

const string xavier = "{ type: 'xavier' }";

parameters detection_output() {
  const string o = "num_classes: 2 keep_top_k: 40";
  return {{"num_classes", "keep_top_k: 5", "2", "3", "for 60 prior boxes and 3 classes"},
          {"share_location", o, "", "false", "it takes 480 numbers of boxes", "true"},
          {"background_label_id", o, "", "1", "", "0"},
          {"background_label_id", o, "", "2", "the background 2"},
          {"nms_param", o, "{ nms_threshold: 0.01 }", "{ nms_threshold: 0.9 }"},
          {"nms_param", o, "{ nms_threshold: 0.9 }", "{ nms_threshold: 0.9 top_k: 2 }"},
          {"nms_param", o, "{ nms_threshold: 0.9 }", "{ nms_threshold: 0.9 eta: 0.5 }"},
          {"nms_param", o, "{ nms_threshold: 0.9 }", "{ nms_threshold: 0.9 eta: 0 }", "eta is 0"},
          {"code_type", o, "", "CENTER_SIZE", "", "CORNER"},
          {"code_type", o, "", "CORNER_SIZE"},
          {"keep_top_k", "num_classes: 2", "5", "4"},
          {"keep_top_k", "num_classes: 2", "5", "-1", "it keeps all boxes"},
          {"variance_encoded_in_target", o, "", "true", "", "false"},
          {"confidence_threshold", o, "", "0.7", "", "0"}};
}
parameters prior_box() {
  const string o = "min_size: 2 max_size: 3";
  return {{"min_size", "max_size: 3", "2", "1"},
          {"min_size", "max_size: 3", "2", "0", "min_size is 0"},
          {"min_size", "max_size: 3", "2", "", "min_size is missing"},
          {"max_size", "min_size: 2", "3", "4"},
          {"max_size", "min_size: 2", "3", "2", "its max_size is 2"},
          {"max_size", "min_size: 2", "3", "3 max_size: 4", "1 value of min_size and 2"},
          {"aspect_ratio", o, "", "2", "layer 'd': for 120 prior boxes"},
          {"aspect_ratio", o, "", "1", same},
          {"aspect_ratio", o, "", "0", "its aspect_ratio is 0"},
          {"flip", "min_size: 2 aspect_ratio: 2", "false", "true", "layer 'd': for 90 prior boxes",
           "true"},
          {"clip", o, "", "true", "", "false"},
          {"variance", o, "", "0.2", "", "0.1"},
          {"variance", o, "", "0.2 variance: 0.1", "it has 2 variances"},
          {"img_size", o, "", "9"},
          {"img_size", o + " img_h: 4", "", "9", "both img_size and img_h"},
          {"img_h", o, "", "9", "", "6"},
          {"img_w", o, "", "9", "", "5"},
          {"step", o, "", "2"},
          {"step", o + " step_h: 1", "", "2", "both step and step_h"},
          {"step_h", o, "", "2", "", "1"},
          {"step_w", o, "", "2", "", "1"},
          {"offset", o, "", "0", "", "0.5"}};
}

parameters operator+(parameters a, const parameters& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Parameters of a window over height and width, beside `o`: given by one name, or by two.
parameters window(const string& o) {
  return {{"kernel_size", o, "3", "2"},
          {"kernel_size", o, "3", "0", "kernel_size is missing or 0"},
          {"kernel_h", o + " kernel_size: 3", "", "3", "both kernel_size and kernel_h"},
          {"kernel_h", o + " kernel_w: 3", "3", "2"},
          {"kernel_w", o + " kernel_h: 3", "3", "2"},
          {"stride", o + " kernel_size: 3", "", "2", "", "1"},
          {"stride", o + " kernel_size: 3", "", "0", "stride is 0"},
          {"stride_h", o + " kernel_size: 3", "", "2", "", "1"},
          {"stride_w", o + " kernel_size: 3", "", "2", "", "1"},
          {"pad", o + " kernel_size: 3", "", "1", "", "0"},
          {"pad_h", o + " kernel_size: 3", "", "1", "", "0"},
          {"pad_w", o + " kernel_size: 3", "", "1", "", "0"},
          {"engine", o + " kernel_size: 3", "", "CAFFE", same, "DEFAULT"}};
}
parameters convolution() {
  const string o = "num_output: 4 kernel_size: 3";
  return window("num_output: 4") +
         parameters{{"bias_term", o, "", "false", "", "true"},
                    {"weight_filler", o, "", xavier, same},
                    {"bias_filler", o, "", xavier, same},
                    {"axis", o, "", "2", "axis 2 is not supported", "1"},
                    {"force_nd_im2col", o, "", "true", same, "false"},
                    {"dilation", o, "", "2", "", "1"},
                    {"dilation", o, "", "1 dilation: 2"},
                    {"dilation", o, "", "1 dilation: 2 dilation: 2", "2 values of dilation"}};
}
parameters grouped_convolution() {
  return convolution() + parameters{{"num_output", "kernel_size: 3", "4", "2"},
                                    {"group", "num_output: 4 kernel_size: 3", "", "2", "", "1"}};
}
parameters depthwise_convolution() {
  const string o = "num_output: 4 kernel_size: 3";
  return convolution() + parameters{{"num_output", "kernel_size: 3", "4", "8", "not depthwise"},
                                    {"group", o, "", "2", "not depthwise", "4"}};
}
parameters pooling() {
  const string o = "kernel_size: 3";
  return window("") + parameters{{"pool", o, "", "AVE", "", "MAX"},
                                 {"pool", o, "", "STOCHASTIC"},
                                 {"global_pooling", "", "true", "false", "kernel_size is missing"},
                                 {"global_pooling", o, "", "true", "both", "false"},
                                 {"stride", "global_pooling: true", "", "2", "takes no padding"},
                                 {"pad", "global_pooling: true", "", "1", "takes no padding"},
                                 {"round_mode", o + " stride: 2", "", "FLOOR", "", "CEIL"}};
}
parameters lrn() {
  const string within = "norm_region: WITHIN_CHANNEL";
  return {{"local_size", "", "", "3", "", "5"}, {"local_size", "", "", "4", "odd"},
          {"alpha", "", "", "0.5", "", "1"}, {"beta", "", "", "0.5", "", "0.75"},
          {"norm_region", "", "", "WITHIN_CHANNEL", "", "ACROSS_CHANNELS"},
          {"k", "", "", "2", "", "1"}, {"engine", "", "", "CAFFE", same, "DEFAULT"},
          {"local_size", within, "", "3", "", "5"}, {"alpha", within, "", "0.5", "", "1"},
          {"beta", within, "", "0.5", "", "0.75"},
          {"k", within, "", "2", "which Caffe ignores", "1"}};
}
parameters eltwise() {
  return {{"operation", "", "", "PROD", "", "SUM"}, {"operation", "", "", "MAX"},
          {"coeff", "", "", "1 coeff: -2", "", "1 coeff: 1"},
          {"coeff", "", "", "1", "1 coefficients for 2 inputs"},
          {"coeff", "operation: PROD", "", "1 coeff: 2", "which only a SUM does"},
          {"coeff", "operation: MAX", "", "1 coeff: 2", "which only a SUM does"},
          {"stable_prod_grad", "operation: PROD", "", "false", same, "true"}};
}
parameters interp() {
  return {{"height", "width: 9", "6", "11"}, {"width", "height: 11", "5", "9"},
          {"height", "", "", "11", "lacks one of height and width"},
          {"width", "", "", "9", "lacks one of height and width"},
          {"zoom_factor", "height: 11 width: 9", "", "2", "both a size and"},
          {"zoom_factor", "", "", "2", "", "1"}, {"zoom_factor", "", "", "0", "zooms by 0"},
          {"shrink_factor", "height: 11 width: 9", "", "2", "both a size and"},
          {"shrink_factor", "", "", "2", "", "1"}, {"shrink_factor", "", "", "0", "shrinks by 0"},
          {"pad_beg", "zoom_factor: 2", "", "-1", "crops its input", "0"},
          {"pad_end", "zoom_factor: 2", "", "-1", "crops its input", "0"}};
}

struct layer_test {
  string type;
  parameters all{};
  string second{};        // another input
  std::size_t tops = 1;
};

const std::vector<layer_test>& tests() {
  static const std::vector<layer_test> all = {
      {"AbsVal"},
      {"ArgMax", {{"out_max_val", "", "", "true", "gives values besides", "false"},
                  {"top_k", "", "", "2", "more than one place", "1"},
                  {"axis", "", "", "1"}, {"axis", "", "", "0", "axis 0"}}},
      {"Axpy"},
      {"BNLL"},
      {"BatchNorm", {{"use_global_stats", "", "", "false", "the batch at hand", "true"},
                     {"moving_average_fraction", "", "", "0.5", same, "0.999"},
                     {"eps", "", "", "0.5", "", "1e-5"}}},
      {"Bias", {{"axis", "", "", "2", "not one for each channel", "1"},
                {"num_axes", "", "", "0", "", "1"},
                {"num_axes", "", "", "2", "not one for each channel"},
                {"filler", "", "", xavier, same}}},
      {"Bias", {{"axis", "", "0", "1", "axis 1 of a layer with two inputs"}}, "like_data"},
      {"Clip", {{"min", "max: 0.5", "-0.5", "-0.1"}, {"max", "min: -0.5", "0.5", "0.1"},
                {"min", "max: 0.5", "-0.5", "", "no min"}}},
      {"Concat", {{"axis", "", "", "3", "", "1"}, {"concat_dim", "", "", "2", "", "1"},
                  {"axis", "", "", "0", "to a batch"},
                  {"axis", "concat_dim: 1", "", "1", "both axis and concat_dim"}},
       "like_data"},
      {"Convolution", grouped_convolution()},
      {"ConvolutionDepthwise", depthwise_convolution()},
      {"Crop", {{"axis", "", "", "1", "", "2"}, {"offset", "", "", "1", "", "0"},
                {"offset", "", "", "1 offset: 2"}, {"offset", "", "", "9", "out of 6"}},
       "small"},
      {"Deconvolution", grouped_convolution()},
      {"DepthwiseConvolution", depthwise_convolution()},
      {"Dropout", {{"dropout_ratio", "", "", "0.9", same, "0.5"}}},
      {"ELU", {{"alpha", "", "", "2", "", "1"}}},
      {"Eltwise", eltwise(), "like_data"},
      {"Exp", {{"base", "", "", "2", "", "-1"}, {"base", "", "", "-2", "its base is -2"},
               {"scale", "", "", "2", "", "1"}, {"shift", "", "", "1", "", "0"}}},
      {"Flatten", {{"axis", "", "", "2", "", "1"}, {"end_axis", "", "", "2", "", "-1"},
                   {"axis", "", "", "0", "flattens the axes 0"}}},
      {"InnerProduct", {{"num_output", "", "4", "2"},
                        {"bias_term", "num_output: 4", "", "false", "", "true"},
                        {"weight_filler", "num_output: 4", "", xavier, same},
                        {"bias_filler", "num_output: 4", "", xavier, same},
                        {"axis", "num_output: 4", "", "2", "axis 2 is not supported", "1"},
                        {"transpose", "num_output: 4", "", "true", "", "false"}}},
      {"Interp", interp()},
      {"LRN", lrn()},
      {"Log", {{"base", "shift: 20", "", "2", "", "-1"}, {"scale", "shift: 20", "", "2", "", "1"},
               {"base", "shift: 20", "", "1", "its base is 1"},
               {"shift", "", "20", "30", "", "0"}}},
      {"MVN", {{"normalize_variance", "", "", "false", "", "true"},
               {"across_channels", "", "", "true", "", "false"},
               {"eps", "", "", "0.5", "", "1e-9"}}},
      {"Normalize", {{"across_spatial", "", "", "false", "", "true"},
                     {"scale_filler", "", "", xavier, same},
                     {"channel_shared", "", "", "false", "", "true"},
                     {"eps", "", "", "10", "", "1e-10"}}},
      {"PReLU", {{"channel_shared", "", "", "true", "", "false"},
                 {"filler", "", "", xavier, same}}},
      {"Permute", {{"order", "", "", "0 order: 3", "", "0 order: 1"},
                   {"order", "", "", "1", "moves the batch"},
                   {"order", "", "", "0 order: 2 order: 2", "no permutation"},
                   {"order", "", "", "0 order: 4", "no permutation"}}},
      {"DetectionOutput", detection_output()},
      {"PriorBox", prior_box()},
      {"Pooling", pooling()},
      {"Power", {{"power", "", "", "2", "", "1"}, {"power", "", "", "3"},
                 {"scale", "power: 2", "", "2", "", "1"}, {"shift", "power: 2", "", "1", "", "0"}}},
      {"ReLU", {{"negative_slope", "", "", "0.5", "", "0"},
                {"engine", "", "", "CAFFE", same, "DEFAULT"}}},
      {"ReLU6"},
      {"Reduction", {{"operation", "axis: 2", "", "MEAN", "", "SUM"},
                     {"operation", "axis: 2", "", "ASUM"}, {"operation", "axis: 2", "", "SUMSQ"},
                     {"axis", "", "2", "1"}, {"axis", "operation: MEAN", "2", "3"},
                     {"axis", "operation: SUM", "2", "0", "from axis 0", "0"},
                     {"coeff", "axis: 2 operation: MEAN", "", "2", "", "1"},
                     {"coeff", "axis: 2", "", "2", "", "1"}}},
      {"Reshape", {{"shape", "", "{ dim: 0 dim: -1 }", "{ dim: 0 dim: 0 dim: 0 dim: 0 }"},
                   {"axis", "shape { dim: 30 }", "2", "0", "mixes pictures"},
                   {"axis", "shape { dim: 0 dim: -1 }", "", "1", "", "0"},
                   {"num_axes", "shape { dim: 0 dim: -1 }", "", "2", "", "-1"}}},
      {"SPP", {{"pyramid_height", "", "2", "1"},
               {"pyramid_height", "", "2", "3", "padding is not smaller than its window"},
               {"pyramid_height", "", "2", "0", "pyramid_height is 0", "0"},
               {"pool", "pyramid_height: 2", "", "AVE", "", "MAX"},
               {"pool", "pyramid_height: 2", "", "STOCHASTIC", "stochastic pooling is padded"},
               {"engine", "pyramid_height: 2", "", "CAFFE", same, "DEFAULT"}}},
      {"Scale", {{"axis", "", "", "2", "not one for each channel", "1"},
                 {"num_axes", "", "", "0", "", "1"}, {"filler", "", "", xavier, same},
                 {"bias_term", "", "", "true", "", "false"},
                 {"bias_filler", "", "", xavier, same}}},
      {"Scale", {{"axis", "", "0", "1", "axis 1 of a layer with two inputs"}}, "like_data"},
      {"ShuffleChannel", {{"group", "", "", "2", "", "1"}, {"group", "", "", "3", "in 3 groups"}}},
      {"Sigmoid", {{"engine", "", "", "CAFFE", same, "DEFAULT"}}},
      {"Silence"},
      {"Slice", {{"axis", "", "", "2", "", "1"}, {"slice_dim", "", "", "2", "", "1"},
                 {"slice_point", "", "", "1", "", "2"}, {"slice_point", "", "", "4", "not ascend"},
                 {"axis", "slice_dim: 1", "", "1", "both axis and slice_dim"}}, "", 2},
      {"Softmax", {{"axis", "", "", "2", "", "1"}, {"axis", "", "", "0", "axis 0"},
                   {"engine", "", "", "CAFFE", same, "DEFAULT"}}},
      {"Split"},
      {"Swish", {{"beta", "", "", "2", "", "1"}}},
      {"TanH", {{"engine", "", "", "CAFFE", same, "DEFAULT"}}},
      {"Threshold", {{"threshold", "", "", "0.5", "", "0"}}},
      {"Tile", {{"axis", "tiles: 2", "", "2", "", "1"}, {"tiles", "", "", "2", "", "1"},
                {"tiles", "", "", "0", "tiles is 0"}}},
      {"Upsample", {{"scale", "", "", "3", "", "2"}, {"scale_h", "scale_w: 2", "", "3", "", "2"},
                    {"scale_w", "scale_h: 2", "", "3", "", "2"},
                    {"scale", "scale_h: 2", "", "2", "both"}}},
  };
  return all;
}

// Places of prior boxes in a picture, and what a network tells of the boxes around them.
string detector(const string& prior, const string& prior_parameters, const string& output,
                const string& output_parameters) {
  const auto told = [](const string& name, int channels) {
    return text("layer { type: 'Convolution' name: '", name, "' bottom: 'data' top: '", name,
                "' convolution_param { num_output: ", channels, " kernel_size: 1 } }\n");
  };
  return told("loc", 8) + told("conf", 4) + "layer { type: 'PriorBox' name: '" + prior +
         "' bottom: 'loc' bottom: 'data' top: 'p' prior_box_param { " + prior_parameters +
         " } }\nlayer { type: 'DetectionOutput' name: '" + output +
         "' bottom: 'loc' bottom: 'conf' bottom: 'p' top: 'y' detection_output_param { " +
         output_parameters + " } }\n";
}

// The old form's name for a type of layer.
using old_name = std::string;

// A layer in the new form or, given the old name of its type, in the old one.
string layer(const string& type, const old_name& old, const string& name, const string& rest) {
  return (old.empty() ? "layer { type: '" + type + "'" : "layers { type: " + old) + " name: '" +
         name + "' bottom: 'data' " + rest + " }\n";
}
// A network of this layer behind its inputs.
string network(const layer_test& t, const string& all, const old_name& old = {}) {
  string s = "input: 'data' input_shape { dim: 1 dim: 4 dim: 6 dim: 5 }\n", rest;
  if (t.type == "PriorBox") return s + detector("l", all, "d", "num_classes: 2 keep_top_k: 5");
  if (t.type == "DetectionOutput") return s + detector("p", "min_size: 2 max_size: 3", "l", all);
  if (t.second == "like_data")
    s += layer("TanH", old.empty() ? "" : "TANH", "s", "top: 'like_data'");
  if (t.second == "small")
    s += layer("Convolution", old.empty() ? "" : "CONVOLUTION", "s",
               "top: 'small' convolution_param { num_output: 2 kernel_size: 3 }");
  if (!t.second.empty()) rest += "bottom: '" + t.second + "'";
  for (std::size_t i = 0; i < t.tops; ++i) rest += text(" top: 'l", i, "'");
  if (!all.empty()) rest += text(' ', caffe::layer_types().at(t.type).parameters, " { ", all, " }");
  return s + layer(t.type, old, "l", rest);
}
outcome outcome_of(const string& prototxt) {
  return ::outcome_of([&] {
    return caffe::read({"net.prototxt", prototxt},
                       caffe::weights(import::random_weights{1}, budget{}.weights)).graph;
  });
}
string with(const parameter& p, const string& value) {
  if (value.empty()) return p.others;
  return p.others + " " + p.field + (value[0] == '{' ? " " : ": ") + value;
}
const import::proto::pb::Descriptor& fields_of(const char* message) {
  return *caffe::schema().make(message)->GetDescriptor();
}

}  // namespace

TEST_CASE("Caffe: another value of a parameter gives another result or is refused") {
  for (const auto& t : tests())
    for (const auto& p : t.all) {
      INFO(t.type, ": ", p.others, " ", p.field, " = '", p.value, "', '", p.another, "'");
      const auto before = outcome_of(network(t, with(p, p.value)));
      const auto after = outcome_of(network(t, with(p, p.another)));
      CHECK(before.complaint == "");
      if (p.complaint.empty() || p.complaint == same) {
        CHECK(after.complaint == "");
        CHECK(before.same_result(after) == (p.complaint == same));
      } else {
        if (!p.complaint.starts_with("layer '"))
          CHECK(mentions(after.complaint, "layer 'l': "));
        CHECK_MESSAGE(mentions(after.complaint, p.complaint), after.complaint);
      }
      if (p.standard.empty()) continue;
      CHECK(outcome_of(network(t, with(p, p.standard))) == outcome_of(network(t, with(p, ""))));
    }
}

TEST_CASE("Caffe: every parameter of every type of layer has a test") {
  std::map<string, std::set<string>> tested;
  for (const auto& t : tests())
    for (const auto& p : t.all) tested[t.type].insert(p.field);
  const auto& layer = fields_of("LayerParameter");
  for (const auto& [type, entry] : caffe::layer_types()) {
    std::set<string> known;
    if (*entry.parameters != '\0') {
      const auto* m = layer.FindFieldByName(entry.parameters)->message_type();
      for (int i = 0; i < m->field_count(); ++i) known.insert(m->field(i)->name());
    }
    INFO(type);
    CHECK(std::any_of(tests().begin(), tests().end(), [&](auto& t) { return t.type == type; }));
    CHECK(tested[string(type)] == known);
  }
}

TEST_CASE("Caffe: the old form of a layer means the same") {
  const auto& old = fields_of("V1LayerParameter");
  const auto& types = *old.FindFieldByName("type")->enum_type();
  for (int i = 0; i < types.value_count(); ++i) {
    const old_name name = types.value(i)->name();
    const auto type = caffe::new_type_name(name);
    const auto entry = caffe::layer_types().find(type);
    INFO(name);
    if (entry == caffe::layer_types().end()) {
      const auto complaint = outcome_of(network({type}, "", name)).complaint;
      const auto article = std::string("AEIOU").find(type[0]) != std::string::npos ? "an " : "a ";
      const auto data = "it is " + (article + type) + " layer",
                 other = "layers of type " + type + " are not";
      CHECK_MESSAGE((mentions(complaint, data) || mentions(complaint, other)), complaint);
      continue;
    }
    CHECK(outcome_of(network({type}, "", name)) == outcome_of(network({type}, "")));
    if (old.FindFieldByName(entry->second.parameters) == nullptr) continue;
    for (const auto& t : tests())
      for (const auto& p : t.type == type ? t.all : parameters{}) {
        const auto all = with(p, p.another);
        CHECK(outcome_of(network(t, all, name)) == outcome_of(network(t, all)));
      }
  }
}

TEST_CASE("Caffe: parameters of another type of layer are refused") {
  const auto& layer = fields_of("LayerParameter");
  for (const auto& [type, entry] : caffe::layer_types())
    for (int i = 0; i < layer.field_count(); ++i) {
      const string field = layer.field(i)->name();
      if (!field.ends_with("_param") || field == entry.parameters) continue;
      const auto complaint = outcome_of(
          "input: 'data' input_shape { dim: 1 dim: 4 dim: 6 dim: 5 } layer { name: 'l' type: '" +
          string(type) + "' bottom: 'data' top: 'l' " + field + " { } }").complaint;
      CHECK_MESSAGE(mentions(complaint, "layer 'l': " + field + " has no meaning in a layer"),
                    complaint);
    }
}
