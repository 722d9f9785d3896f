// SPDX-License-Identifier: Apache-2.0
#pragma once
// Caffe2's messages, and the networks that they describe.
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/hub/asked_attributes.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import::caffe2_format {

using onnx_format::array;
using onnx_format::dims;
using proto::rule;

inline constexpr proto::row schema_rows[] = {
    {"NetDef", "name", 1, "string"},
    {"NetDef", "op", 2, "OperatorDef", rule::many},
    {"NetDef", "type", 3, "string"},
    {"NetDef", "num_workers", 4, "int32"},
    {"NetDef", "device_option", 5, "DeviceOption"},
    {"NetDef", "arg", 6, "Argument", rule::many},
    {"NetDef", "external_input", 7, "string", rule::many},
    {"NetDef", "external_output", 8, "string", rule::many},

    {"OperatorDef", "input", 1, "string", rule::many},
    {"OperatorDef", "output", 2, "string", rule::many},
    {"OperatorDef", "name", 3, "string"},
    {"OperatorDef", "type", 4, "string"},
    {"OperatorDef", "arg", 5, "Argument", rule::many},
    {"OperatorDef", "device_option", 6, "DeviceOption"},
    {"OperatorDef", "engine", 7, "string"},
    {"OperatorDef", "control_input", 8, "string", rule::many},
    {"OperatorDef", "is_gradient_op", 9, "bool"},
    {"OperatorDef", "debug_info", 10, "string"},
    {"OperatorDef", "domain", 11, "string"},
    {"OperatorDef", "op_version", 12, "int64"},

    {"Argument", "name", 1, "string"},
    {"Argument", "f", 2, "float"},
    {"Argument", "i", 3, "int64"},
    {"Argument", "s", 4, "bytes"},
    {"Argument", "floats", 5, "float", rule::many},
    {"Argument", "ints", 6, "int64", rule::many},
    {"Argument", "strings", 7, "bytes", rule::many},
    {"Argument", "n", 8, "NetDef"},

    {"DeviceOption", "device_type", 1, "int32"},
    {"DeviceOption", "device_id", 2, "int32"},
};
const proto::schema& schema();

proto::document parsed(const named_content& net, std::uint64_t most_fields);

// The arguments of an operator.
class arguments {
 public:
  explicit arguments(const proto::view& op);

  bool has(const char* name) const { return all_.has(name); }
  std::int64_t integer(const char* name, std::int64_t otherwise) const;
  bool flag(const char* name, bool otherwise = false) const {
    return integer(name, otherwise ? 1 : 0) != 0;
  }
  float number(const char* name, float otherwise) const;
  std::string word(const char* name, const std::string& otherwise) const;
  std::optional<dims> integers(const char* name) const;
  std::vector<float> numbers(const char* name) const;
  // Two numbers: "strides", or "stride" for both, or "stride_h" and "stride_w".
  dims pair(const std::string& name, std::int64_t otherwise) const;
  void ignore(std::initializer_list<std::string_view> names) const { all_.ignore(names); }
  void require_understood() const;

 private:
  static constexpr const char* kinds[] = {"f", "i", "s", "floats", "ints", "strings", "n"};

  static bool holds(const proto::view& a, const char* kind) {
    return kind[1] != '\0' ? a.size(kind) > 0 : a.has(kind);
  }
  static const proto::view& checked(const proto::view& a, const char* name, const char* field);

  hub::asked_attributes<proto::view> all_;
};

// The array with which an operator of the init_net fills a blob.
array filled(const proto::view& op, onnx_format::constant_elements& most);

// The operators of a predict_net under names that are given once: what an operator overwrites has a
// number behind its name.
class network_graph {
 public:
  network_graph(const proto::view& predict, const proto::view& init, const part& wanted);

  const translation::file_graph& graph() const { return graph_; }
  const proto::view& op(std::size_t k) const { return ops_[k]; }
  const std::map<std::string, proto::view>& fills() const { return fills_; }
  const std::vector<problem>& notes() const { return notes_; }

 private:
  // A blob that nothing fills; of an export from ONNX, which fills all, the first.
  void choose_inputs(const std::vector<std::string>& external, const part& wanted);
  void input(const std::string& name);
  std::string current(const std::string& blob) const;
  void add(const proto::view& op);
  // Exports name the old shapes, too, that Reshape and Concat give beside their results.
  void output(const std::string& blob);

  std::map<std::string, proto::view> fills_;
  std::vector<proto::view> ops_;
  std::map<std::string, int> left_, produced_;  // how often a blob is written, at all and so far
  std::map<std::string, std::string> now_;
  std::set<std::string> inputs_, results_;  // results: the first outputs of operators
  translation::file_graph graph_;
  std::vector<problem> notes_;
};

}  // namespace nvdlac::import::caffe2_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe2/net.ipp>
#endif
