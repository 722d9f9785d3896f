// SPDX-License-Identifier: Apache-2.0
#pragma once
// The layers that the configuration of a Keras model tells of.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/hub/asked_attributes.hpp>
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
std::optional<dims> shape_in(const json* shape);

// One layer of a model, which may be a model itself.
class layer {
 public:
  std::string name{}, class_name{};
  std::string path{};              // its name behind those of the models that it is part of
  const layer* parent = nullptr;
  bool is_model = false;
  bool kernels_first = false;      // kernels [kernels][channels][height][width] of Keras 1
  const json* object = nullptr;    // with the calls of the layer
  json config{};                   // empty for a model; see set_config
  std::vector<std::unique_ptr<layer>> layers{};
  std::string wrong{};             // why it is none of Keras' own layers

  // Sets the configuration, which stays where it is: its keys are remembered by their places.
  void set_config(json given);

  // A key of the configuration, which is understood from now on; nothing: absent or null.
  const json* find(const char* key) const {
    const auto* v = keys_.find(key);
    return v == nullptr ? nullptr : *v;
  }
  bool has(const char* key) const { return keys_.has(key); }
  std::string string(const char* key, const std::string& otherwise) const;
  bool flag(const char* key, bool otherwise) const;
  // A number; Keras 3 may wrap it as an object with its value.
  std::optional<float> number(const char* key) const;
  float number(const char* key, float otherwise) const { return number(key).value_or(otherwise); }
  std::int64_t integer(const char* key, std::int64_t otherwise) const;
  std::optional<dims> integers(const char* key) const;
  // One number for each of n axes; a single one is for all of them.
  std::optional<dims> per_axis(const char* key, std::size_t n) const;
  dims positive(const char* key, std::size_t n, const dims& otherwise) const;
  std::vector<float> numbers(const char* key) const;
  error wrong_value(const char* key, const json& v) const {
    return error(text("its ", key, " is ", shown(v), ", which is not understood"));
  }

  void require_understood() const;
  // Values between layers are real numbers, of whatever precision.
  void require_real() const;

 private:
  std::int64_t integer_in(const char* key, const json& v) const;
  void collect(const char* key, const json& v, std::vector<float>& to, int depth) const;

  hub::asked_attributes<const json*> keys_;  // of the configuration, but for those that are null
};

}  // namespace nvdlac::import::keras_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/keras/layer.ipp>
#endif
