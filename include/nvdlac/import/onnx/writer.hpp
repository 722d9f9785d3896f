// SPDX-License-Identifier: Apache-2.0
#pragma once
// Makes ONNX models in memory, for formats that are read in ONNX's terms.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/onnx/schema.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::onnx_format {

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
  void set(const char* name, std::int64_t v) {
    const auto* f = field(name);
    if (f->cpp_type() == proto::pb::FieldDescriptor::CPPTYPE_INT64) reflection().SetInt64(m_, f, v);
    else if (f->cpp_type() == proto::pb::FieldDescriptor::CPPTYPE_ENUM)
      reflection().SetEnumValue(m_, f, static_cast<int>(v));
    else reflection().SetInt32(m_, f, static_cast<std::int32_t>(v));
  }
  void clear(const char* name) { reflection().ClearField(m_, field(name)); }
  void copy(const proto::pb::Message& from) { m_->CopyFrom(from); }
  void append(const char* name, const std::string& v) {
    reflection().AddString(m_, field(name), v);
  }
  void append(const char* name, const std::vector<float>& values) {
    for (const float v : values) reflection().AddFloat(m_, field(name), v);
  }
  void append(const char* name, const dims& values) {
    const auto* f = field(name);
    for (const auto v : values)
      if (f->cpp_type() == proto::pb::FieldDescriptor::CPPTYPE_INT64)
        reflection().AddInt64(m_, f, v);
      else reflection().AddInt32(m_, f, static_cast<std::int32_t>(v));
  }

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
             const std::string& first = {}) {
    value(graph_.add("input"), name, shape, type, first);
  }
  void output(const std::string& name) { graph_.add("output").set("name", name); }
  void node(const std::string& type, const std::string& name,
            const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
            const std::vector<attribute>& attributes = {}) {
    auto n = graph_.add("node");
    n.set("op_type", type);
    n.set("name", name);
    for (const auto& i : inputs) n.append("input", i);
    for (const auto& o : outputs) n.append("output", o);
    for (const auto& given : attributes) {
      auto a = n.add("attribute");
      a.set("name", given.name);
      const auto type_is = [&](std::int64_t number) { a.set("type", number); };
      if (const auto* i = std::get_if<std::int64_t>(&given.value)) a.set("i", *i), type_is(2);
      if (const auto* f = std::get_if<float>(&given.value)) a.set("f", *f), type_is(1);
      if (const auto* s = std::get_if<std::string>(&given.value)) a.set("s", *s), type_is(3);
      if (const auto* d = std::get_if<dims>(&given.value)) a.append("ints", *d), type_is(7);
    }
  }
  // A constant; integers may be of another type than int64, by its number in TensorProto.
  void constant(const std::string& name, const array& a, std::int64_t integer_type = 7) {
    auto t = graph_.add("initializer");
    t.set("name", name);
    t.append("dims", a.shape);
    t.set("data_type", a.real ? std::int64_t{1} : integer_type);
    if (a.real)
      t.set("raw_data", std::string(reinterpret_cast<const char*>(a.reals.data()),
                                    a.reals.size() * sizeof(float)));
    else t.append(integer_type == 7 ? "int64_data" : "int32_data", a.integers);
  }

 private:
  static void value(editor to, const std::string& name, const dims& shape, std::int64_t type,
                    const std::string& first) {
    to.set("name", name);
    auto tensor = to.child("type").child("tensor_type");
    tensor.set("elem_type", type);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      auto dim = tensor.child("shape").add("dim");
      dim.set("dim_value", shape[i]);
      if (i == 0 && !first.empty()) dim.set("denotation", first);
    }
  }

  std::unique_ptr<proto::pb::Message> model_;
  editor top_, graph_{top_.child("graph")};
};

}  // namespace nvdlac::import::onnx_format
