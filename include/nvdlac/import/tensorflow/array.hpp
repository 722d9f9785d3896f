// SPDX-License-Identifier: Apache-2.0
#pragma once
// The types and constants of TensorFlow's files.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/tensorflow/schema.hpp>

namespace nvdlac::import::tensorflow_format {

using onnx_format::array;
using onnx_format::dims;

enum data_type : std::int64_t {
  dt_none = 0, dt_float = 1, dt_double = 2, dt_int32 = 3, dt_uint8 = 4, dt_int16 = 5, dt_int8 = 6,
  dt_string = 7, dt_int64 = 9, dt_bool = 10, dt_bfloat16 = 14, dt_uint16 = 17, dt_half = 19,
  dt_resource = 20, dt_uint32 = 22, dt_uint64 = 23
};

// Variables of the first TensorFlow give references, whose types are 100 further.
inline std::int64_t without_reference(std::int64_t type) { return type > 100 ? type - 100 : type; }

inline bool is_real(std::int64_t type) {
  return type == dt_float || type == dt_double || type == dt_half || type == dt_bfloat16;
}
inline std::string type_name(std::int64_t type) {
  for (const auto& r : schema_rows)
    if (std::string_view(r.message) == "DataType" && r.number == type) return r.name;
  return text("number ", type);
}
// The bytes of an element; 0: a type whose values are not read.
inline std::size_t size_of(std::int64_t type) {
  switch (type) {
    case dt_double: case dt_int64: case dt_uint64: return 8;
    case dt_float: case dt_int32: case dt_uint32: return 4;
    case dt_half: case dt_bfloat16: case dt_int16: case dt_uint16: return 2;
    case dt_int8: case dt_uint8: case dt_bool: return 1;
    default: return 0;
  }
}

// The dimensions of a shape, -1 where one is unknown; nothing: the rank is unknown.
inline std::optional<dims> shape_of(const proto::view& shape) {
  if (shape.flag("unknown_rank", false)) return std::nullopt;
  if (shape.size("dim") > 8) throw error("its shape has more than 8 dimensions");
  dims d;
  for (const auto& i : shape.children("dim")) {
    d.push_back(i.integer("size", 0));
    if (d.back() < -1) throw error(text("its shape has the dimension ", d.back()));
  }
  return d;
}

// Elements of a type from bytes, little endian as the machines this runs on are.
inline array from_bytes(std::int64_t type, dims shape, std::string_view bytes) {
  array a{.shape = std::move(shape), .real = is_real(type)};
  const auto n = static_cast<std::size_t>(onnx_format::count(a.shape)), size = size_of(type);
  if (size == 0) throw error("its values are of type " + type_name(type));
  if (bytes.size() != n * size)
    throw error(text("its values have ", bytes.size(), " bytes instead of ", n * size));
  const auto read = [&]<class Stored>(Stored, auto& to, auto convert) {
    to.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      Stored s;
      std::memcpy(&s, bytes.data() + i * sizeof(Stored), sizeof(Stored));
      to[i] = convert(s);
    }
  };
  const auto integer = [](auto v) { return static_cast<std::int64_t>(v); };
  switch (type) {
    case dt_float: read(float{}, a.reals, [](float v) { return v; }); break;
    case dt_double: read(double{}, a.reals, [](double v) { return static_cast<float>(v); }); break;
    case dt_half: read(std::uint16_t{}, a.reals, onnx_format::from_half); break;
    case dt_bfloat16: read(std::uint16_t{}, a.reals, onnx_format::from_bfloat); break;
    case dt_int64: case dt_uint64: read(std::int64_t{}, a.integers, integer); break;
    case dt_int32: read(std::int32_t{}, a.integers, integer); break;
    case dt_uint32: read(std::uint32_t{}, a.integers, integer); break;
    case dt_int16: read(std::int16_t{}, a.integers, integer); break;
    case dt_uint16: read(std::uint16_t{}, a.integers, integer); break;
    case dt_int8: read(std::int8_t{}, a.integers, integer); break;
    default: read(std::uint8_t{}, a.integers, integer); break;
  }
  return a;
}

// A list that is shorter than the shape goes on with its last value; an empty one is all zeros.
template <class To>
void fill(std::vector<To>& to, std::size_t n, auto values, auto convert) {
  if (values.size() > n)
    throw error(text("it lists ", values.size(), " values instead of ", n));
  to.reserve(n);
  for (const auto v : values) to.push_back(static_cast<To>(convert(v)));
  to.resize(n, to.empty() ? To{} : to.back());
}

// Whether the fields of a tensor hold values of other types than its own.
inline void check_lists(const proto::view& t, const char* own) {
  for (const char* list :
       {"float_val", "double_val", "int_val", "string_val", "scomplex_val", "int64_val", "bool_val",
        "dcomplex_val", "half_val", "uint32_val", "uint64_val"})
    if (list != std::string_view(own) && t.size(list) != 0)
      throw error(text("it is of type ", type_name(t.integer("dtype")), ", but has values in ",
                       list));
}

inline array to_array(const proto::view& t) {
  const auto type = t.integer("dtype");
  const auto shape = shape_of(t.child("tensor_shape"));
  if (!shape) throw error("its constant has no shape");
  const auto n = static_cast<std::size_t>(onnx_format::count(*shape));
  if (const auto& content = t.bytes("tensor_content"); !content.empty()) {
    check_lists(t, "");
    return from_bytes(type, *shape, content);
  }
  array a{.shape = *shape, .real = is_real(type)};
  const auto same = [](auto v) { return v; };
  const auto short_of = [](auto convert) {
    return [convert](std::int32_t v) { return convert(static_cast<std::uint16_t>(v)); };
  };
  const char* list = "int_val";
  switch (type) {
    case dt_float: fill(a.reals, n, t.values<float>(list = "float_val"), same); break;
    case dt_double: fill(a.reals, n, t.values<double>(list = "double_val"), same); break;
    case dt_half:
      fill(a.reals, n, t.values<std::int32_t>(list = "half_val"), short_of(onnx_format::from_half));
      break;
    case dt_bfloat16:
      fill(a.reals, n, t.values<std::int32_t>(list = "half_val"),
           short_of(onnx_format::from_bfloat));
      break;
    case dt_int64: fill(a.integers, n, t.values<std::int64_t>(list = "int64_val"), same); break;
    case dt_bool: fill(a.integers, n, t.values<bool>(list = "bool_val"), same); break;
    case dt_int32: case dt_uint8: case dt_int16: case dt_int8: case dt_uint16:
      fill(a.integers, n, t.values<std::int32_t>(list), same);
      break;
    default: throw error("its values are of type " + type_name(type));
  }
  check_lists(t, list);
  return a;
}

}  // namespace nvdlac::import::tensorflow_format
