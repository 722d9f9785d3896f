// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/import/tensorflow/array.hpp>

namespace nvdlac::import::tensorflow_format {

NVDLAC_IMPL const proto::schema& schema() {
  static const proto::schema built("tensorflow", schema_rows);
  return built;
}

NVDLAC_IMPL bool is_real(std::int64_t type) {
  return type == dt_float || type == dt_double || type == dt_half || type == dt_bfloat16;
}

NVDLAC_IMPL std::string type_name(std::int64_t type) {
  for (const auto& r : schema_rows)
    if (std::string_view(r.message) == "DataType" && r.number == type) return r.name;
  return text("number ", type);
}

NVDLAC_IMPL std::size_t size_of(std::int64_t type) {
  switch (type) {
    case dt_double: case dt_int64: case dt_uint64: return 8;
    case dt_float: case dt_int32: case dt_uint32: return 4;
    case dt_half: case dt_bfloat16: case dt_int16: case dt_uint16: return 2;
    case dt_int8: case dt_uint8: case dt_bool: return 1;
    default: return 0;
  }
}

NVDLAC_IMPL std::optional<dims> shape_of(const proto::view& shape) {
  if (shape.flag("unknown_rank", false)) return std::nullopt;
  if (shape.size("dim") > 8) throw error("its shape has more than 8 dimensions");
  dims d;
  for (const auto& i : shape.children("dim")) {
    d.push_back(i.integer("size", 0));
    if (d.back() < -1) throw error(text("its shape has the dimension ", d.back()));
  }
  return d;
}

NVDLAC_IMPL array from_bytes(std::int64_t type, dims shape, std::string_view bytes) {
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

NVDLAC_IMPL void check_lists(const proto::view& t, const char* own) {
  for (const char* list :
       {"float_val", "double_val", "int_val", "string_val", "scomplex_val", "int64_val", "bool_val",
        "dcomplex_val", "half_val", "uint32_val", "uint64_val"})
    if (list != std::string_view(own) && t.size(list) != 0)
      throw error(text("it is of type ", type_name(t.integer("dtype")), ", but has values in ",
                       list));
}

NVDLAC_IMPL array to_array(const proto::view& t) {
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
