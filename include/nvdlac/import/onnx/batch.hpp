// SPDX-License-Identifier: Apache-2.0
#pragma once
// A model for a batch is read as a network for one picture, so that no operator may bring pictures
// together: where it works along the batch, or moves that, it is refused.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include <nvdlac/import/onnx/context.hpp>

namespace nvdlac::import::onnx_format {

namespace detail {

inline error mixes_pictures(const context& c, const std::string& how) {
  return error(problem{.reason = text(how, ", which mixes the ", c.batch, " pictures of the batch"),
                       .remedy = "export the model for a batch of 1"});
}

// Operators with an attribute `axis`, and its default.
inline const std::map<std::string, std::int64_t>& along_an_axis() {
  static const std::map<std::string, std::int64_t> all{
      {"ArgMax", 0}, {"ArgMin", 0}, {"Concat", 1}, {"CumSum", 1}, {"Flatten", 1}, {"Gather", 0},
      {"GatherElements", 0}, {"Hardmax", -1}, {"LogSoftmax", -1}, {"Softmax", -1}, {"Split", 0}};
  return all;
}

// The axes that an operator reduces, removes, adds or cuts; nothing: all that there are.
inline std::optional<dims> axes_of_operator(const context& c) {
  if (auto axes = c.n.integers("axes")) return axes;
  const std::size_t input = c.n.type() == "Slice" ? 3 : 1;
  if (input < c.inputs() && c.is_constant(input)) return c.integers(input, "axes");
  return std::nullopt;
}

}  // namespace detail

inline void require_pictures_apart(const context& c) {
  if (c.batch <= 1 || c.inputs() == 0 || !std::holds_alternative<computed>(c.in[0])) return;
  const auto type = c.n.type();
  const auto rank = static_cast<std::int64_t>(c.tensor(0).shape.size());
  if (const auto along = detail::along_an_axis().find(type); along != detail::along_an_axis().end())
    if (const auto axis = c.n.integer("axis", along->second); axis == 0 || axis == -rank)
      throw detail::mixes_pictures(c, "it works along axis 0");
  if (type == "Transpose") {
    const auto perm = c.n.integers("perm");
    if (perm ? perm->empty() || perm->front() != 0 : rank > 1)
      throw detail::mixes_pictures(c, "it moves axis 0");
  }
  if (type == "Reshape" && c.inputs() > 1 && c.is_constant(1)) {
    const dims& target = c.integers(1, "dimensions");
    if (target.empty() || (target[0] != c.batch && target[0] != 0 && target[0] != -1))
      throw detail::mixes_pictures(c, "it reshapes axis 0");
  }
  if (type == "Squeeze" || type == "Unsqueeze" || type == "Slice" || type.starts_with("Reduce")) {
    const auto axes = detail::axes_of_operator(c);
    if (!axes || std::ranges::any_of(*axes, [&](auto a) { return a == 0 || a == -rank; }))
      throw detail::mixes_pictures(c, "it takes axis 0 in");
  }
}

}  // namespace nvdlac::import::onnx_format
