// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/hub/asked_attributes.hpp>
#include <nvdlac/import/hub/model.hpp>
#include <nvdlac/import/onnx/array.hpp>

namespace nvdlac::import::onnx_format {

// A node of the file.
class node {
 public:
  node(const hub::node& from, std::int64_t opset);

  const std::string& name() const { return name_; }
  const std::string& type() const { return type_; }
  std::int64_t opset() const { return opset_; }
  const std::vector<std::string>& inputs() const { return inputs_; }
  const std::vector<std::string>& outputs() const { return outputs_; }
  bool has_input(std::size_t i) const { return i < inputs_.size() && !inputs_[i].empty(); }

  // The tensors that its subgraphs read, of their own and of the graph around them.
  std::vector<std::string> captured() const;

  bool has(const char* name) const { return attributes_.has(name); }
  std::int64_t integer(const char* name, std::int64_t otherwise) const;
  bool flag(const char* name, bool otherwise) const;
  float number(const char* name, float otherwise) const;
  std::string string(const char* name, const std::string& otherwise) const;
  // Empty if the attribute is not there.
  std::optional<dims> integers(const char* name) const;
  std::optional<std::vector<float>> numbers(const char* name) const;
  // Empty if the attribute is not there.
  std::vector<std::string> strings(const char* name) const;
  // Null if the attribute is not there.
  std::shared_ptr<const array> tensor(const char* name) const;

  // A problem for each attribute that was not asked for.
  void report_unknown(diagnostics& problems, const std::string& file) const;

 private:
  // Null if the attribute is not there.
  template <class T>
  const T* find(const char* name, const char* type) const;

  std::int64_t opset_;
  std::string name_, type_;
  std::vector<std::string> inputs_, outputs_;
  hub::asked_attributes<hub::attribute> attributes_;
};

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/node.ipp>
#endif
