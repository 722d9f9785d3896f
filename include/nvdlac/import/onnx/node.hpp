// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/hub/asked_attributes.hpp>
#include <nvdlac/import/hub/model.hpp>
#include <nvdlac/import/onnx/array.hpp>

namespace nvdlac::import::onnx_format {

// Attributes of ONNX's nodes, whose types must be those that are asked for.
struct attribute_values {
  using value = hub::attribute;
  std::string operator_type{};

  static hub::plain_value plain(const hub::attribute& a);
  std::string call(std::string_view name) const;
  static std::string shown(const hub::attribute&) { return {}; }
  static error refusal(std::string_view name, const hub::attribute& a, hub::value_kind kind);
};

// A node of the file.
class node : public hub::asked_attributes<attribute_values> {
 public:
  node(const hub::node& from, std::int64_t opset);

  const std::string& name() const { return name_; }
  const std::string& type() const { return format().operator_type; }
  std::int64_t opset() const { return opset_; }
  const std::vector<std::string>& inputs() const { return inputs_; }
  const std::vector<std::string>& outputs() const { return outputs_; }
  bool has_input(std::size_t i) const { return i < inputs_.size() && !inputs_[i].empty(); }

  // The tensors that its subgraphs read, of their own and of the graph around them.
  std::vector<std::string> captured() const;

  // Null if the attribute is not there.
  std::shared_ptr<const array> tensor(std::string_view name) const;

  // A problem for each attribute that was not asked for.
  void report_unknown(diagnostics& problems, const std::string& file) const;

 private:
  std::int64_t opset_;
  std::string name_;
  std::vector<std::string> inputs_, outputs_;
};

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/node.ipp>
#endif
