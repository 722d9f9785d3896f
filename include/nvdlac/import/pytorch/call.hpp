// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/hub/asked_attributes.hpp>
#include <nvdlac/import/json.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import::pytorch_format {

// The tensors that an archive of torch.export stores as raw bytes.

using json_text::json;
using json_text::member;
using json_text::shown;
using json_text::word;
using onnx_format::array;
using onnx_format::dims;

// The numbers of PyTorch's types in its schema.
enum scalar_type : std::int64_t {
  type_byte = 1, type_char = 2, type_short = 3, type_int = 4, type_long = 5, type_half = 6,
  type_float = 7, type_double = 8, type_bool = 12, type_bfloat16 = 13
};
bool is_real(std::int64_t type);
std::size_t size_of(std::int64_t type);

// A whole number that fits where sizes are meant.
std::int64_t integer_in(const json& v);
// The numbers that a tensor's description tells: {"as_int": 3}.
dims fixed_sizes(const json& meta, const char* key);

// The elements of a tensor, which may be a view into more: its strides count.
array tensor_of(const json& meta, std::string_view bytes);

// One call of an operator in the graph of an exported program.

using translation::operand;
using translation::sliding_window;

// The sizes of tensors, of which exports leave some open: each open size has a name.
class sizes {
 public:
  explicit sizes(const json& tensors) : tensors_(tensors) {}

  // As the file has them, -1 where one is open.
  std::optional<dims> told(const std::string& tensor) const;
  // The sizes of an input are known now, and with them those of that name.
  void know(const std::string& input, const dims& given);
  void know(const std::string& number, std::int64_t value) { open_[number] = value; }
  // The value of a number that the graph computes.
  std::int64_t number(const std::string& name) const;
  dims of(const std::string& tensor) const;
  // Whether a tensor holds real numbers.
  bool is_real(const std::string& tensor) const;

 private:
  const json* sizes_of(const std::string& tensor) const;
  static std::string open_name(const json& size);

  const json& tensors_;
  std::map<std::string, std::int64_t> open_;
};

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
