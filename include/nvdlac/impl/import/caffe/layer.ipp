// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::caffe_format {

NVDLAC_IMPL std::string new_type_name(const std::string& old) {
  static const std::map<std::string_view, const char*> renamed = {
      {"ABSVAL", "AbsVal"},
      {"ACCURACY", "Accuracy"},
      {"ARGMAX", "ArgMax"},
      {"CONCAT", "Concat"},
      {"CONVOLUTION", "Convolution"},
      {"DATA", "Data"},
      {"DECONVOLUTION", "Deconvolution"},
      {"DROPOUT", "Dropout"},
      {"DUMMY_DATA", "DummyData"},
      {"ELTWISE", "Eltwise"},
      {"EUCLIDEAN_LOSS", "EuclideanLoss"},
      {"EXP", "Exp"},
      {"FLATTEN", "Flatten"},
      {"HDF5_DATA", "HDF5Data"},
      {"HDF5_OUTPUT", "HDF5Output"},
      {"IMAGE_DATA", "ImageData"},
      {"INNER_PRODUCT", "InnerProduct"},
      {"MEMORY_DATA", "MemoryData"},
      {"POOLING", "Pooling"},
      {"POWER", "Power"},
      {"RELU", "ReLU"},
      {"SIGMOID", "Sigmoid"},
      {"SILENCE", "Silence"},
      {"SLICE", "Slice"},
      {"SOFTMAX", "Softmax"},
      {"SOFTMAX_LOSS", "SoftmaxWithLoss"},
      {"SPLIT", "Split"},
      {"TANH", "TanH"},
      {"THRESHOLD", "Threshold"},
      {"WINDOW_DATA", "WindowData"}};
  const auto found = renamed.find(old);
  return found == renamed.end() ? old : found->second;
}

NVDLAC_IMPL bool rule_holds(const proto::view& rule, const proto::view& state) {
  const auto level = state.integer("level", 0);
  const auto stages = state.strings("stage");
  const auto has = [&](const std::string& s) {
    return std::find(stages.begin(), stages.end(), s) != stages.end();
  };
  const auto wanted = rule.strings("stage"), unwanted = rule.strings("not_stage");
  return rule.enumerator("phase", "TEST") == "TEST" && level >= rule.integer("min_level", level) &&
         level <= rule.integer("max_level", level) &&
         std::all_of(wanted.begin(), wanted.end(), has) &&
         std::none_of(unwanted.begin(), unwanted.end(), has);
}

NVDLAC_IMPL bool is_used(const proto::view& fields, const proto::view& state) {
  const auto any = [&](const char* list) {
    const auto rules = fields.children(list);
    return std::any_of(rules.begin(), rules.end(),
                       [&](const auto& r) { return rule_holds(r, state); });
  };
  return fields.has("include") ? any("include") : !any("exclude");
}

NVDLAC_IMPL std::vector<layer> used_layers(const proto::document& net) {
  std::vector<layer> all;
  for (const char* list : {"layers", "layer"}) {
    int i = 0;
    for (const auto& fields : net.root().children(list)) {
      const auto type = list == std::string_view("layer")
                            ? fields.string("type")
                            : new_type_name(fields.enumerator("type", "NONE"));
      all.push_back({fields, fields.string("name"), type, fields.strings("bottom"),
                     fields.strings("top"), 0, net.start_of(list, i++)});
    }
  }
  std::vector<proto::text_location> starts;
  for (const auto& l : all) starts.push_back(l.start);
  std::sort(starts.begin(), starts.end());
  for (auto& l : all) {
    const auto next = std::upper_bound(starts.begin(), starts.end(), l.start);
    l.line = l.start.line;
    l.end = next == starts.end() ? proto::text_location{std::string::npos} : *next;
  }
  std::erase_if(all, [&](const layer& l) { return !is_used(l.fields, net.root().child("state")); });
  return all;
}

}  // namespace nvdlac::import::caffe_format
