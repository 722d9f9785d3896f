// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a graph tells of the shapes of its inputs.
#include <optional>
#include <vector>

#include <nvdlac/import/tensorflow/schedule.hpp>
#include <nvdlac/import/translation/input_shapes.hpp>

namespace nvdlac::import::tensorflow_format {

using translation::input_shapes;

// An empty shape of the first versions may be an unknown one.
inline std::optional<dims> placeholder_shape(const node& n) {
  const auto shape = n.message("shape", "shape");
  auto told = shape ? shape_of(*shape) : std::nullopt;
  if (told && told->empty()) told.reset();
  return told;
}
// What a node may tell of the shape that it gives, for a network that begins there.
inline std::optional<dims> told_shape(const std::vector<node>& nodes, const node& n) {
  if (is_placeholder(n.op())) return placeholder_shape(n);
  if (n.op() != "Reshape" || n.inputs.size() != 2) return std::nullopt;
  const node& shape = nodes[n.inputs[1].node];
  if (shape.op() != "Const") return std::nullopt;
  const auto value = shape.message("value", "tensor");
  if (!value) return std::nullopt;
  const auto rank = shape_of(value->child("tensor_shape"));
  if (!rank || rank->size() != 1 || (*rank)[0] > 8) return std::nullopt;
  const array a = to_array(*value);
  return a.real ? std::nullopt : std::optional(a.integers);
}

}  // namespace nvdlac::import::tensorflow_format
