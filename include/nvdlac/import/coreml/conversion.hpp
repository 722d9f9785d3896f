// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/import/coreml/weights.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import::coreml_format {

using translation::attribute;
using translation::operand;
using translation::sliding_window;
using results = std::vector<operand>;

// The tensors that have, in the file, a first dimension of sequences more: it is always 1 here and
// left out, so that pictures have four dimensions.
using sequences = std::set<std::string>;

class conversion {
 public:
  conversion(const translation::file_layer& l, const proto::view& parameters,
             translation::channels_first_translator& all, weight_reader& w,
             const sequences& longer);

  const proto::view& p;
  weight_reader& weights;
  bool sequence = false;  // whether the results have the dimension that is left out

  translation::layer_writer& to() const { return all_.to(); }
  const std::string& name() const { return layer_.name; }
  std::string name(const char* step) const { return layer_.name + '/' + step; }
  std::size_t inputs() const { return layer_.inputs.size(); }
  std::size_t outputs() const { return layer_.outputs.size(); }
  void require_inputs(std::size_t least, std::size_t most) const {
    if (inputs() < least || inputs() > most) throw error(text("it has ",
                                                              count_of(inputs(), "input")));
  }
  const operand& in(std::size_t i) const;
  const operand& one() const;
  std::vector<operand> all() const;
  // The only input, with channels, height and width behind the pictures of a batch.
  const operand& picture() const;
  // The place of the channels: the last but two.
  static std::int64_t channels_of(const operand& x);
  // An axis of the first input as the file counts, from the first or, negative, from the last.
  std::int64_t axis(std::int64_t in_file) const { return axis(in_file, in(0).rank); }
  std::int64_t axis(std::int64_t in_file, std::size_t rank) const;
  dims axes(const char* field) const;
  // Two numbers, for height and width.
  dims pair(const char* field, std::int64_t otherwise) const;
  // A tensor of the layer's own.
  operand tensor(const char* field, const dims& shape) const {
    return operand::of(weights.read(p.child(field), shape, field));
  }

 private:
  const translation::file_layer& layer_;
  translation::channels_first_translator& all_;
};

// Borders in ONNX's order: above, left, below, right.
dims borders_in(const proto::view& of, const char* field);

}  // namespace nvdlac::import::coreml_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/coreml/conversion.ipp>
#endif
