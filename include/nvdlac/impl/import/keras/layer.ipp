// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
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

}  // namespace nvdlac::import::keras_format
