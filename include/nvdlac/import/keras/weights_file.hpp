// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the weights of layers stand in an HDF5 file.
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/import/hdf5.hpp>
#include <nvdlac/import/keras/layer.hpp>

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
  // The groups with the weights of a layer whose own group is given: that of its cell as well, or
  // those of the layers that it wraps.
  static std::vector<std::string> groups_of(const layer& l, const std::string& own);
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

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/keras/weights_file.ipp>
#endif
