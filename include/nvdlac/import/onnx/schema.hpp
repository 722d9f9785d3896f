// SPDX-License-Identifier: Apache-2.0
#pragma once
// The format of ONNX and how a file of it is written.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::onnx_format {

using proto::rule;

// ONNX's messages. A field that is missing here is reported when a file uses it.
inline constexpr proto::row schema_rows[] = {
    {"ModelProto", "ir_version", 1, "int64"},
    {"ModelProto", "producer_name", 2, "string"},
    {"ModelProto", "producer_version", 3, "string"},
    {"ModelProto", "domain", 4, "string"},
    {"ModelProto", "model_version", 5, "int64"},
    {"ModelProto", "doc_string", 6, "string"},
    {"ModelProto", "graph", 7, "GraphProto"},
    {"ModelProto", "opset_import", 8, "OperatorSetIdProto", rule::many},
    {"ModelProto", "metadata_props", 14, "StringStringEntryProto", rule::many},
    {"ModelProto", "training_info", 20, "TrainingInfoProto", rule::many},
    {"ModelProto", "functions", 25, "FunctionProto", rule::many},

    {"OperatorSetIdProto", "domain", 1, "string"},
    {"OperatorSetIdProto", "version", 2, "int64"},
    {"StringStringEntryProto", "key", 1, "string"},
    {"StringStringEntryProto", "value", 2, "string"},

    {"TrainingInfoProto", "initialization", 1, "GraphProto"},
    {"TrainingInfoProto", "algorithm", 2, "GraphProto"},
    {"TrainingInfoProto", "initialization_binding", 3, "StringStringEntryProto", rule::many},
    {"TrainingInfoProto", "update_binding", 4, "StringStringEntryProto", rule::many},

    {"FunctionProto", "name", 1, "string"},
    {"FunctionProto", "input", 4, "string", rule::many},
    {"FunctionProto", "output", 5, "string", rule::many},
    {"FunctionProto", "attribute", 6, "string", rule::many},
    {"FunctionProto", "node", 7, "NodeProto", rule::many},
    {"FunctionProto", "doc_string", 8, "string"},
    {"FunctionProto", "opset_import", 9, "OperatorSetIdProto", rule::many},
    {"FunctionProto", "domain", 10, "string"},
    {"FunctionProto", "attribute_proto", 11, "AttributeProto", rule::many},
    {"FunctionProto", "value_info", 12, "ValueInfoProto", rule::many},
    {"FunctionProto", "overload", 13, "string"},
    {"FunctionProto", "metadata_props", 14, "StringStringEntryProto", rule::many},

    {"GraphProto", "node", 1, "NodeProto", rule::many},
    {"GraphProto", "name", 2, "string"},
    {"GraphProto", "initializer", 5, "TensorProto", rule::many},
    {"GraphProto", "doc_string", 10, "string"},
    {"GraphProto", "input", 11, "ValueInfoProto", rule::many},
    {"GraphProto", "output", 12, "ValueInfoProto", rule::many},
    {"GraphProto", "value_info", 13, "ValueInfoProto", rule::many},
    {"GraphProto", "quantization_annotation", 14, "TensorAnnotation", rule::many},
    {"GraphProto", "sparse_initializer", 15, "SparseTensorProto", rule::many},
    {"GraphProto", "metadata_props", 16, "StringStringEntryProto", rule::many},
    {"TensorAnnotation", "tensor_name", 1, "string"},
    {"TensorAnnotation", "quant_parameter_tensor_names", 2, "StringStringEntryProto", rule::many},

    {"NodeProto", "input", 1, "string", rule::many},
    {"NodeProto", "output", 2, "string", rule::many},
    {"NodeProto", "name", 3, "string"},
    {"NodeProto", "op_type", 4, "string"},
    {"NodeProto", "attribute", 5, "AttributeProto", rule::many},
    {"NodeProto", "doc_string", 6, "string"},
    {"NodeProto", "domain", 7, "string"},
    {"NodeProto", "overload", 8, "string"},
    {"NodeProto", "metadata_props", 9, "StringStringEntryProto", rule::many},

    {"AttributeType", "UNDEFINED", 0, "", rule::value},
    {"AttributeType", "FLOAT", 1, "", rule::value},
    {"AttributeType", "INT", 2, "", rule::value},
    {"AttributeType", "STRING", 3, "", rule::value},
    {"AttributeType", "TENSOR", 4, "", rule::value},
    {"AttributeType", "GRAPH", 5, "", rule::value},
    {"AttributeType", "FLOATS", 6, "", rule::value},
    {"AttributeType", "INTS", 7, "", rule::value},
    {"AttributeType", "STRINGS", 8, "", rule::value},
    {"AttributeType", "TENSORS", 9, "", rule::value},
    {"AttributeType", "GRAPHS", 10, "", rule::value},
    {"AttributeType", "SPARSE_TENSOR", 11, "", rule::value},
    {"AttributeType", "SPARSE_TENSORS", 12, "", rule::value},
    {"AttributeType", "TYPE_PROTO", 13, "", rule::value},
    {"AttributeType", "TYPE_PROTOS", 14, "", rule::value},
    {"AttributeProto", "name", 1, "string"},
    {"AttributeProto", "f", 2, "float"},
    {"AttributeProto", "i", 3, "int64"},
    {"AttributeProto", "s", 4, "bytes"},
    {"AttributeProto", "t", 5, "TensorProto"},
    {"AttributeProto", "g", 6, "GraphProto"},
    {"AttributeProto", "floats", 7, "float", rule::many},
    {"AttributeProto", "ints", 8, "int64", rule::many},
    {"AttributeProto", "strings", 9, "bytes", rule::many},
    {"AttributeProto", "tensors", 10, "TensorProto", rule::many},
    {"AttributeProto", "graphs", 11, "GraphProto", rule::many},
    {"AttributeProto", "doc_string", 13, "string"},
    {"AttributeProto", "tp", 14, "TypeProto"},
    {"AttributeProto", "type_protos", 15, "TypeProto", rule::many},
    {"AttributeProto", "type", 20, "AttributeType"},
    {"AttributeProto", "ref_attr_name", 21, "string"},
    {"AttributeProto", "sparse_tensor", 22, "SparseTensorProto"},
    {"AttributeProto", "sparse_tensors", 23, "SparseTensorProto", rule::many},

    {"Segment", "begin", 1, "int64"},
    {"Segment", "end", 2, "int64"},
    {"DataLocation", "DEFAULT", 0, "", rule::value},
    {"DataLocation", "EXTERNAL", 1, "", rule::value},
    {"TensorProto", "dims", 1, "int64", rule::many},
    {"TensorProto", "data_type", 2, "int32"},
    {"TensorProto", "segment", 3, "Segment"},
    {"TensorProto", "float_data", 4, "float", rule::many},
    {"TensorProto", "int32_data", 5, "int32", rule::many},
    {"TensorProto", "string_data", 6, "bytes", rule::many},
    {"TensorProto", "int64_data", 7, "int64", rule::many},
    {"TensorProto", "name", 8, "string"},
    {"TensorProto", "raw_data", 9, "bytes"},
    {"TensorProto", "double_data", 10, "double", rule::many},
    {"TensorProto", "uint64_data", 11, "uint64", rule::many},
    {"TensorProto", "doc_string", 12, "string"},
    {"TensorProto", "external_data", 13, "StringStringEntryProto", rule::many},
    {"TensorProto", "data_location", 14, "DataLocation"},
    {"TensorProto", "metadata_props", 16, "StringStringEntryProto", rule::many},
    {"SparseTensorProto", "values", 1, "TensorProto"},
    {"SparseTensorProto", "indices", 2, "TensorProto"},
    {"SparseTensorProto", "dims", 3, "int64", rule::many},

    {"ValueInfoProto", "name", 1, "string"},
    {"ValueInfoProto", "type", 2, "TypeProto"},
    {"ValueInfoProto", "doc_string", 3, "string"},
    {"ValueInfoProto", "metadata_props", 4, "StringStringEntryProto", rule::many},
    {"TypeProto", "tensor_type", 1, "TensorTypeProto"},
    {"TypeProto", "sequence_type", 4, "SequenceTypeProto"},
    {"TypeProto", "map_type", 5, "MapTypeProto"},
    {"TypeProto", "denotation", 6, "string"},
    {"TypeProto", "sparse_tensor_type", 8, "TensorTypeProto"},
    {"TypeProto", "optional_type", 9, "SequenceTypeProto"},
    {"TensorTypeProto", "elem_type", 1, "int32"},
    {"TensorTypeProto", "shape", 2, "TensorShapeProto"},
    {"SequenceTypeProto", "elem_type", 1, "TypeProto"},
    {"MapTypeProto", "key_type", 1, "int32"},
    {"MapTypeProto", "value_type", 2, "TypeProto"},
    {"TensorShapeProto", "dim", 1, "Dimension", rule::many},
    {"Dimension", "dim_value", 1, "int64"},
    {"Dimension", "dim_param", 2, "string"},
    {"Dimension", "denotation", 3, "string"},
};

const proto::schema& schema();

// Makes ONNX models in memory, for formats that are read in ONNX's terms.

struct attribute {
  std::string name;
  std::variant<std::int64_t, float, std::string, dims> value;
};

// Sets the fields of a message by their names; the types must be those of the schema.
class editor {
 public:
  explicit editor(proto::pb::Message& m) : m_(&m) {}

  editor child(const char* name) { return editor(*reflection().MutableMessage(m_, field(name))); }
  editor add(const char* name) { return editor(*reflection().AddMessage(m_, field(name))); }
  void set(const char* name, const std::string& v) { reflection().SetString(m_, field(name), v); }
  void set(const char* name, float v) { reflection().SetFloat(m_, field(name), v); }
  void set(const char* name, std::int64_t v);
  void clear(const char* name) { reflection().ClearField(m_, field(name)); }
  void copy(const proto::pb::Message& from) { m_->CopyFrom(from); }
  void append(const char* name, const std::string& v) {
    reflection().AddString(m_, field(name), v);
  }
  void append(const char* name, const std::vector<float>& values) {
    for (const float v : values) reflection().AddFloat(m_, field(name), v);
  }
  void append(const char* name, const dims& values);

 private:
  const proto::pb::FieldDescriptor* field(const char* name) const {
    return m_->GetDescriptor()->FindFieldByName(name);
  }
  const proto::pb::Reflection& reflection() const { return *m_->GetReflection(); }

  proto::pb::Message* m_;
};

class writer {
 public:
  explicit writer(std::int64_t opset) : model_(schema().make("ModelProto")), top_(*model_) {
    top_.add("opset_import").set("version", opset);
  }

  proto::view model() const { return proto::view(*model_); }

  // An input of real numbers, or of another type by its number in TensorProto. ONNX has a word for
  // what its first dimension is: "DATA_BATCH" for one that counts pictures.
  void input(const std::string& name, const dims& shape, std::int64_t type = 1,
             const std::string& first = {});
  void output(const std::string& name) { graph_.add("output").set("name", name); }
  void node(const std::string& type, const std::string& name,
            const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
            const std::vector<attribute>& attributes = {});
  // A constant; integers may be of another type than int64, by its number in TensorProto.
  void constant(const std::string& name, const array& a, std::int64_t integer_type = 7);

 private:
  static void value(editor to, const std::string& name, const dims& shape, std::int64_t type,
                    const std::string& first);

  std::unique_ptr<proto::pb::Message> model_;
  editor top_, graph_{top_.child("graph")};
};

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/schema.ipp>
#endif
