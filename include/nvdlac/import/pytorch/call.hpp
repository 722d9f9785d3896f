// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
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

// Arguments of ATen's operators: objects with one key that tells the type, {"as_int": 3}.
struct argument_values {
  using value = const json*;
  const sizes* open = nullptr;  // those of sizes that are numbers of the graph

  hub::plain_value plain(const json* a) const;
  static std::string call(std::string_view name);
  static std::string shown(const json* a) { return json_text::shown(*a); }

 private:
  std::int64_t symbolic(const json& v) const;
};

// One call of an operator in the graph of an exported program. The arguments have the names of
// ATen's schema, but for those that are None.
class call : public hub::asked_attributes<argument_values> {
 public:
  call(const json& node, const translation::file_layer& l,
       translation::channels_first_translator& all, sizes& known);

  const std::string& layer;
  const std::vector<std::string>& outputs;
  sizes& size;
  translation::layer_writer& to() const { return all_.to(); }

  std::optional<std::string> tensor_name(std::string_view name) const;
  std::optional<operand> optional_tensor(std::string_view name) const;
  operand tensor(std::string_view name) const;
  std::vector<operand> tensors(std::string_view name) const;
  // The sizes of its argument.
  dims shape(std::string_view name) const { return size.of(tensor_name(name).value_or("")); }

  // A number in place of a tensor; nothing: it is none.
  std::optional<float> is_number(std::string_view name) const;
  bool is_string(std::string_view name) const;
  // A number for each axis of a window; a single one is for all, none at all for the default.
  dims per_axis(std::string_view name, std::size_t axes, const dims& otherwise) const;
  // An axis, counted from the end where it is negative.
  std::int64_t axis(std::string_view name, const operand& x,
                    std::optional<std::int64_t> otherwise = {}) const;
  // The type in which it computes, if it tells one: a real one, of which all are alike here.
  void require_real_type() const;

 private:
  translation::channels_first_translator& all_;
};

using results = std::vector<operand>;

operand input_of(const call& c);

}  // namespace nvdlac::import::pytorch_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/pytorch/call.ipp>
#endif
