// SPDX-License-Identifier: Apache-2.0
#pragma once
// Models of Core ML as text, and what they give.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include <nvdlac/import/coreml.hpp>
#include <nvdlac/import/coreml/schema.hpp>

#include "files.hpp"
#include "tensorflow_files.hpp"

namespace coreml_model {

using nvdlac::text;
using floats = std::vector<float>;
using shape = std::vector<std::int64_t>;

inline std::string model_of(const std::string& content) {
  return encode(nvdlac::import::coreml_format::schema(), "Model", content);
}
template <class Numbers>
std::string listed(const char* field, const Numbers& all) {
  std::string s;
  for (const auto v : all) s += nvdlac::text(' ', field, ": ", v);
  return s;
}
inline std::string array_input(const shape& s) {
  return "input { name: 'x' type { multiArrayType {" + listed("shape", s) + " } } } ";
}

// One layer from x to y.
inline std::string layer_text(const std::string& kind, const std::string& inputs = "input: 'x'",
                         const std::string& outputs = "output: 'y'") {
  return "layers { name: 'l' " + inputs + ' ' + outputs + ' ' + kind + " } ";
}
inline std::string network_text(const std::string& layers, const std::string& inputs,
                                const char* mapping = "1") {
  return "specificationVersion: 4 description { " + inputs +
         " output { name: 'y' } } neuralNetwork { arrayInputShapeMapping: " + mapping + ' ' +
         layers + " }";
}
inline std::string weights(const char* field, const floats& values) {
  return std::string(field) + " {" + listed("floatValue", values) + " } ";
}
inline const std::string valid = "valid { } ", same = "same { } ";
inline std::string borders(const char* field, int top, int bottom, int left, int right) {
  return text(field, " { borderAmounts { startEdgeSize: ", top, " endEdgeSize: ", bottom,
              " } borderAmounts { startEdgeSize: ", left, " endEdgeSize: ", right, " } } ");
}

// ML programs: all that an operation is told is an input.
inline std::string value_text(int type, const shape& sizes, const std::string& content) {
  std::string s = text("type { tensorType { dataType: ", type, " rank: ", sizes.size(), ' ');
  for (const auto n : sizes) s += text("dimensions { constant { size: ", n, " } } ");
  return s + "} } immediateValue { tensor { " + content + " } } ";
}
inline std::string argument(const std::string& key, const std::string& bound) {
  return "inputs { key: '" + key + "' value { arguments { " + bound + " } } } ";
}
inline std::string named(const std::string& key, const std::string& tensor) {
  return argument(key, "name: '" + tensor + "'");
}
inline std::string told(const std::string& key, int type, const shape& sizes,
                        const std::string& content) {
  return argument(key, "value { " + value_text(type, sizes, content) + '}');
}
inline std::string reals(const std::string& key, const shape& sizes, const floats& values) {
  return told(key, 11, sizes, "floats {" + listed("values", values) + " }");
}
inline std::string number(const std::string& key, float v) { return reals(key, {}, {v}); }
inline std::string integers(const std::string& key, const shape& values) {
  return told(key, 23, {std::ssize(values)}, "ints {" + listed("values", values) + " }");
}
inline std::string integer(const std::string& key, int v) {
  return told(key, 23, {}, text("ints { values: ", v, " }"));
}
inline std::string flags(const std::string& key, const std::vector<int>& values) {
  return told(key, 1, {std::ssize(values)}, "bools {" + listed("values", values) + " }");
}
inline std::string word(const std::string& key, const std::string& v) {
  return told(key, 2, {}, "strings { values: '" + v + "' }");
}
inline const std::string of_x = named("x", "x");
inline std::string op(const std::string& type, const std::string& inputs,
                      const std::string& outputs = "outputs { name: 'y' }") {
  return "operations { type: '" + type + "' " + inputs + outputs + " } ";
}
inline std::string program_text(const std::string& operations, const shape& input) {
  auto type = value_text(11, input, "");
  type.erase(type.find(" immediateValue"));
  return "specificationVersion: 6 description { " + array_input(input) +
         "output { name: 'y' } } mlProgram { version: 1 functions { key: 'main' value { inputs { "
         "name: 'x' " + type + " } opset: 'CoreML5' blocks { key: 'CoreML5' value { outputs: 'y' " +
         operations + " } } } } }";
}
inline floats result_of(const std::string& model, std::size_t size) {
  const auto n = nvdlac::import::coreml_network_from({"m", model_of(model)});
  floats x(size);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  const auto found = tensorflow_files::run(n, {{"x", x}});
  return found.size() == 1 ? found.begin()->second : floats{};
}
inline bool near(const floats& found, const floats& expected) {
  CAPTURE(found.size());
  const double e = tensorflow_files::error_of(found, expected);
  if (e >= 1e-5)
    for (const auto v : found) MESSAGE(v);
  return e < 1e-5;
}

}  // namespace coreml_model
