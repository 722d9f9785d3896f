// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small TensorFlow graphs in text form.
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <nvdlac/import/tensorflow.hpp>

#include "outcome.hpp"

namespace tensorflow_model {

using namespace nvdlac;
using floats = std::vector<float>;
using ints = std::vector<std::int64_t>;

inline std::string attr(const std::string& key, const std::string& value) {
  return "attr { key: \"" + key + "\" value { " + value + " } }\n";
}
inline std::string type(const std::string& key, const std::string& name) {
  return attr(key, "type: " + name);
}
inline std::string integer(const std::string& key, std::int64_t v) {
  return attr(key, text("i: ", v));
}
inline std::string number(const std::string& key, float v) { return attr(key, text("f: ", v)); }
inline std::string flag(const std::string& key, bool v) {
  return attr(key, std::string("b: ") + (v ? "true" : "false"));
}
inline std::string word(const std::string& key, const std::string& v) {
  return attr(key, "s: \"" + v + "\"");
}
inline std::string list(const std::string& key, const ints& values) {
  std::string s = "list {";
  for (const auto v : values) s += text(" i: ", v);
  return attr(key, s + " }");
}
inline std::string dimensions(const ints& shape) {
  std::string s;
  for (const auto d : shape) s += text(" dim { size: ", d, " }");
  return s;
}
inline std::string shape(const std::string& key, const ints& d) {
  return attr(key, "shape {" + dimensions(d) + " }");
}

// Inputs are separated by spaces.
inline std::string node(const std::string& op, const std::string& name, const std::string& inputs,
                        const std::string& attributes = {}) {
  std::string s = "node { name: \"" + name + "\" op: \"" + op + "\"\n";
  std::istringstream words(inputs);
  for (std::string i; words >> i;) s += "input: \"" + i + "\" ";
  return s + attributes + "}\n";
}
inline std::string placeholder(const std::string& name, const ints& d,
                               const std::string& dtype = "DT_FLOAT") {
  return node("Placeholder", name, "", type("dtype", dtype) + shape("shape", d));
}
inline std::string constant(const std::string& name, const ints& d, const floats& values) {
  std::string s = "tensor { dtype: DT_FLOAT tensor_shape {" + dimensions(d) + " }";
  for (const float v : values) s += text(" float_val: ", v);
  return node("Const", name, "", type("dtype", "DT_FLOAT") + attr("value", s + " }"));
}
inline std::string integers(const std::string& name, const ints& d, const ints& values) {
  std::string s = "tensor { dtype: DT_INT32 tensor_shape {" + dimensions(d) + " }";
  for (const auto v : values) s += text(" int_val: ", v);
  return node("Const", name, "", type("dtype", "DT_INT32") + attr("value", s + " }"));
}
inline std::string integers(const std::string& name, const ints& values) {
  return integers(name, {static_cast<std::int64_t>(values.size())}, values);
}

inline net::graph read(const std::string& graph, const import::part& wanted = {}) {
  return import::without_scales(import::tensorflow_network_from(graph, "test", wanted));
}
inline std::string refused(const std::string& graph, const import::part& wanted = {}) {
  return complaints([&] { (void)read(graph, wanted); });
}
inline outcome outcome_for(const std::string& graph, const import::part& wanted = {}) {
  return outcome_of([&] { return read(graph, wanted); });
}

}  // namespace tensorflow_model
