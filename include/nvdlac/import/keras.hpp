// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/hdf5.hpp>
#include <nvdlac/import/keras/layer.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/weight_source.hpp>

// Where the weights of layers stand in an HDF5 file.

#ifdef NVDLAC_KERAS

namespace nvdlac::import::keras_format {

// Keras 3's name of a class in its files: MaxPooling2D is max_pooling2d.
std::string in_snake_case(const std::string& name);

class weights_file {
 public:
  weights_file(const std::string& content, const budget& limits);

  const hdf5_file& file() const { return file_; }
  // Text that a whole model has; nothing: this is none, or one without it.
  std::optional<std::string> text_of(const char* attribute) const;
  // Whether the names of TensorFlow's tensors betray who wrote the file, which Keras 1 does not
  // tell.
  bool has_tensorflow_names() const;

  // The datasets of a layer, in the layer's order.
  std::vector<std::string> of(const layer& l) const {
    return by_groups_ ? numbered(l) : named(l);
  }

 private:
  // As Keras 1 and 2 write: a group for each layer of the outermost model, with the names of the
  // weights in their order. A model's group has the weights of all its layers.
  std::vector<std::string> named(const layer& l) const;
  std::vector<std::string> names_in(const std::string& group) const;
  // "block/conv/kernel:0" is the kernel of "conv", and of a layer with the name "block/conv".
  static std::vector<std::string> owners_of(const std::string& weight);
  static void count(const layer& in, std::map<std::string, std::size_t>& names);

  // As Keras 3 writes: groups by class and number, with numbered weights. Paths are kept as they
  // should be and as they are: some have a \ within a name.
  void index();
  std::vector<std::string> children(const std::string& shown) const;
  std::string group_of(const layer& l) const;
  using groups = std::map<const layer*, std::string>;
  const groups& groups_in(const layer& model) const;
  groups matched(const layer& model, const std::string& container,
                 const std::vector<std::string>& names) const;
  // conv2d_3: 3
  static std::optional<std::size_t> number_behind(const std::string& name);
  std::vector<std::string> numbered(const layer& l) const;

  // The layers in a model of the outermost one, and the weights of its group, by names of layers.
  struct contents {
    std::map<std::string, std::size_t> layers{};
    std::map<std::string, std::vector<std::string>> weights{};
  };
  static constexpr std::ptrdiff_t deepest = 64;  // names within names

  std::uint64_t most_nodes_;
  hdf5_file file_;
  std::string root_{};
  bool by_groups_ = false;
  std::map<std::string, std::string> all_;
  mutable std::map<const layer*, groups> groups_;
  mutable std::map<const layer*, contents> within_;
};

}  // namespace nvdlac::import::keras_format
#endif

namespace nvdlac::import {

// Keras' files. HDF5 and libarchive read them: without these (NVDLAC_KERAS is not defined) a file
// is refused with the words what to install.

#ifdef NVDLAC_KERAS
namespace keras_format {

network translated(const std::string& file, json configuration, int version,
                   const weights_file& weights, const part& wanted, std::size_t bytes);

// A whole model in HDF5, as Keras 1 and 2 write.
network of_hdf5(const std::string& content, const std::string& file, const part& wanted);
// An archive, as Keras 3 writes.
network of_archive(const std::string& content, const std::string& file, const part& wanted);

}  // namespace keras_format
#endif

namespace detail {

[[noreturn]] void refuse_keras(const recognised& kind, const std::string& file);

}  // namespace detail

// Reads a Keras model (.h5 or .hdf5 of Keras 1 and 2, or .keras) as a network for one picture with
// its channels first. `wanted` names a part of it and shapes that it leaves open; `file` is for
// messages. Throws `error` with all problems.
network keras_network_from(const std::string& content, const std::string& file,
                           [[maybe_unused]] const part& wanted = {});
// Reads a model in two files: its configuration as JSON, and its weights in HDF5.
network keras_network_from(const std::string& configuration, const std::string& file,
                           const std::string& weights, const std::string& weights_name,
                           [[maybe_unused]] const part& wanted = {});

network keras_network(const std::filesystem::path& path, const part& wanted = {});
network keras_network(const std::filesystem::path& configuration,
                      const std::filesystem::path& weights, const part& wanted = {});

// The graph of a model that is not quantised; see real_graph.
net::graph keras_from(const std::string& content, const std::string& file, const part& wanted = {});
net::graph keras(const std::filesystem::path& path, const part& wanted = {});

// As model.hpp asks for it.
network read_keras(const named_content& model, const weight_content& weights,
                   const part& wanted);

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/keras.ipp>
#endif
