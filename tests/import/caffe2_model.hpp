// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small networks of Caffe2, from text.
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/import/caffe2.hpp>
#include <nvdlac/import/caffe2/schema.hpp>

#include "files.hpp"

namespace caffe2_model {

using namespace nvdlac;

using floats = std::vector<float>;
using shape = std::vector<std::int64_t>;

inline std::string net_def(const std::string& content) {
  return encode(import::caffe2_format::schema(), "NetDef", content);
}
template <class Numbers>
std::string listed(const char* field, const Numbers& all) {
  std::string s;
  for (const auto v : all) s += text(' ', field, ": ", v);
  return s;
}
// An operator of an init_net.
inline std::string fill(const std::string& blob, const shape& sizes, const floats& values) {
  return "op { output: '" + blob + "' type: 'GivenTensorFill' arg { name: 'shape'" +
         listed("ints", sizes) + " } arg { name: 'values'" + listed("floats", values) + " } } ";
}
inline std::string op(const std::string& type, const std::string& inputs,
                      const std::string& arguments,
                      const std::string& outputs = "output: 'y'") {
  return "op { type: '" + type + "' " + inputs + ' ' + outputs + ' ' + arguments + " } ";
}
inline import::network network_of(const std::string& predict, const std::string& init,
                                  const shape& input) {
  return import::caffe2_network_from({"predict.pb", net_def(predict)}, {"init.pb", net_def(init)},
                                     {.shapes = {{"x", input}}});
}
inline const std::string one_input = "input: 'x'";
inline const std::string ends = "external_input: 'x' external_output: 'y' name: 'net' ";

}  // namespace caffe2_model
