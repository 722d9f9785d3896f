// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include <nvdlac/import/tensorflow/array.hpp>
#include <nvdlac/import/tensorflow/node.hpp>
#include <nvdlac/import/tensorflow/tensors.hpp>
#include <nvdlac/import/translation/conversion.hpp>

namespace nvdlac::import::tensorflow_format {

// The context in which one node is converted, with its attributes.
class conversion : public translation::conversion {
 public:
  conversion(const tensorflow_format::node& from, const indices& inputs, const indices& outputs,
             values& all, tensors& of_graph, const blocks& crops);

  const tensorflow_format::node& n;
  const blocks& crops_ahead;  // of the BatchToSpaceND behind it; empty: there is none

  std::int64_t type_of(std::size_t i) const { return tensors_.at(inputs_[i]).type; }
  // Other than that of the input that tells the types of outputs.
  void set_type(std::int64_t type) const { tensors_[outputs_[0]].type = type; }
  const blocks* cut(std::size_t i) const;
  void set_cut(blocks b) const { tensors_.cut()[outputs_[0]] = std::move(b); }

  void require_count(const char* attribute, std::size_t wanted) const;
  // The single number or the list in constant input i.
  std::int64_t single(std::size_t i, const char* what) const;
  // Input 0 as it is.
  void pass(std::size_t i = 0) const;

  bool channels_first() const;
  // The window of an operator on a picture.
  translation::window window() const;
  // The numbers for height and width in a list of four.
  dims spatial(const char* attribute, const translation::window& w, bool required) const;

 private:
  const indices& inputs_;
  const indices& outputs_;
  tensors& tensors_;
};

}  // namespace nvdlac::import::tensorflow_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/tensorflow/conversion.ipp>
#endif
