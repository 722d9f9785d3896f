// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
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

namespace detail {

// The numbers within lists of lists; false: there is something else.
NVDLAC_IMPL bool collect(const json& v, std::vector<float>& to, int depth) {
  if (v.is_number()) {
    to.push_back(v.get<float>());
    return true;
  }
  return v.is_array() && depth <= 8 &&
         std::ranges::all_of(v, [&](const json& i) { return collect(i, to, depth + 1); });
}

NVDLAC_IMPL hub::untyped_number number_in(const json& v) {
  return v.is_number_unsigned() || !v.is_number_integer() ? hub::number_of(v.get<double>())
                                                          : hub::number_of(v.get<std::int64_t>());
}

}  // namespace detail

NVDLAC_IMPL hub::plain_value key_values::plain(const json* v) {
  if (const auto* in = member(*v, "config")) v = member(*in, "value");
  else if (v->is_object()) v = member(*v, "value");
  if (v == nullptr) return hub::own_value{};
  if (v->is_number()) return detail::number_in(*v);
  if (v->is_string()) return v->get<std::string>();
  // Keras keeps what its user gave, who may have written 1 for true.
  if (v->is_boolean()) return v->get<bool>();
  if (!v->is_array()) return hub::own_value{};
  std::vector<hub::untyped_number> flat;
  for (const auto& i : *v)
    if (i.is_number()) flat.push_back(detail::number_in(i));
  if (flat.size() == v->size()) return flat;
  std::vector<float> nested;
  if (detail::collect(*v, nested, 0)) return nested;
  return hub::own_value{};
}

NVDLAC_IMPL std::string key_values::call(std::string_view key) { return text("its ", key); }

NVDLAC_IMPL bool key_values::is_ignored(std::string_view key) {
  static const std::set<std::string_view> of_all = {
      "name", "trainable", "dtype", "batch_input_shape", "batch_shape", "input_shape",
      "input_dtype", "input_dim", "input_length", "seed", "init", "optional", "synchronized",
      "sparse", "ragged", "autocast", "batch_size"};
  for (const char* end : {"_initializer", "_regularizer", "_constraint"})
    if (key.ends_with(end)) return true;
  return of_all.contains(key);
}

NVDLAC_IMPL void layer::set_config(json given) {
  config = std::move(given);
  for (const auto& [key, value] : config.items())
    if (!value.is_null()) add(key, &value);
}

NVDLAC_IMPL std::optional<dims> layer::per_axis(std::string_view key, std::size_t n) const {
  auto d = integers(key);
  if (!d) return d;
  const auto& v = *find(key);
  if (!v.is_array()) return dims(n, d->front());
  if (d->size() != n) throw wrong_value(key, v);
  return d;
}

NVDLAC_IMPL dims layer::axes() const {
  const auto* given = find("axis");
  return given != nullptr && given->is_array() ? *integers("axis") : dims{integer("axis", -1)};
}

NVDLAC_IMPL dims layer::positive(std::string_view key, std::size_t n,
                                 const dims& otherwise) const {
  auto d = per_axis(key, n).value_or(otherwise);
  for (const auto i : d)
    if (i < 1 || i > 65535) throw error(text("its ", key, " is ", onnx_format::to_text(d)));
  return d;
}

NVDLAC_IMPL bool gives_both_directions(const layer& l) {
  if (l.class_name != "Bidirectional") return false;
  const auto merge = l.config.find("merge_mode");
  return merge != l.config.end() && merge->is_null();
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

}  // namespace nvdlac::import::keras_format
