// SPDX-License-Identifier: Apache-2.0
#pragma once
// The configuration of a model as a tree of layers.
#include <cstddef>
#include <cstdint>
#include <string>

#include <nvdlac/import/json.hpp>
#include <nvdlac/import/keras/layer.hpp>

namespace nvdlac::import::keras_format {

// The names of Keras 1 for what Keras 2 calls otherwise.
std::string class_since_2(const std::string& name);
json config_since_2(json old);

// Whether a class is one of QKeras, which have names such as QDense.
bool is_of_qkeras(const std::string& name);

// Whether a class is a layer with a state.
inline bool is_recurrent(const std::string& class_name) {
  return class_name == "GRU" || class_name == "LSTM" || class_name == "SimpleRNN";
}

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
  // The layer that a Bidirectional one runs backwards, where it names none: its layer turned.
  static void add_backward_layer(json& config);
  // The layers that a wrapper applies.
  void wrap(layer& l, int depth);
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
#include <nvdlac/impl/import/keras/description.ipp>
#endif
