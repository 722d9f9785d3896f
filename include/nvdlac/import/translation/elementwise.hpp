// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that compute element by element.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/onnx/fold.hpp>
#include <nvdlac/import/translation/conversion.hpp>

namespace nvdlac::import::translation {

// Both inputs of an operator as numpy's rules align them, and what it gives.
struct operands {
  std::string a, b;
  computed result;  // but for its value
};
inline operands aligned(const conversion& c) {
  const bool picture = std::max(c.shape(0).size(), c.shape(1).size()) == 4;
  const auto order = c.common_order(2);
  const auto operand = [&](std::size_t i) {
    return picture ? c.aligned(i, order) : c.in_order(i, order);
  };
  auto a = operand(0), b = operand(1);
  dims shape = c.out().told ? dims{} : onnx_format::broadcast(c.shape(0), c.shape(1));
  return {std::move(a), std::move(b), {{}, std::move(shape), order}};
}
inline array fold_binary(const conversion& c, const char* type) {
  return onnx_format::fold_binary(type, c.constant(0, "values"), c.constant(1, "values"));
}
inline computed binary(const conversion& c, const char* type, const std::string& layer) {
  auto [a, b, y] = aligned(c);
  y.value = c.node(type, layer, {a, b});
  return y;
}
inline computed squared_difference(const conversion& c) {
  auto [a, b, y] = aligned(c);
  const auto d = c.node("Sub", c.name() + "/difference", {a, b});
  y.value = c.node("Mul", c.name(), {d, d});
  return y;
}
inline computed sum_of_all(const conversion& c) {
  c.require_inputs(1, 1024);
  names inputs;
  const auto order = c.common_order(c.inputs());
  for (std::size_t i = 0; i < c.inputs(); ++i) inputs.push_back(c.in_order(i, order));
  return {c.node("Sum", c.name(), inputs), c.shape(0), order};
}

// An operator on input 0 that keeps its shape: `compute` makes the value of it.
template <class Compute>
computed mapped(const conversion& c, Compute compute) {
  const auto order = c.common_order();
  return {compute(c.in_order(0, order)), c.shape(0), order};
}
inline computed unary(const conversion& c, const char* type,
                      const std::vector<attribute>& attributes = {}) {
  c.require_inputs(1, 1);
  return mapped(c, [&](const std::string& x) { return c.node(type, c.name(), {x}, attributes); });
}
inline computed clip(const conversion& c, float low, float high) {
  c.require_inputs(1, 1);
  return mapped(c, [&](const std::string& x) { return c.clipped(x, low, high); });
}
inline computed reciprocal_root(const conversion& c) {
  c.require_inputs(1, 1);
  return mapped(c, [&](const std::string& x) {
    return c.node("Reciprocal", c.name(), {c.node("Sqrt", c.name() + "/sqrt", {x})});
  });
}
inline computed square(const conversion& c) {
  c.require_inputs(1, 1);
  return mapped(c, [&](const std::string& x) { return c.node("Mul", c.name(), {x, x}); });
}

// Operators along the last dimension, which holds the channels.
inline computed along_channels(const conversion& c, const char* type, const std::string& layer,
                               const std::vector<attribute>& further = {}) {
  const auto order = c.common_order();
  std::vector<attribute> attributes{{"axis", c.last_axis(0, order)}};
  attributes.insert(attributes.end(), further.begin(), further.end());
  return {c.node(type, layer, {c.in_order(0, order)}, attributes), c.shape(0), order};
}

// The sums of squares of 2 * radius + 1 channels; alpha is not divided by their number.
inline computed local_response(const conversion& c, std::int64_t radius, float bias, float alpha,
                               float beta) {
  c.require_inputs(1, 1);
  if (radius < 0 || radius > 65535) throw error(text("its radius is ", radius));
  const auto size = 2 * radius + 1;
  return {c.node("LRN", c.name(), {c.picture(0)},
                 {{"size", size}, {"bias", bias}, {"alpha", alpha * static_cast<float>(size)},
                  {"beta", beta}}),
          c.shape(0), order::channels_second};
}

}  // namespace nvdlac::import::translation
