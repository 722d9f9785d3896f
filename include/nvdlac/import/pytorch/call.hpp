// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/hub/asked_attributes.hpp>
#include <nvdlac/import/json.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/pytorch/sizes.hpp>
#include <nvdlac/import/pytorch/tensor.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import::pytorch_format {

using translation::operand;
using translation::sliding_window;

// The arguments have the names of ATen's schema.
class call {
 public:
  call(const json& node, const translation::file_layer& l,
       translation::channels_first_translator& all, sizes& known);

  const std::string& layer;
  const std::vector<std::string>& outputs;
  sizes& size;
  translation::layer_writer& to() const { return all_.to(); }

  std::optional<std::string> tensor_name(const char* name) const;
  std::optional<operand> optional_tensor(const char* name) const;
  operand tensor(const char* name) const;
  std::vector<operand> tensors(const char* name) const;
  // The sizes of its argument.
  dims shape(const char* name) const { return size.of(tensor_name(name).value_or("")); }

  bool has(const char* name) const { return arguments_.has(name); }
  std::int64_t integer(const char* name, std::optional<std::int64_t> otherwise = {}) const;
  bool flag(const char* name, bool otherwise = false) const;
  std::optional<float> number(const char* name) const;
  float number(const char* name, float otherwise) const {
    return number(name).value_or(otherwise);
  }
  // A number in place of a tensor; nothing: it is none.
  std::optional<float> is_number(const char* name) const;
  bool is_string(const char* name) const;
  std::string string(const char* name, const std::string& otherwise) const;
  std::optional<dims> integers(const char* name) const;
  std::optional<std::vector<float>> numbers(const char* name) const;
  // A number for each axis of a window; a single one is for all, none at all for the default.
  dims per_axis(const char* name, std::size_t axes, const dims& otherwise) const;
  // An axis, counted from the end where it is negative.
  std::int64_t axis(const char* name, const operand& x,
                    std::optional<std::int64_t> otherwise = {}) const;
  // The type in which it computes, if it tells one: a real one, of which all are alike here.
  void require_real_type() const;
  // Ignores arguments that say nothing of the values.
  void ignore(std::initializer_list<std::string_view> names) const { arguments_.ignore(names); }
  void require_understood() const;

 private:
  // Null where it is not there.
  const json* find(const char* name) const {
    const auto* a = arguments_.find(name);
    return a == nullptr ? nullptr : *a;
  }
  static error not_understood(const char* name, const json& value) {
    return error(text("its ", name, " is ", shown(value), ", which is not understood"));
  }
  std::int64_t symbolic(const json& v) const;
  std::int64_t integer_of(const char* name, const json& a) const;

  translation::channels_first_translator& all_;
  hub::asked_attributes<const json*> arguments_;
};

using results = std::vector<operand>;

operand input_of(const call& c);

}  // namespace nvdlac::import::pytorch_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/pytorch/call.ipp>
#endif
