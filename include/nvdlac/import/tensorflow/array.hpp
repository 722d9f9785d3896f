// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/count.hpp>
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

const proto::schema& schema();

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

bool is_real(std::int64_t type);
std::string type_name(std::int64_t type);
// The bytes of an element; 0: a type whose values are not read.
std::size_t size_of(std::int64_t type);

// The dimensions of a shape, -1 where one is unknown; nothing: the rank is unknown.
std::optional<dims> shape_of(const proto::view& shape);

// Elements of a type from bytes, little endian as the machines this runs on are.
array from_bytes(std::int64_t type, dims shape, std::string_view bytes);

// A list that is shorter than the shape goes on with its last value; an empty one is all zeros.
template <class To>
void fill(std::vector<To>& to, std::size_t n, auto values, auto convert) {
  if (values.size() > n)
    throw error(text("it lists ", count_of(values.size(), "value"), " instead of ", n));
  to.reserve(n);
  for (const auto v : values) to.push_back(static_cast<To>(convert(v)));
  to.resize(n, to.empty() ? To{} : to.back());
}

// Whether the fields of a tensor hold values of other types than its own.
void check_lists(const proto::view& t, const char* own);

array to_array(const proto::view& t);

}  // namespace nvdlac::import::tensorflow_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/tensorflow/array.ipp>
#endif
