// SPDX-License-Identifier: Apache-2.0
#pragma once
// The shapes of inputs: the file's, or the user's where it leaves them open.
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/tensorflow/schedule.hpp>

namespace nvdlac::import::tensorflow_format {

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

class input_shapes {
 public:
  explicit input_shapes(const part& wanted) : wanted_(wanted) {}

  dims of(const std::string& name, const std::optional<dims>& told) {
    if (const auto given = wanted_.shapes.find(name); given != wanted_.shapes.end()) {
      used_.insert(name);
      return checked(given->second, told);
    }
    if (!told)
      throw error(problem{.reason = "the shape of this input is not known",
                          .remedy = "give it: " + shape_option(name, {1, 224, 224, 3})});
    dims d = *told;
    if (d.size() > 1 && d[0] == -1) d[0] = 1;  // the batch
    for (std::size_t i = 0; i < d.size(); ++i)
      if (d[i] < 1)
        throw error(problem{.reason = text("dimension ", i, " of this input is not known"),
                            .remedy = "give its shape: " + shape_option(name, *told)});
    return d;
  }
  // Shapes of what is no input.
  std::vector<std::string> unused() const {
    std::vector<std::string> all;
    for (const auto& [name, ignored] : wanted_.shapes)
      if (!used_.contains(name)) all.push_back(name);
    return all;
  }

 private:
  static dims checked(const dims& d, const std::optional<dims>& told) {
    bool fits = !told || told->size() == d.size();
    for (std::size_t i = 0; fits && told && i < d.size(); ++i)
      fits = (*told)[i] == -1 || (*told)[i] == d[i];
    if (!fits)
      throw error(text("its shape is given as ", onnx_format::to_text(d), ", but the file has ",
                       onnx_format::to_text(*told)));
    for (const auto n : d)
      if (n < 1) throw error(text("its shape is given as ", onnx_format::to_text(d)));
    return d;
  }

  const part& wanted_;
  std::set<std::string> used_;
};

}  // namespace nvdlac::import::tensorflow_format
