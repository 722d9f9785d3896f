// SPDX-License-Identifier: Apache-2.0
#include "onnx.hpp"

#include <bit>
#include <cstring>
#include <string_view>

namespace nvdlac::judge {
namespace {

// A message of protobuf, field by field; what is 0 by default is written as well.
class message {
 public:
  message& number(int field, std::int64_t v) {
    varint(static_cast<std::uint64_t>(field) << 3);
    varint(static_cast<std::uint64_t>(v));
    return *this;
  }
  message& real(int field, float v) {
    varint(static_cast<std::uint64_t>(field) << 3 | 5);
    append(std::bit_cast<std::uint32_t>(v));
    return *this;
  }
  message& bytes(int field, std::string_view v) {
    varint(static_cast<std::uint64_t>(field) << 3 | 2);
    varint(v.size());
    bytes_ += v;
    return *this;
  }
  message& nested(int field, const message& m) { return bytes(field, m.bytes_); }
  const std::string& text() const { return bytes_; }

 private:
  void varint(std::uint64_t v) {
    for (; v >= 0x80; v >>= 7) bytes_ += static_cast<char>(v | 0x80);
    bytes_ += static_cast<char>(v);
  }
  void append(std::uint32_t v) {
    for (int i = 0; i < 4; ++i) bytes_ += static_cast<char>(v >> 8 * i);
  }

  std::string bytes_{};
};

// TensorProto.raw_data, little-endian.
template <class T>
void append(std::string& raw, double v) {
  const auto x = static_cast<T>(v);
  char bytes[sizeof(T)];
  std::memcpy(bytes, &x, sizeof(T));
  raw.append(bytes, sizeof(T));
}
message tensor_of(const constant& c) {
  message m;
  for (const auto d : c.shape) m.number(1, d);
  m.number(2, static_cast<int>(c.type)).bytes(8, c.name);
  std::string raw;
  for (const double v : c.values) switch (c.type) {
      case element::real: append<float>(raw, v); break;
      case element::uint8: append<std::uint8_t>(raw, v); break;
      case element::int8: append<std::int8_t>(raw, v); break;
      case element::int32: append<std::int32_t>(raw, v); break;
      case element::int64: append<std::int64_t>(raw, v); break;
      case element::boolean: append<std::uint8_t>(raw, v); break;
    }
  return m.bytes(9, raw);
}

message info_of(const value& v) {
  message tensor;
  tensor.number(1, static_cast<int>(v.type));
  if (!v.shape.empty()) {
    message shape;
    for (const auto d : v.shape) shape.nested(1, message().number(1, d));
    tensor.nested(2, shape);
  }
  return message().bytes(1, v.name).nested(2, message().nested(1, tensor));
}

// AttributeProto's fields and its types FLOAT, INT, STRING, FLOATS and INTS.
struct attribute_writer {
  message& to;
  void operator()(float v) const { to.real(2, v).number(20, 1); }
  void operator()(std::int64_t v) const { to.number(3, v).number(20, 2); }
  void operator()(const std::string& v) const { to.bytes(4, v).number(20, 3); }
  void operator()(const std::vector<float>& all) const {
    for (const float v : all) to.real(7, v);
    to.number(20, 6);
  }
  void operator()(const std::vector<std::int64_t>& all) const {
    for (const auto v : all) to.number(8, v);
    to.number(20, 7);
  }
};

message node_of(const node& n, std::size_t number) {
  message m;
  for (const auto& name : n.inputs) m.bytes(1, name);
  for (const auto& name : n.outputs) m.bytes(2, name);
  m.bytes(3, n.type + '_' + std::to_string(number)).bytes(4, n.type);
  for (const auto& a : n.attributes) {
    message written;
    written.bytes(1, a.name);
    std::visit(attribute_writer{written}, a.value);
    m.nested(5, written);
  }
  if (!n.domain.empty()) m.bytes(7, n.domain);
  return m;
}

}  // namespace

std::string encode(const model& of) {
  message graph;
  for (std::size_t i = 0; i < of.nodes.size(); ++i) graph.nested(1, node_of(of.nodes[i], i));
  graph.bytes(2, "drawn");
  for (const auto& c : of.constants) graph.nested(5, tensor_of(c));
  for (const auto& v : of.inputs) graph.nested(11, info_of(v));
  for (const auto& v : of.outputs) graph.nested(12, info_of(v));
  message file;
  file.number(1, 8).bytes(2, of.producer).nested(7, graph);
  file.nested(8, message().bytes(1, "").number(2, of.opset));
  bool microsoft = false;
  for (const auto& n : of.nodes) microsoft = microsoft || n.domain == "com.microsoft";
  if (microsoft) file.nested(8, message().bytes(1, "com.microsoft").number(2, 1));
  return file.text();
}

}  // namespace nvdlac::judge
