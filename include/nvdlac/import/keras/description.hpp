// SPDX-License-Identifier: Apache-2.0
#pragma once
// The configuration of a model as a tree of layers.
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <nvdlac/base/escape.hpp>
#include <nvdlac/import/keras/layer.hpp>

namespace nvdlac::import::keras_format {

// The names of Keras 1 for what Keras 2 calls otherwise.
inline std::string class_since_2(const std::string& name) {
  static const std::map<std::string_view, std::string> all = {
      {"Convolution1D", "Conv1D"}, {"Convolution2D", "Conv2D"}, {"Convolution3D", "Conv3D"},
      {"AtrousConvolution2D", "Conv2D"}, {"SeparableConvolution2D", "SeparableConv2D"}};
  const auto found = all.find(name);
  return found == all.end() ? name : found->second;
}
inline json config_since_2(const json& old) {
  static const std::map<std::string_view, const char*> renamed = {
      {"nb_filter", "filters"}, {"subsample", "strides"}, {"border_mode", "padding"},
      {"bias", "use_bias"}, {"output_dim", "units"}, {"p", "rate"}, {"sigma", "stddev"},
      {"atrous_rate", "dilation_rate"}, {"concat_axis", "axis"}, {"filter_length", "kernel_size"},
      {"subsample_length", "strides"}, {"pool_length", "pool_size"}, {"stride", "strides"},
      {"W_regularizer", "kernel_regularizer"}, {"b_regularizer", "bias_regularizer"},
      {"W_constraint", "kernel_constraint"}, {"b_constraint", "bias_constraint"}};
  json now = json::object();
  for (const auto& [key, value] : old.items()) {
    const auto found = renamed.find(key);
    now[found == renamed.end() ? key : found->second] = value;
  }
  if (old.contains("nb_row") && old.contains("nb_col")) {
    now["kernel_size"] = {old["nb_row"], old["nb_col"]};
    now.erase("nb_row");
    now.erase("nb_col");
  }
  if (old.contains("dim_ordering")) {
    const auto& o = old["dim_ordering"];
    now["data_format"] = o == "th" ? json("channels_first") : o == "tf" ? json("channels_last") : o;
    now.erase("dim_ordering");
  }
  return now;
}

// A model as its file describes it.
class description {
 public:
  // `version`: the Keras that wrote it, 0 if the file does not tell.
  description(json configuration, int version)
      : version_(version), all_(std::move(configuration)) {
    if (version_ == 0) version_ = version_in(word(all_, "keras_version"));
    if (version_ == 0) version_ = all_.contains("module") ? 3 : 2;
    fill(top_, all_, 0);
    if (!top_.wrong.empty() || !top_.is_model)
      throw error(problem{
          .layer = top_.name,
          .reason = top_.wrong.empty() ? "the class " + top_.class_name + " is no model of layers"
                                       : top_.wrong,
          .remedy = "Sequential and Functional models are supported: others are Python code"});
  }
  description(const description&) = delete;
  description& operator=(const description&) = delete;

  const layer& top() const { return top_; }
  int version() const { return version_; }

  static int version_in(const std::string& text) {
    return text.empty() || text[0] < '1' || text[0] > '9' ? 0 : text[0] - '0';
  }

 private:
  static bool is_model_class(const std::string& name) {
    return name == "Sequential" || name == "Functional" || name == "Model";
  }
  static std::string foreign(const json& object, const std::string& class_name) {
    const auto registered = word(object, "registered_name"), from = word(object, "module");
    const bool own = from.empty() || from == "keras" || from == "builtins" || from == "tf_keras" ||
                     from.starts_with("keras.") || from.starts_with("tf_keras.") ||
                     from.starts_with("tensorflow.");
    if (own && registered.find('>') == registered.npos) return {};
    return "the class " + class_name + " (" + (registered.empty() ? from : registered) +
           ") is not one of Keras";
  }

  void fill(layer& l, const json& object, int depth) {
    require_within(&budget::nodes, ++count_);
    if (depth > 16) throw error("its models stand within models, more than 16 deep");
    l.object = &object;
    l.class_name = word(object, "class_name", "(none)");
    const auto* config = member(object, "config");
    l.name = word(object, "name", config == nullptr ? "" : word(*config, "name"));
    if (l.name.empty()) l.name = depth == 0 ? "model" : "layer";
    if (!escape::is_printable(l.name)) throw error("a layer has a name that cannot be printed");
    l.path = l.parent == nullptr || l.parent->path.empty() ? l.name : l.parent->path + '/' + l.name;
    if (depth == 0) l.path.clear();
    l.wrong = foreign(object, l.class_name);
    const auto* inner = config == nullptr                       ? nullptr
                        : config->is_array()                    ? config
                        : is_model_class(l.class_name) || depth == 0 ? member(*config, "layers")
                                                                : nullptr;
    l.is_model = inner != nullptr && inner->is_array() &&
                 (is_model_class(l.class_name) || word(object, "registered_name").empty());
    if (!l.is_model) {
      if (config != nullptr && config->is_object())
        l.config = version_ == 1 ? config_since_2(*config) : *config;
      l.kernels_first = version_ == 1 && word(l.config, "data_format") == "channels_first";
      if (version_ == 1) l.class_name = class_since_2(l.class_name);
      return;
    }
    l.wrong.clear();
    std::set<std::string> names;
    for (const auto& i : *inner) {
      l.layers.push_back(std::make_unique<layer>());
      l.layers.back()->parent = &l;
      fill(*l.layers.back(), i, depth + 1);
      if (!names.insert(l.layers.back()->name).second)
        throw error(problem{.layer = l.layers.back()->name,
                            .reason = "two layers of the model have this name"});
    }
  }

  int version_;
  std::size_t count_ = 0;
  json all_;
  layer top_;
};

}  // namespace nvdlac::import::keras_format
