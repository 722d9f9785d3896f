// SPDX-License-Identifier: Apache-2.0
#pragma once
// The layers that the configuration of a Keras model tells of.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
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

// The configuration of a model as a tree of layers.

// The names of Keras 1 for what Keras 2 calls otherwise.
std::string class_since_2(const std::string& name);
json config_since_2(json old);

// Whether a class is one of QKeras, which have names such as QDense.
bool is_of_qkeras(const std::string& name);

// A model as its file describes it.
class description {
 public:
  // `version`: the Keras that wrote it, 0 if the file does not tell.
  // `most_nodes`: budget::nodes.
  description(json configuration, int version, std::uint64_t most_nodes);
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
  static std::string foreign(const json& object, const std::string& class_name);

  static json* member_of(json& object, const char* key) {
    return const_cast<json*>(member(object, key));
  }
  // Moves the configuration of each layer out of its object: a copy would double what a file takes.
  void fill(layer& l, json& object, int depth);

  int version_;
  std::uint64_t most_nodes_;
  std::size_t count_ = 0;
  json all_;
  layer top_;
};

}  // namespace nvdlac::import::keras_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/keras/layer.ipp>
#endif
