// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/onnx/schema.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL const proto::schema& schema() {
  static const proto::schema built("onnx", schema_rows);
  return built;
}

NVDLAC_IMPL void editor::set(const char* name, std::int64_t v) {
  const auto* f = field(name);
  if (f->cpp_type() == proto::pb::FieldDescriptor::CPPTYPE_INT64) reflection().SetInt64(m_, f, v);
  else if (f->cpp_type() == proto::pb::FieldDescriptor::CPPTYPE_ENUM)
    reflection().SetEnumValue(m_, f, static_cast<int>(v));
  else reflection().SetInt32(m_, f, static_cast<std::int32_t>(v));
}

NVDLAC_IMPL void editor::append(const char* name, const dims& values) {
  const auto* f = field(name);
  for (const auto v : values)
    if (f->cpp_type() == proto::pb::FieldDescriptor::CPPTYPE_INT64)
      reflection().AddInt64(m_, f, v);
    else reflection().AddInt32(m_, f, static_cast<std::int32_t>(v));
}

NVDLAC_IMPL void writer::input(const std::string& name, const dims& shape, std::int64_t type,
                               const std::string& first) {
  value(graph_.add("input"), name, shape, type, first);
}

NVDLAC_IMPL void writer::node(const std::string& type, const std::string& name,
                              const std::vector<std::string>& inputs,
                              const std::vector<std::string>& outputs,
                              const std::vector<attribute>& attributes) {
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

NVDLAC_IMPL void writer::constant(const std::string& name, const array& a,
                                  std::int64_t integer_type) {
  auto t = graph_.add("initializer");
  t.set("name", name);
  t.append("dims", a.shape);
  t.set("data_type", a.real ? std::int64_t{1} : integer_type);
  if (a.real)
    t.set("raw_data", std::string(reinterpret_cast<const char*>(a.reals.data()),
                                  a.reals.size() * sizeof(float)));
  else t.append(integer_type == 7 ? "int64_data" : "int32_data", a.integers);
}

NVDLAC_IMPL void writer::value(editor to, const std::string& name, const dims& shape,
                               std::int64_t type, const std::string& first) {
  to.set("name", name);
  auto tensor = to.child("type").child("tensor_type");
  tensor.set("elem_type", type);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    auto dim = tensor.child("shape").add("dim");
    dim.set("dim_value", shape[i]);
    if (i == 0 && !first.empty()) dim.set("denotation", first);
  }
}

}  // namespace nvdlac::import::onnx_format
