// SPDX-License-Identifier: Apache-2.0
#pragma once
// The two kinds of model: a neural network, and an ML program.
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/coreml/conversion.hpp>
#include <nvdlac/import/coreml/feature.hpp>
#include <nvdlac/import/coreml/operations.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import::coreml_format {

// Neural networks of Core ML: their layers and inputs, and what becomes of pictures first.

// The name of a layer's kind; kinds that are not known have their number.
std::string kind_of(const proto::view& layer);

class neural_network {
 public:
  neural_network(const proto::view& model, const proto::view& net, bool gives_label,
                 const part& wanted);

  const translation::file_graph& graph() const { return graph_; }
  proto::view parameters(std::size_t k) const {
    return layers_[k].child(graph_.layers[k].type.c_str());
  }
  const std::vector<feature>& features() const { return features_; }
  const sequences& with_sequences() const { return sequences_; }
  std::vector<proto::view> preprocessing() const { return net_.children("preprocessing"); }
  std::vector<problem> notes{};

 private:
  // The first versions have all tensors in five dimensions: sequences, pictures, channels, height
  // and width.
  void add_input(feature f);
  bool is_produced(const std::string& name) const;
  void add_output(const std::string& name);
  // A classifier describes a label and a dictionary, which the host makes of what a layer gives.
  void choose_outputs(const proto::view& description, bool gives_label);

  proto::view net_;
  std::vector<proto::view> layers_;
  translation::file_graph graph_;
  std::vector<feature> features_;
  sequences sequences_;
};

// The scaler of a picture as preprocessing: value = scale * pixel + bias.
net::preprocessing scaled(const proto::view& scaler, net::channel_order order);

// Prepares the pictures: what bytes can become is told to the user of the network, if they are its
// only input; all else are layers.
std::optional<net::preprocessing> prepare_inputs(const neural_network& n,
                                                 translation::channels_first_translator& to);

network translated_network(const named_content& file, const proto::view& model,
                           const proto::view& net, bool gives_label, const part& wanted);

}  // namespace nvdlac::import::coreml_format

namespace nvdlac::import::coreml_format::program {

// ML programs: one function of operations, whose constants stand in the program or beside it.

proto::view attribute_of(const proto::view& op, const char* name);
// Weights that are stored in fewer bits, and told by attributes.
bool is_compressed(const std::string& type);
array expanded(const proto::view& op, value_reader& values);

// An operation may have a name beside its inputs, but no further attributes and no blocks.
void require_plain(const proto::view& op);

class function_graph {
 public:
  function_graph(const proto::view& model, const part& wanted);

  const translation::file_graph& graph() const { return graph_; }
  const proto::view& operation_at(std::size_t k) const { return operations_[k]; }
  const constants& known() const { return known_; }
  const std::map<std::string, proto::view>& compressed() const { return compressed_; }
  const std::map<std::string, net::channel_order>& pictures() const { return pictures_; }
  std::vector<problem> notes{};

 private:
  static proto::view function_in(const proto::view& program);
  static proto::view block_in(const proto::view& function);
  void add_input(const proto::view& input, const std::vector<proto::view>& described,
                 const part& wanted);
  void add(const proto::view& op);
  // The label and the dictionary of a classifier are made of its probabilities by the host.
  void add_output(const std::string& name);

  proto::view function_, block_;
  translation::file_graph graph_;
  std::vector<proto::view> operations_;
  constants known_;
  std::map<std::string, proto::view> compressed_;
  std::map<std::string, std::string> probabilities_;
  std::map<std::string, net::channel_order> pictures_;
};

network translated(const named_content& file, const proto::view& model, const part& wanted);

}  // namespace nvdlac::import::coreml_format::program

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/coreml/model.ipp>
#endif
