// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a model tells of the tensors that it takes and gives.
#include <algorithm>
#include <cstdint>

#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::onnx_format {

// Of a TensorTypeProto; -1 where a dimension is not fixed.
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

}  // namespace nvdlac::import::onnx_format
