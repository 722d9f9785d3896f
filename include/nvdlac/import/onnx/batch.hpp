// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/cut_node.hpp>
#include <nvdlac/import/hub/model.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/cube_builder.hpp>
#include <nvdlac/import/onnx/operators.hpp>
#include <nvdlac/import/onnx/value.hpp>

namespace nvdlac::import::onnx_format {

// Properties that a model tells of the tensors that it takes and gives.

// Whether the rows of an input matrix are pictures: all outputs of the graph that tell their shapes
// have as many.
bool counts_pictures(const hub::graph& graph, std::int64_t n);

// Where one input is a batch of fixed size, so must be all.
std::vector<problem> inputs_of_other_batches(const hub::graph& graph, std::int64_t batch);

// Integers leave as the real numbers that they stand for, which the user must know.
template <class Values>
std::vector<problem> notes_of_integers(const hub::graph& graph, const std::string& file,
                                       const Values& values) {
  std::vector<problem> notes;
  for (const auto& output : graph.outputs) {
    const auto v = values.find(output.name);
    const auto* x = v == values.end() ? nullptr : std::get_if<computed>(&v->second);
    const auto type = output.type ? output.type->element : 0;
    if (x == nullptr || (!x->integers && (type == 0 || is_real_type(type)))) continue;
    const auto what = type == 0 ? "integers" : "integers of type " + element_type(type);
    notes.push_back({.file = file, .layer = v->first,
                     .reason = "the file gives this output as " + what +
                               "; it is given as the real numbers that they stand for",
                     .remedy = x->integers ? text("integer = real / ", x->integers->scale, " + ",
                                                  x->integers->zero)
                                           : "whole numbers"});
  }
  return notes;
}

// Inputs of integers take the real numbers that they stand for. Of those of 8 bits the network's
// preprocessing tells how they become these; for wider ones there is none.
std::vector<problem> notes_of_wide_inputs(cube_builder& net, const std::string& file);

// A model for a batch is read as a network for one picture, so that no operator may bring pictures
// together. Axis 0 of every computed tensor is the batch, before an operator and behind it; where
// an operator works along it, or moves it, it is refused.
namespace batch_detail {

error mixes_pictures(const context& c, const std::string& how);

// The axes along which an operator works; nothing: all that there are.
std::optional<dims> worked_along(const context& c, std::string_view type);

// Operators that align the last dimensions of all their inputs.
bool aligns_inputs(std::string_view type);

void require_batch_first(const context& c, const computed& x, const std::string& what);

}  // namespace batch_detail

// Before the operator is converted.
void require_pictures_apart(const context& c);

// Requires the batch to come first in what the operator gives.
void require_batch_first(const context& c, const std::vector<value>& out);

// How the nodes that an output needs read a tensor.

// The readers of every tensor; the nodes outlive it.
class tensor_readers {
 public:
  tensor_readers() = default;
  tensor_readers(const std::vector<node>& nodes, const std::vector<bool>& live);

  // Ascending; a node that reads it twice is there twice.
  const std::vector<std::size_t>& of(const std::string& name) const;

  // Whether operators that know its scale read an input of integers: then it is real numbers here.
  bool is_dequantised_first(const std::string& name) const;

  // Whether a picture with channels last is only read through Transpose, maybe behind some steps.
  bool has_channels_last(const std::string& name) const;

 private:
  static bool turns_around(const node& n);

  const std::vector<node>* nodes_ = nullptr;
  std::map<std::string, std::vector<std::size_t>> by_name_{};
};

// Problems of operators that are not understood: each type once, and the part without them.

// Nodes whose operator is not known, or known for constants only, told together by their operator.
class unsupported_nodes {
 public:
  explicit unsupported_nodes(const operator_table& known) : known_(known) {}

  void add(const node& n) { names_[n.type()].push_back(n.name()); }

  // The problems since the last call; the first of all tells where what is supported stands.
  std::vector<problem> take();

 private:
  const operator_table& known_;
  std::map<std::string, std::vector<std::string>> names_{};
  bool listed_ = false;
};

// The nodes of a graph as a cut sees them. Refused are those of unknown operators and `failed`.
// `is_stored`: whether a tensor is one of the file's constants.
std::vector<cut_node> cut_nodes_of(const std::vector<node>& nodes,
                                   const std::vector<std::string>& outputs,
                                   const operator_table& known,
                                   const std::set<std::size_t>& failed,
                                   const std::function<bool(const std::string&)>& is_stored);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/batch.ipp>
#endif
