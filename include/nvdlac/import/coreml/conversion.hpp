// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the conversion of a layer of a neural network works with.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/coreml/weights.hpp>
#include <nvdlac/import/onnx/movement.hpp>
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
             const sequences& longer)
      : p(parameters), weights(w), layer_(l), all_(all) {
    for (const auto& i : l.inputs) sequence = sequence || longer.contains(i);
  }

  const proto::view& p;
  weight_reader& weights;
  bool sequence = false;  // whether the results have the dimension that is left out

  translation::layer_writer& to() const { return all_.to(); }
  const std::string& name() const { return layer_.name; }
  std::string name(const char* step) const { return layer_.name + '/' + step; }
  std::size_t inputs() const { return layer_.inputs.size(); }
  std::size_t outputs() const { return layer_.outputs.size(); }
  void require_inputs(std::size_t least, std::size_t most) const {
    if (inputs() < least || inputs() > most) throw error(text("it has ", inputs(), " inputs"));
  }
  const operand& in(std::size_t i) const {
    if (i >= inputs()) throw error(text("its input ", i, " is missing"));
    return all_.at(layer_.inputs[i]);
  }
  const operand& one() const {
    require_inputs(1, 1);
    return in(0);
  }
  std::vector<operand> all() const {
    require_inputs(1, 1024);
    std::vector<operand> found;
    for (std::size_t i = 0; i < inputs(); ++i) found.push_back(in(i));
    return found;
  }
  // The only input, with channels, height and width behind the pictures of a batch.
  const operand& picture() const {
    const auto& x = one();
    if (x.rank != 4)
      throw error(problem{.reason = text("its input has ", x.rank, " dimensions"),
                          .remedy = "pictures [1, channels, height, width] are supported"});
    return x;
  }
  // The place of the channels: the last but two.
  static std::int64_t channels_of(const operand& x) {
    if (x.rank < 3) throw error(text("its input has ", x.rank, " dimensions: none for channels"));
    return static_cast<std::int64_t>(x.rank) - 3;
  }
  // An axis of the first input as the file counts, from the first or, negative, from the last.
  std::int64_t axis(std::int64_t in_file) const { return axis(in_file, in(0).rank); }
  std::int64_t axis(std::int64_t in_file, std::size_t rank) const {
    if (sequence && in_file == 0)
      throw error("its axis is that of sequences, which is not supported");
    return onnx_format::checked_axis(sequence && in_file > 0 ? in_file - 1 : in_file, rank);
  }
  dims axes(const char* field) const {
    dims found;
    for (const auto a : p.values<std::int64_t>(field)) found.push_back(axis(a));
    return found;
  }
  // Two numbers, for height and width.
  dims pair(const char* field, std::int64_t otherwise) const {
    auto found = p.values<std::int64_t>(field);
    if (found.empty()) return {otherwise, otherwise};
    if (found.size() != 2)
      throw error(text("its ", field, " is ", onnx_format::to_text(found)));
    for (const auto i : found)
      if (i < 0 || i > net::max_elements)
        throw error(text("its ", field, " is ", onnx_format::to_text(found)));
    return found;
  }
  // A tensor of the layer's own.
  operand tensor(const char* field, const dims& shape) const {
    return operand::of(weights.read(p.child(field), shape, field));
  }

 private:
  const translation::file_layer& layer_;
  translation::channels_first_translator& all_;
};

// Borders in ONNX's order: above, left, below, right.
inline dims borders_in(const proto::view& of, const char* field) {
  const auto edges = of.child(field).children("borderAmounts");
  if (edges.empty()) return {0, 0, 0, 0};
  if (edges.size() != 2) throw error(text("its ", field, " have ", edges.size(), " dimensions"));
  dims found{edges[0].integer("startEdgeSize"), edges[1].integer("startEdgeSize"),
             edges[0].integer("endEdgeSize"), edges[1].integer("endEdgeSize")};
  for (const auto i : found)
    if (i < 0 || i > net::max_elements)
      throw error(text("its ", field, " are ", onnx_format::to_text(found)));
  return found;
}

}  // namespace nvdlac::import::coreml_format
