// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/json.hpp>
#include <nvdlac/import/keras/description.hpp>
#include <nvdlac/import/keras/layer.hpp>

namespace nvdlac::import::keras_format {

NVDLAC_IMPL std::string class_since_2(const std::string& name) {
  static const std::map<std::string_view, std::string> all = {
      {"Convolution1D", "Conv1D"}, {"Convolution2D", "Conv2D"}, {"Convolution3D", "Conv3D"},
      {"AtrousConvolution2D", "Conv2D"}, {"SeparableConvolution2D", "SeparableConv2D"}};
  const auto found = all.find(name);
  return found == all.end() ? name : found->second;
}

NVDLAC_IMPL json config_since_2(json old) {
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
    now[found == renamed.end() ? key : found->second] = std::move(value);
  }
  if (now.contains("nb_row") && now.contains("nb_col")) {
    now["kernel_size"] = {now["nb_row"], now["nb_col"]};
    now.erase("nb_row");
    now.erase("nb_col");
  }
  if (now.contains("dim_ordering")) {
    const auto o = now["dim_ordering"];
    now["data_format"] = o == "th" ? json("channels_first") : o == "tf" ? json("channels_last") : o;
    now.erase("dim_ordering");
  }
  return now;
}

NVDLAC_IMPL bool is_of_qkeras(const std::string& name) {
  return name.size() > 1 && name[0] == 'Q' && name[1] >= 'A' && name[1] <= 'Z';
}

NVDLAC_IMPL description::description(json configuration, int version, std::uint64_t most_nodes)
    : version_(version), most_nodes_(most_nodes), all_(std::move(configuration)) {
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

NVDLAC_IMPL std::string description::foreign(const json& object, const std::string& class_name) {
  const auto registered = word(object, "registered_name"), from = word(object, "module");
  const bool own = from.empty() || from == "keras" || from == "builtins" || from == "tf_keras" ||
                   from.starts_with("keras.") || from.starts_with("tf_keras.") ||
                   from.starts_with("tensorflow.");
  if (own && registered.find('>') == registered.npos) return {};
  if (is_of_qkeras(class_name) &&
      (registered.empty() ? from.starts_with("qkeras.") : registered == "qkeras>" + class_name))
    return {};
  return "the class " + class_name + " (" + (registered.empty() ? from : registered) +
         ") is not one of Keras";
}

NVDLAC_IMPL void description::add_backward_layer(json& config) {
  const auto* given = member(config, "backward_layer");
  const auto* forward = member_of(config, "layer");
  if ((given != nullptr && !given->is_null()) || forward == nullptr ||
      !is_recurrent(word(*forward, "class_name")))
    return;
  json backward = *forward;
  if (auto* const own = member_of(backward, "config"); own != nullptr && own->is_object()) {
    const auto* turned = member(*own, "go_backwards");
    const bool backwards = turned != nullptr && *turned == json(true);
    (*own)["go_backwards"] = !backwards;
  }
  config["backward_layer"] = std::move(backward);
}

NVDLAC_IMPL void description::wrap(layer& l, int depth) {
  if (l.class_name != "Bidirectional" && l.class_name != "TimeDistributed") return;
  for (const char* key : {"layer", "backward_layer"}) {
    auto* const object = l.config.is_object() ? member_of(l.config, key) : nullptr;
    if (object == nullptr || !object->is_object()) return;
    l.layers.push_back(std::make_unique<layer>());
    l.layers.back()->parent = &l;
    fill(*l.layers.back(), *object, depth + 1);
  }
}

NVDLAC_IMPL void description::fill(layer& l, json& object, int depth) {
  require_within(&budget::nodes, ++count_, most_nodes_);
  if (depth > 16) throw error("its models stand within models, more than 16 deep");
  l.object = &object;
  l.class_name = word(object, "class_name", "(none)");
  auto* const config = member_of(object, "config");
  l.name = word(object, "name", config == nullptr ? "" : word(*config, "name"));
  if (l.name.empty()) l.name = depth == 0 ? "model" : "layer";
  if (!escape::is_printable(l.name)) throw error("a layer has a name that cannot be printed");
  l.path = l.parent == nullptr || l.parent->path.empty() ? l.name : l.parent->path + '/' + l.name;
  if (depth == 0) l.path.clear();
  l.wrong = foreign(object, l.class_name);
  auto* const inner = config == nullptr                       ? nullptr
                      : config->is_array()                    ? config
                      : is_model_class(l.class_name) || depth == 0 ? member_of(*config, "layers")
                                                              : nullptr;
  l.is_model = inner != nullptr && inner->is_array() &&
               (is_model_class(l.class_name) || word(object, "registered_name").empty());
  if (!l.is_model) {
    if (config != nullptr && config->is_object() && l.class_name == "Bidirectional")
      add_backward_layer(*config);
    if (config != nullptr && config->is_object())
      l.set_config(version_ == 1 ? config_since_2(std::move(*config)) : std::move(*config));
    wrap(l, depth);
    l.kernels_first = version_ == 1 && word(l.config, "data_format") == "channels_first";
    if (version_ == 1) l.class_name = class_since_2(l.class_name);
    return;
  }
  l.wrong.clear();
  std::set<std::string> names;
  for (auto& i : *inner) {
    l.layers.push_back(std::make_unique<layer>());
    l.layers.back()->parent = &l;
    fill(*l.layers.back(), i, depth + 1);
    if (!names.insert(l.layers.back()->name).second)
      throw error(problem{.layer = l.layers.back()->name,
                          .reason = "two layers of the model have this name"});
  }
}

}  // namespace nvdlac::import::keras_format
