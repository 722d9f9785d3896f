// SPDX-License-Identifier: Apache-2.0
#pragma once
// The layers that the configuration of a Keras model tells of.
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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

// The keys of a layer's configuration.
struct key_values {
  using value = const json*;

  // Keras 3 may wrap a number as an object with its value.
  static hub::plain_value plain(const json* v);
  static std::string call(std::string_view key);
  static std::string shown(const json* v) { return json_text::shown(*v); }
  // Whether it tells nothing of the layer's result.
  static bool is_ignored(std::string_view key);
};

// One layer of a model, which may be a model itself. The attributes are the keys of its
// configuration, but for those that are null.
class layer : public hub::asked_attributes<key_values> {
 public:
  std::string name{}, class_name{};
  std::string path{};              // its name behind those of the models that it is part of
  const layer* parent = nullptr;
  bool is_model = false;
  bool kernels_first = false;      // kernels [kernels][channels][height][width] of Keras 1
  const json* object = nullptr;    // with the calls of the layer
  json config{};                   // empty for a model; see set_config
  std::vector<std::unique_ptr<layer>> layers{};  // of a model, or those that a wrapper applies
  std::string wrong{};             // why it is none of Keras' own layers

  // Sets the configuration, which stays where it is: its keys are remembered by their places.
  void set_config(json given);

  // A key of the configuration, which is understood from now on; null: it is not there.
  const json* find(std::string_view key) const {
    const auto* v = asked_attributes::find(key);
    return v == nullptr ? nullptr : *v;
  }
  // One number for each of n axes; a single one is for all of them.
  std::optional<dims> per_axis(std::string_view key, std::size_t n) const;
  // The axes of its statistics, one or several; the last one where none is told.
  dims axes() const;
  dims positive(std::string_view key, std::size_t n, const dims& otherwise) const;
  error wrong_value(std::string_view key, const json& v) const {
    return error(text(format().call(key), " is ", shown(v), ", which is not understood"));
  }

  // Values between layers are real numbers, of whatever precision.
  void require_real() const;
};

// Whether a layer is a Bidirectional one that gives the results of its directions unmerged.
bool gives_both_directions(const layer& l);

}  // namespace nvdlac::import::keras_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/keras/layer.ipp>
#endif
