// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/json.hpp>
#include <nvdlac/import/keras/layer.hpp>
#include <nvdlac/import/onnx/array.hpp>

namespace nvdlac::import::keras_format {

NVDLAC_IMPL std::optional<dims> shape_in(const json* shape) {
  if (shape == nullptr || !shape->is_array() || shape->size() > 8) return std::nullopt;
  dims d;
  for (const auto& i : *shape) {
    if (!i.is_null() && !i.is_number_integer()) return std::nullopt;
    d.push_back(i.is_null() ? -1 : i.get<std::int64_t>());
  }
  return d;
}

NVDLAC_IMPL void layer::set_config(json given) {
  config = std::move(given);
  for (const auto& [key, value] : config.items())
    if (!value.is_null()) keys_.add(key, &value);
}

NVDLAC_IMPL std::string layer::string(const char* key, const std::string& otherwise) const {
  const auto* v = find(key);
  if (v == nullptr) return otherwise;
  if (!v->is_string()) throw wrong_value(key, *v);
  return v->get<std::string>();
}

NVDLAC_IMPL bool layer::flag(const char* key, bool otherwise) const {
  const auto* v = find(key);
  if (v == nullptr) return otherwise;
  if (v->is_boolean()) return v->get<bool>();
  // Keras keeps what its user gave, who may have written 1 for true.
  if (v->is_number() && (*v == 0 || *v == 1)) return *v == 1;
  throw wrong_value(key, *v);
}

NVDLAC_IMPL std::optional<float> layer::number(const char* key) const {
  const auto* v = find(key);
  if (v == nullptr) return std::nullopt;
  if (const auto* in = member(*v, "config")) v = member(*in, "value");
  else if (v->is_object()) v = member(*v, "value");
  if (v == nullptr || !v->is_number()) throw wrong_value(key, *find(key));
  return v->get<float>();
}

NVDLAC_IMPL std::int64_t layer::integer(const char* key, std::int64_t otherwise) const {
  const auto* v = find(key);
  if (v == nullptr) return otherwise;
  return integer_in(key, *v);
}

NVDLAC_IMPL std::optional<dims> layer::integers(const char* key) const {
  const auto* v = find(key);
  if (v == nullptr) return std::nullopt;
  if (!v->is_array()) throw wrong_value(key, *v);
  dims d;
  for (const auto& i : *v) d.push_back(integer_in(key, i));
  return d;
}

NVDLAC_IMPL std::optional<dims> layer::per_axis(const char* key, std::size_t n) const {
  const auto* v = find(key);
  if (v == nullptr) return std::nullopt;
  if (v->is_number()) return dims(n, integer_in(key, *v));
  auto d = integers(key);
  if (d->size() != n) throw wrong_value(key, *v);
  return d;
}

NVDLAC_IMPL dims layer::positive(const char* key, std::size_t n, const dims& otherwise) const {
  auto d = per_axis(key, n).value_or(otherwise);
  for (const auto i : d)
    if (i < 1 || i > 65535) throw error(text("its ", key, " is ", onnx_format::to_text(d)));
  return d;
}

NVDLAC_IMPL std::vector<float> layer::numbers(const char* key) const {
  const auto* v = find(key);
  std::vector<float> all;
  if (v == nullptr) return all;
  collect(key, *v, all, 0);
  return all;
}

namespace detail {

// Whether a key of a layer tells nothing of its result.
NVDLAC_IMPL bool is_of_training(const std::string& key) {
  static const std::set<std::string_view> of_all = {
      "name", "trainable", "dtype", "batch_input_shape", "batch_shape", "input_shape",
      "input_dtype", "input_dim", "input_length", "seed", "init", "optional", "synchronized",
      "sparse", "ragged", "autocast", "batch_size"};
  for (const char* end : {"_initializer", "_regularizer", "_constraint"})
    if (key.ends_with(end)) return true;
  return of_all.contains(key);
}

}  // namespace detail

NVDLAC_IMPL void layer::require_understood() const {
  std::vector<problem> all;
  for (const auto& [key, value] : keys_.unasked())
    if (!detail::is_of_training(key))
      all.push_back({.reason = text("its ", key, " (", shown(*value), ") is not understood"),
                     .remedy = "leave it at its default"});
  if (!all.empty()) throw error(all);
}

NVDLAC_IMPL void layer::require_real() const {
  const auto* type = member(config, "dtype");
  if (type == nullptr) return;
  const auto* inner = member(*type, "config");
  const auto named = type->is_string() ? type->get<std::string>()
                     : inner != nullptr ? word(*inner, "name") : "";
  static const std::set<std::string_view> real = {
      "float32", "float16", "bfloat16", "float64", "mixed_float16", "mixed_bfloat16"};
  if (!real.contains(named))
    throw error(problem{.reason = "its dtype is " + shown(*type),
                        .remedy = "float32, float16 and mixed_float16 are supported"});
}

NVDLAC_IMPL std::int64_t layer::integer_in(const char* key, const json& v) const {
  // Keras takes 2.0 for 2.
  const double number = v.is_number() ? v.get<double>() : 0.5;
  if (number == std::floor(number) && std::fabs(number) < 9e15)
    return static_cast<std::int64_t>(number);
  throw wrong_value(key, v);
}

NVDLAC_IMPL void layer::collect(const char* key, const json& v, std::vector<float>& to,
                                int depth) const {
  if (v.is_number()) to.push_back(v.get<float>());
  else if (!v.is_array() || depth > 8) throw wrong_value(key, v);
  else
    for (const auto& i : v) collect(key, i, to, depth + 1);
}

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
    if (config != nullptr && config->is_object())
      l.set_config(version_ == 1 ? config_since_2(std::move(*config)) : std::move(*config));
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
