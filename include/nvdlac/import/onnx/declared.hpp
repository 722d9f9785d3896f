// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a model tells of the tensors that it takes and gives.
#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/onnx/value.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::onnx_format {

// The shape of a TensorTypeProto; -1 stands for a dimension that is not fixed.
inline dims declared_shape(const proto::view& type) {
  dims d;
  for (const auto& i : type.child("shape").children("dim"))
    d.push_back(i.integer("dim_value", -1));
  return d;
}

// Whether the rows of an input matrix are pictures: all outputs of the graph that tell their shapes
// have as many.
inline bool counts_pictures(const proto::view& graph, std::int64_t n) {
  const auto outputs = graph.children("output");
  return std::all_of(outputs.begin(), outputs.end(), [&](const proto::view& o) {
    const dims d = declared_shape(o.child("type").child("tensor_type"));
    return d.empty() || d[0] < 1 || d[0] == n;
  });
}

// Where one input is a batch of fixed size, so must be all.
inline std::vector<problem> inputs_of_other_batches(const proto::view& graph, std::int64_t batch) {
  std::vector<problem> found;
  if (batch <= 1) return found;
  for (const auto& i : graph.children("input")) {
    const dims d = declared_shape(i.child("type").child("tensor_type"));
    if (!d.empty() && d[0] >= 1 && d[0] != batch)
      found.push_back({.layer = i.string("name"),
                       .reason = text("the input ", to_text(d), " is no batch of ", batch,
                                      " pictures, as another input is"),
                       .remedy = "export the model for a batch of 1"});
  }
  return found;
}

// Integers leave as the real numbers that they stand for, which the user must know.
template <class Values>
std::vector<problem> notes_of_integers(const proto::view& graph, const std::string& file,
                                       const Values& values) {
  std::vector<problem> notes;
  for (const auto& output : graph.children("output")) {
    const auto v = values.find(output.string("name"));
    const auto* x = v == values.end() ? nullptr : std::get_if<computed>(&v->second);
    const auto type = output.child("type").child("tensor_type").integer("elem_type", 0);
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

}  // namespace nvdlac::import::onnx_format
