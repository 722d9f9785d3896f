// SPDX-License-Identifier: Apache-2.0
#pragma once
// The layers that the configuration of a Keras model tells of.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/json.hpp>
#include <nvdlac/import/onnx/array.hpp>

namespace nvdlac::import::keras_format {

using json_text::json;
using json_text::member;
using json_text::parsed;
using json_text::shown;
using json_text::word;
using onnx_format::dims;

// A shape with -1 where a dimension is open.
inline std::optional<dims> shape_in(const json* shape) {
  if (shape == nullptr || !shape->is_array() || shape->size() > 8) return std::nullopt;
  dims d;
  for (const auto& i : *shape) {
    if (!i.is_null() && !i.is_number_integer()) return std::nullopt;
    d.push_back(i.is_null() ? -1 : i.get<std::int64_t>());
  }
  return d;
}

// One layer of a model, which may be a model itself.
class layer {
 public:
  std::string name{}, class_name{};
  std::string path{};              // its name behind those of the models that it is part of
  const layer* parent = nullptr;
  bool is_model = false;
  bool kernels_first = false;      // kernels [kernels][channels][height][width] of Keras 1
  const json* object = nullptr;    // with the calls of the layer
  json config{};                   // empty for a model
  std::vector<std::unique_ptr<layer>> layers{};
  std::string wrong{};             // why it is none of Keras' own layers

  // A key of the configuration, which is understood from now on; nothing: absent or null.
  const json* find(const char* key) const {
    used_.insert(key);
    return member(config, key);
  }
  bool has(const char* key) const { return find(key) != nullptr; }
  std::string string(const char* key, const std::string& otherwise) const {
    const auto* v = find(key);
    if (v == nullptr) return otherwise;
    if (!v->is_string()) throw wrong_value(key, *v);
    return v->get<std::string>();
  }
  bool flag(const char* key, bool otherwise) const {
    const auto* v = find(key);
    if (v == nullptr) return otherwise;
    if (!v->is_boolean()) throw wrong_value(key, *v);
    return v->get<bool>();
  }
  // A number; Keras 3 may wrap it as an object with its value.
  std::optional<float> number(const char* key) const {
    const auto* v = find(key);
    if (v == nullptr) return std::nullopt;
    if (const auto* in = member(*v, "config")) v = member(*in, "value");
    else if (v->is_object()) v = member(*v, "value");
    if (v == nullptr || !v->is_number()) throw wrong_value(key, *find(key));
    return v->get<float>();
  }
  float number(const char* key, float otherwise) const { return number(key).value_or(otherwise); }
  std::int64_t integer(const char* key, std::int64_t otherwise) const {
    const auto* v = find(key);
    if (v == nullptr) return otherwise;
    return integer_in(key, *v);
  }
  std::optional<dims> integers(const char* key) const {
    const auto* v = find(key);
    if (v == nullptr) return std::nullopt;
    if (!v->is_array()) throw wrong_value(key, *v);
    dims d;
    for (const auto& i : *v) d.push_back(integer_in(key, i));
    return d;
  }
  // One number for each of n axes; a single one is for all of them.
  std::optional<dims> per_axis(const char* key, std::size_t n) const {
    const auto* v = find(key);
    if (v == nullptr) return std::nullopt;
    if (v->is_number_integer()) return dims(n, integer_in(key, *v));
    auto d = integers(key);
    if (d->size() != n) throw wrong_value(key, *v);
    return d;
  }
  dims positive(const char* key, std::size_t n, const dims& otherwise) const {
    auto d = per_axis(key, n).value_or(otherwise);
    for (const auto i : d)
      if (i < 1 || i > 65535) throw error(text("its ", key, " is ", onnx_format::to_text(d)));
    return d;
  }
  std::vector<float> numbers(const char* key) const {
    const auto* v = find(key);
    std::vector<float> all;
    if (v == nullptr) return all;
    collect(key, *v, all, 0);
    return all;
  }
  error wrong_value(const char* key, const json& v) const {
    return error(text("its ", key, " is ", shown(v), ", which is not understood"));
  }

  // Whether a key tells nothing of the result: of training, or what was used elsewhere.
  bool is_understood(const std::string& key) const {
    static const std::set<std::string_view> of_all = {
        "name", "trainable", "dtype", "batch_input_shape", "batch_shape", "input_shape",
        "input_dtype", "input_dim", "input_length", "seed", "init", "optional", "synchronized",
        "sparse", "ragged", "autocast", "batch_size"};
    for (const char* end : {"_initializer", "_regularizer", "_constraint"})
      if (key.ends_with(end)) return true;
    return of_all.contains(key) || used_.contains(key);
  }
  void require_understood() const {
    std::vector<problem> all;
    for (const auto& [key, value] : config.items())
      if (!value.is_null() && !is_understood(key))
        all.push_back({.reason = text("its ", key, " (", shown(value), ") is not understood"),
                       .remedy = "leave it at its default"});
    if (!all.empty()) throw error(all);
  }
  // Values between layers are real numbers, of whatever precision.
  void require_real() const {
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

 private:
  std::int64_t integer_in(const char* key, const json& v) const {
    const bool fits = v.is_number_integer() && v.get<double>() < 9e15 && v.get<double>() > -9e15;
    if (fits) return v.get<std::int64_t>();
    throw wrong_value(key, v);
  }
  void collect(const char* key, const json& v, std::vector<float>& to, int depth) const {
    if (v.is_number()) to.push_back(v.get<float>());
    else if (!v.is_array() || depth > 8) throw wrong_value(key, v);
    else
      for (const auto& i : v) collect(key, i, to, depth + 1);
  }

  mutable std::set<std::string> used_;
};

}  // namespace nvdlac::import::keras_format
