// SPDX-License-Identifier: Apache-2.0
// Every field of Caffe's files outside of the parameters of layers: another value gives another
// result or is refused, or does not matter to a network that is used.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/import/caffe.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/import/caffe/schema.hpp>

#include "outcome.hpp"

using namespace nvdlac;
namespace caffe = import::caffe_format;
using std::string;

namespace {

const string same = "the same";

struct field {
  string message, name;
  string before, after;  // what is written, from `before` on another thing
  string complaint{};
};

const string input = "input: 'data' input_shape { dim: 1 dim: 2 dim: 3 dim: 1 } ";
const string one = " bottom: 'data' top: 'l' inner_product_param { num_output: 1 } ";
const string product = "layer { name: 'l' type: 'InnerProduct'" + one;
const string old_product = "layers { name: 'l' type: INNER_PRODUCT" + one;
const string blobs = "blobs { shape { dim: 1 dim: 6 } data: [1, 2, 3, 4, 5, 6] } ";
const string bias = "blobs { shape { dim: 1 } data: 7 } ";
const string weights = "layer { name: 'l' " + blobs + bias + "} layer { name: 'm' " + blobs +
                       "blobs { shape { dim: 1 } data: 8 } }";

string whole(const string& more) { return input + product + "} " + more; }
string layer(const string& more) { return input + product + more + " }"; }
string old_layer(const string& more) { return input + old_product + more + " }"; }
// A second layer, in the states that a rule names, of a network in a state.
string ruled(const string& rule, const string& state) {
  return whole(state + " layer { name: 'r' type: 'TanH' bottom: 'l' top: 'r' " + rule + " }");
}
string old_ruled(const string& rule) {
  return old_layer("} layers { name: 'r' type: TANH bottom: 'l' top: 'r' " + rule);
}
string of_input(const string& shape) {
  return "layer { name: 'data' type: 'Input' top: 'data' input_param { " + shape + " } } " +
         product + "}";
}

outcome outcome_of(const string& prototxt, const string& caffemodel = weights) {
  return ::outcome_of([&] {
    return caffe::read({"net.prototxt", prototxt}, {"net.caffemodel", caffemodel, {}}).graph;
  });
}

std::vector<field> of_networks() {
  const string deployed = "include { stage: 'deploy' }", deploying = "state { stage: 'deploy' }";
  return {
      {"NetParameter", "name", whole(""), whole("name: 'x'"), same},
      {"NetParameter", "force_backward", whole(""), whole("force_backward: true"), same},
      {"NetParameter", "debug_info", whole(""), whole("debug_info: true"), same},
      {"NetParameter", "state", ruled(deployed, ""), ruled(deployed, deploying)},
      {"NetParameter", "input", whole(""), whole("input: 'more'"), "names 2 inputs"},
      {"NetParameter", "input_shape", whole(""), whole("input_shape { dim: 1 dim: 6 }"), "2 of"},
      {"NetParameter", "input_dim", whole(""), whole("input_dim: 1"), "1 value of input_dim"},
      {"NetParameter", "layer", whole(""),
       whole("layer { name: 'r' type: 'TanH' bottom: 'l' top: 'r' }")},
      {"NetParameter", "layers", whole(""),
       whole("layers { name: 'r' type: TANH bottom: 'l' top: 'r' }"), "both of the old form"},
      {"InputParameter", "shape", of_input("shape { dim: 1 dim: 6 }"), of_input(""), "0 shapes"},
      {"BlobShape", "dim", of_input("shape { dim: 1 dim: 6 }"), of_input("shape { dim: 1 dim: 7 }"),
       "is 1x6 instead of 1x7"},
      {"NetState", "phase", whole(""), whole("state { phase: TEST }"), same},
      {"NetState", "phase", whole(""), whole("state { phase: TRAIN }"), "is of phase TRAIN"},
      {"NetState", "level", ruled("include { min_level: 1 }", ""),
       ruled("include { min_level: 1 }", "state { level: 2 }")},
      {"NetState", "stage", ruled(deployed, deploying),
       ruled(deployed, "state { stage: 'other' }")},
      {"NetStateRule", "phase", ruled("include { phase: TEST }", ""),
       ruled("include { phase: TRAIN }", "")},
      {"NetStateRule", "min_level", ruled("include { min_level: 0 }", ""),
       ruled("include { min_level: 1 }", "")},
      {"NetStateRule", "max_level", ruled("include { max_level: 0 }", ""),
       ruled("include { max_level: -1 }", "")},
      {"NetStateRule", "stage", ruled(deployed, ""), ruled("include { stage: [] }", "")},
      {"NetStateRule", "not_stage", ruled("include { not_stage: 'deploy' }", ""),
       ruled("include { not_stage: 'deploy' }", deploying)},
  };
}

std::vector<field> of_layers() {
  const string type = input + "layer { name: 'l' bottom: 'data' top: 'l' type: ";
  const string old_type = input + "layers { name: 'l' bottom: 'data' top: 'l' type: ";
  const string shared = "param { name: 'w' } param { name: 'b' }";
  return {
      {"LayerParameter", "name", layer(""),
       input + "layer { name: 'm' type: 'InnerProduct'" + one + "}"},
      {"LayerParameter", "type", type + "'ReLU' }", type + "'TanH' }"},
      {"LayerParameter", "bottom", layer(""), layer("bottom: 'data'"), "has 2 inputs"},
      {"LayerParameter", "top", layer(""), layer("top: 'two'"), "has 2 outputs"},
      {"LayerParameter", "loss_weight", layer(""), layer("loss_weight: 1"), same},
      {"LayerParameter", "param", layer(""), layer("param { lr_mult: 0 }"), same},
      {"LayerParameter", "blobs", layer(""), layer(blobs), "blobs) are in the prototxt"},
      {"LayerParameter", "include", ruled("", ""), ruled("include { phase: TRAIN }", "")},
      {"LayerParameter", "exclude", ruled("", ""), ruled("exclude { phase: TEST }", "")},
      {"LayerParameter", "phase", layer(""), layer("phase: TEST"), same},
      {"LayerParameter", "phase", layer(""), layer("phase: TRAIN"), "phase: TRAIN of a layer"},
      {"LayerParameter", "propagate_down", layer(""), layer("propagate_down: false"), same},
      {"ParamSpec", "name", layer(""), layer(shared), same},  // the file has them twice
      {"ParamSpec", "share_mode", layer(""), layer("param { share_mode: PERMISSIVE }"), same},
      {"ParamSpec", "lr_mult", layer(""), layer("param { lr_mult: 0 }"), same},
      {"ParamSpec", "decay_mult", layer(""), layer("param { decay_mult: 0 }"), same},
      {"V1LayerParameter", "name", old_layer(""),
       input + "layers { name: 'm' type: INNER_PRODUCT" + one + "}"},
      {"V1LayerParameter", "type", old_type + "RELU }", old_type + "TANH }"},
      {"V1LayerParameter", "bottom", old_layer(""), old_layer("bottom: 'data'"), "has 2 inputs"},
      {"V1LayerParameter", "top", old_layer(""), old_layer("top: 'two'"), "has 2 outputs"},
      {"V1LayerParameter", "loss_weight", old_layer(""), old_layer("loss_weight: 1"), same},
      {"V1LayerParameter", "blobs", old_layer(""), old_layer(blobs), "blobs) are in the prototxt"},
      {"V1LayerParameter", "blobs_lr", old_layer(""), old_layer("blobs_lr: 0"), same},
      {"V1LayerParameter", "weight_decay", old_layer(""), old_layer("weight_decay: 0"), same},
      {"V1LayerParameter", "include", old_ruled(""), old_ruled("include { phase: TRAIN }")},
      {"V1LayerParameter", "exclude", old_ruled(""), old_ruled("exclude { phase: TEST }")},
      {"V1LayerParameter", "param", old_layer(""), old_layer("param: 'w'"), same},
      {"V1LayerParameter", "blob_share_mode", old_layer(""),
       old_layer("blob_share_mode: PERMISSIVE"), same},
  };
}

// Here `before` and `after` are the blob of the weights.
std::vector<field> of_weights() {
  const string data = "data: [1, 2, 3, 4, 5, 6] ", shape = "shape { dim: 1 dim: 6 } ";
  const auto old_shape = [](int n, int c, int h, int w) {
    return text("num: ", n, " channels: ", c, " height: ", h, " width: ", w, ' ');
  };
  const string old = old_shape(1, 1, 1, 6);
  return {
      {"BlobProto", "shape", shape + data, "shape { dim: 6 dim: 1 } " + data, "is 6x1 instead"},
      {"BlobProto", "num", old + data, old_shape(2, 1, 1, 6) + data, "is 2x1x1x6"},
      {"BlobProto", "channels", old + data, old_shape(1, 2, 1, 6) + data, "1x2x1"},
      {"BlobProto", "height", old + data, old_shape(1, 1, 2, 6) + data, "1x1x2x6"},
      {"BlobProto", "width", old + data, old_shape(1, 1, 1, 5) + data, "1x1x1x5"},
      {"BlobProto", "num", shape + data, shape + data + "num: 1", "given twice"},
      {"BlobProto", "data", shape + data, shape + "data: [1, 2, 3, 4, 5, 7]"},
      {"BlobProto", "data", shape + data, shape + data + "data: 7", "have 7 values instead of 6"},
      {"BlobProto", "double_data", shape + data, shape + "double_data: [1, 2, 3, 4, 5, 7]"},
      {"BlobProto", "double_data", shape + data, shape + "double_data: [1, 2, 3, 4, 5, 6]", same},
      {"BlobProto", "double_data", shape + data, shape + data + "double_data: 1", "given twice"},
      {"BlobProto", "diff", shape + data, shape + data + "diff: 1", same},
      {"BlobProto", "double_diff", shape + data, shape + data + "double_diff: 1", same},
  };
}

void check(const field& f, const outcome& before, const outcome& after) {
  INFO(f.message, ".", f.name, ": ", f.before, " -> ", f.after);
  CHECK(before.complaint == "");
  if (f.complaint.empty() || f.complaint == same) {
    CHECK(after.complaint == "");
    CHECK(before.same_result(after) == (f.complaint == same));
  } else {
    CHECK_MESSAGE(mentions(after.complaint, f.complaint), after.complaint);
  }
}

}  // namespace

TEST_CASE("Caffe: another value of a field gives another result, is refused, or is of training") {
  for (const auto& all : {of_networks(), of_layers()})
    for (const auto& f : all) check(f, outcome_of(f.before), outcome_of(f.after));
  for (const auto& f : of_weights()) {
    const auto with = [&](const string& blob) {
      return outcome_of(whole(""), "layer { name: 'l' blobs { " + blob + "} " + bias + "}");
    };
    check(f, with(f.before), with(f.after));
  }
}

TEST_CASE("Caffe: what fills weights before training does not matter") {
  const auto plain = outcome_of(whole(""));
  for (const char* value : {"type: 'constant'", "value: 1", "min: 1", "max: 2", "mean: 1", "std: 2",
                             "sparse: 3", "variance_norm: AVERAGE"})
    CHECK(plain == outcome_of(input + "layer { name: 'l' type: 'InnerProduct' bottom: 'data' "
                                      "top: 'l' inner_product_param { num_output: 1 "
                                      "weight_filler { " + value + " } } }"));
}

TEST_CASE("Caffe: every field outside of the parameters of layers has a test") {
  std::set<std::pair<string, string>> tested;
  for (const auto& all : {of_networks(), of_layers(), of_weights()})
    for (const auto& f : all) tested.emplace(f.message, f.name);
  std::set<string> of_parameters = {"FillerParameter"};  // and those of the test of attributes
  for (const auto& r : caffe::rows)
    if (string(r.name).ends_with("_param")) of_parameters.insert(r.type);
  of_parameters.erase("InputParameter");
  for (const auto& r : caffe::rows) {
    if (r.label == import::proto::rule::value || of_parameters.contains(r.message) ||
        string(r.name).ends_with("_param"))
      continue;
    INFO(r.message, ".", r.name);
    CHECK(tested.contains({r.message, r.name}));
  }
}
