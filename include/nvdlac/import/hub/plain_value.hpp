// SPDX-License-Identifier: Apache-2.0
#pragma once
// The kinds of values that attributes have in all formats, and what each of them may be read as.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <nvdlac/import/onnx/array.hpp>

namespace nvdlac::import::hub {

using onnx_format::array;
using onnx_format::dims;

// A number of a format that does not tell whole numbers from others, such as JSON.
struct untyped_number {
  double real = 0;
  std::optional<std::int64_t> whole{};  // nothing: it is none
};
untyped_number number_of(double v);
untyped_number number_of(std::int64_t v);

// A value of a format in which all are texts: what it is depends on who asks. Numbers of a list
// stand between commas, of which the last may follow the last number.
struct characters {
  std::string all{};
};

// A value that only its format knows how to read.
struct own_value {};

// The value of one attribute. Lists of untyped numbers are those of formats without types, and the
// empty list of a format with types that does not tell the type of this one.
using plain_value =
    std::variant<own_value, bool, std::int64_t, float, untyped_number, std::string, characters,
                 dims, std::vector<float>, std::vector<untyped_number>, std::vector<std::string>,
                 std::shared_ptr<const array>>;

enum class value_kind { flag, integer, number, string, integers, numbers, strings };

// Words for messages about what a value must be: "a whole number".
const char* words_for(value_kind k);

// The kind of values that are read as a type.
template <class T>
constexpr value_kind kind_of() {
  if constexpr (std::is_same_v<T, bool>) return value_kind::flag;
  else if constexpr (std::is_same_v<T, std::int64_t>) return value_kind::integer;
  else if constexpr (std::is_same_v<T, float>) return value_kind::number;
  else if constexpr (std::is_same_v<T, std::string>) return value_kind::string;
  else if constexpr (std::is_same_v<T, dims>) return value_kind::integers;
  else if constexpr (std::is_same_v<T, std::vector<float>>) return value_kind::numbers;
  else {
    static_assert(std::is_same_v<T, std::vector<std::string>>);
    return value_kind::strings;
  }
}

// The value as this type; nothing: it is of another kind. A typed number is of its own kind alone;
// an untyped one is whole if it has no fraction, a flag if it is 0 or 1, and a list of one.
template <class T>
std::optional<T> read_as(const plain_value& v);
template <>
std::optional<bool> read_as(const plain_value& v);
template <>
std::optional<std::int64_t> read_as(const plain_value& v);
template <>
std::optional<float> read_as(const plain_value& v);
template <>
std::optional<std::string> read_as(const plain_value& v);
template <>
std::optional<dims> read_as(const plain_value& v);
template <>
std::optional<std::vector<float>> read_as(const plain_value& v);
template <>
std::optional<std::vector<std::string>> read_as(const plain_value& v);

// The value in a message, which is cut where it is long; empty: it is one of the format's own.
std::string shown(const plain_value& v);

}  // namespace nvdlac::import::hub

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/hub/plain_value.ipp>
#endif
