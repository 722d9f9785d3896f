// SPDX-License-Identifier: Apache-2.0
#pragma once
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
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::tensorflow_format {

using proto::rule;

// TensorFlow's messages, so far as a network needs them. What training writes beside it (assets,
// collections, debugging) is not read.
inline constexpr proto::row schema_rows[] = {
    {"DataType", "DT_INVALID", 0, "", rule::value},
    {"DataType", "DT_FLOAT", 1, "", rule::value},
    {"DataType", "DT_DOUBLE", 2, "", rule::value},
    {"DataType", "DT_INT32", 3, "", rule::value},
    {"DataType", "DT_UINT8", 4, "", rule::value},
    {"DataType", "DT_INT16", 5, "", rule::value},
    {"DataType", "DT_INT8", 6, "", rule::value},
    {"DataType", "DT_STRING", 7, "", rule::value},
    {"DataType", "DT_COMPLEX64", 8, "", rule::value},
    {"DataType", "DT_INT64", 9, "", rule::value},
    {"DataType", "DT_BOOL", 10, "", rule::value},
    {"DataType", "DT_QINT8", 11, "", rule::value},
    {"DataType", "DT_QUINT8", 12, "", rule::value},
    {"DataType", "DT_QINT32", 13, "", rule::value},
    {"DataType", "DT_BFLOAT16", 14, "", rule::value},
    {"DataType", "DT_QINT16", 15, "", rule::value},
    {"DataType", "DT_QUINT16", 16, "", rule::value},
    {"DataType", "DT_UINT16", 17, "", rule::value},
    {"DataType", "DT_COMPLEX128", 18, "", rule::value},
    {"DataType", "DT_HALF", 19, "", rule::value},
    {"DataType", "DT_RESOURCE", 20, "", rule::value},
    {"DataType", "DT_VARIANT", 21, "", rule::value},
    {"DataType", "DT_UINT32", 22, "", rule::value},
    {"DataType", "DT_UINT64", 23, "", rule::value},
    {"DataType", "DT_FLOAT_REF", 101, "", rule::value},
    {"DataType", "DT_DOUBLE_REF", 102, "", rule::value},
    {"DataType", "DT_INT32_REF", 103, "", rule::value},
    {"DataType", "DT_INT64_REF", 109, "", rule::value},
    {"DataType", "DT_BOOL_REF", 110, "", rule::value},
    {"DataType", "DT_HALF_REF", 119, "", rule::value},

    {"Dim", "size", 1, "int64"},
    {"Dim", "name", 2, "string"},
    {"TensorShapeProto", "dim", 2, "Dim", rule::many},
    {"TensorShapeProto", "unknown_rank", 3, "bool"},

    {"TensorProto", "dtype", 1, "DataType"},
    {"TensorProto", "tensor_shape", 2, "TensorShapeProto"},
    {"TensorProto", "version_number", 3, "int32"},
    {"TensorProto", "tensor_content", 4, "bytes"},
    {"TensorProto", "float_val", 5, "float", rule::many},
    {"TensorProto", "double_val", 6, "double", rule::many},
    {"TensorProto", "int_val", 7, "int32", rule::many},
    {"TensorProto", "string_val", 8, "bytes", rule::many},
    {"TensorProto", "scomplex_val", 9, "float", rule::many},
    {"TensorProto", "int64_val", 10, "int64", rule::many},
    {"TensorProto", "bool_val", 11, "bool", rule::many},
    {"TensorProto", "dcomplex_val", 12, "double", rule::many},
    {"TensorProto", "half_val", 13, "int32", rule::many},
    {"TensorProto", "uint32_val", 16, "uint32", rule::many},
    {"TensorProto", "uint64_val", 17, "uint64", rule::many},

    {"ListValue", "s", 2, "bytes", rule::many},
    {"ListValue", "i", 3, "int64", rule::many},
    {"ListValue", "f", 4, "float", rule::many},
    {"ListValue", "b", 5, "bool", rule::many},
    {"ListValue", "type", 6, "DataType", rule::many},
    {"ListValue", "shape", 7, "TensorShapeProto", rule::many},
    {"ListValue", "tensor", 8, "TensorProto", rule::many},
    {"ListValue", "func", 9, "NameAttrList", rule::many},
    {"NameAttrList", "name", 1, "string"},
    {"NameAttrList", "attr", 2, "AttrEntry", rule::many},
    {"AttrValue", "list", 1, "ListValue"},
    {"AttrValue", "s", 2, "bytes"},
    {"AttrValue", "i", 3, "int64"},
    {"AttrValue", "f", 4, "float"},
    {"AttrValue", "b", 5, "bool"},
    {"AttrValue", "type", 6, "DataType"},
    {"AttrValue", "shape", 7, "TensorShapeProto"},
    {"AttrValue", "tensor", 8, "TensorProto"},
    {"AttrValue", "placeholder", 9, "string"},
    {"AttrValue", "func", 10, "NameAttrList"},
    {"AttrEntry", "key", 1, "string"},
    {"AttrEntry", "value", 2, "AttrValue"},

    {"DebugInfo", "original_node_names", 1, "string", rule::many},
    {"NodeDef", "name", 1, "string"},
    {"NodeDef", "op", 2, "string"},
    {"NodeDef", "input", 3, "string", rule::many},
    {"NodeDef", "device", 4, "string"},
    {"NodeDef", "attr", 5, "AttrEntry", rule::many},
    {"NodeDef", "experimental_debug_info", 6, "DebugInfo"},
    {"NodeDef", "experimental_type", 7, "DebugInfo"},

    {"ArgDef", "name", 1, "string"},
    {"ArgDef", "type", 3, "DataType"},
    {"OpDef", "name", 1, "string"},
    {"OpDef", "input_arg", 2, "ArgDef", rule::many},
    {"OpDef", "output_arg", 3, "ArgDef", rule::many},
    {"StringEntry", "key", 1, "string"},
    {"StringEntry", "value", 2, "string"},
    {"FunctionDef", "signature", 1, "OpDef"},
    {"FunctionDef", "node_def", 3, "NodeDef", rule::many},
    {"FunctionDef", "ret", 4, "StringEntry", rule::many},
    {"FunctionDefLibrary", "function", 1, "FunctionDef", rule::many},

    {"VersionDef", "producer", 1, "int32"},
    {"VersionDef", "min_consumer", 2, "int32"},
    {"GraphDef", "node", 1, "NodeDef", rule::many},
    {"GraphDef", "library", 2, "FunctionDefLibrary"},
    {"GraphDef", "version", 3, "int32"},
    {"GraphDef", "versions", 4, "VersionDef"},

    {"TensorInfo", "name", 1, "string"},
    {"TensorInfo", "dtype", 2, "DataType"},
    {"TensorInfo", "tensor_shape", 3, "TensorShapeProto"},
    {"TensorInfoEntry", "key", 1, "string"},
    {"TensorInfoEntry", "value", 2, "TensorInfo"},
    {"SignatureDef", "inputs", 1, "TensorInfoEntry", rule::many},
    {"SignatureDef", "outputs", 2, "TensorInfoEntry", rule::many},
    {"SignatureDef", "method_name", 3, "string"},
    {"SignatureEntry", "key", 1, "string"},
    {"SignatureEntry", "value", 2, "SignatureDef"},
    {"MetaInfoDef", "tags", 4, "string", rule::many},
    {"MetaInfoDef", "tensorflow_version", 5, "string"},
    {"MetaGraphDef", "meta_info_def", 1, "MetaInfoDef"},
    {"MetaGraphDef", "graph_def", 2, "GraphDef"},
    {"MetaGraphDef", "signature_def", 5, "SignatureEntry", rule::many},
    {"SavedModel", "saved_model_schema_version", 1, "int64"},
    {"SavedModel", "meta_graphs", 2, "MetaGraphDef", rule::many},

    {"BundleHeaderProto", "num_shards", 1, "int32"},
    {"BundleHeaderProto", "endianness", 2, "int32"},
    {"BundleEntryProto", "dtype", 1, "DataType"},
    {"BundleEntryProto", "shape", 2, "TensorShapeProto"},
    {"BundleEntryProto", "shard_id", 3, "int32"},
    {"BundleEntryProto", "offset", 4, "int64"},
    {"BundleEntryProto", "size", 5, "int64"},
    {"BundleEntryProto", "crc32c", 6, "fixed32"},
    {"BundleEntryProto", "slices", 7, "DebugInfo", rule::many},

    {"SerializedTensor", "name", 1, "string"},
    {"SerializedTensor", "full_name", 2, "string"},
    {"SerializedTensor", "checkpoint_key", 3, "string"},
    {"TrackableObject", "attributes", 2, "SerializedTensor", rule::many},
    {"TrackableObjectGraph", "nodes", 1, "TrackableObject", rule::many},
};

inline const proto::schema& schema() {
  static const proto::schema built("tensorflow", schema_rows);
  return built;
}

// The types and constants of TensorFlow's files.

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
