// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <flatbuffers/flatbuffers.h>

#include <nvdlac/import/tflite.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/verify.hpp>

#include "files.hpp"
#include "in_file.hpp"

// Small TensorFlow Lite models, written by FlatBuffers' own builder.
namespace tflite_model {

using namespace nvdlac;

using ints = std::vector<std::int32_t>;
using floats = std::vector<float>;

struct grid {
  floats scales{};
  std::vector<std::int64_t> zeros{};
  std::int32_t axis = 0;
};
// A field of a table: a byte, an int, a float or a list of ints.
struct option {
  int field;
  std::variant<std::int8_t, std::int32_t, float, ints> value;
};
inline option byte(int field, int v) { return {field, static_cast<std::int8_t>(v)}; }
inline option integer(int field, std::int32_t v) { return {field, v}; }
inline option number(int field, float v) { return {field, v}; }
inline option list(int field, ints v) { return {field, std::move(v)}; }

// How a sparse constant is kept: the order of its levels, the dimensions that its blocks divide,
// and each level, of which all places are kept or those that are listed.
struct sparse_level {
  std::int32_t size = 0;
  ints segments{}, indices{};
};
struct sparsity {
  ints order{}, blocks{};
  std::vector<sparse_level> levels{};
};

enum type : std::int8_t { float32 = 0, float16 = 1, int32 = 2, uint8 = 3, int64 = 4, int16 = 7,
                          int8 = 9 };

class builder {
 public:
  // A tensor that is computed; the index of it.
  std::int32_t tensor(const std::string& name, const ints& shape, type t = float32,
                      const grid& g = {}) {
    tensors_.push_back({name, shape, t, g, 0});
    return static_cast<std::int32_t>(tensors_.size() - 1);
  }
  template <class T>
  std::int32_t constant(const std::string& name, const ints& shape, const std::vector<T>& values,
                        type t, const grid& g = {}) {
    std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    buffers_.push_back(bytes);
    tensors_.push_back({name, shape, t, g, static_cast<std::uint32_t>(buffers_.size())});
    return static_cast<std::int32_t>(tensors_.size() - 1);
  }
  std::int32_t real(const std::string& name, const ints& shape, const floats& values) {
    return constant(name, shape, values, float32);
  }
  std::int32_t integers(const std::string& name, const ints& values) {
    return constant(name, {static_cast<std::int32_t>(values.size())}, values, int32);
  }
  void op(std::int32_t code, const ints& in, const ints& out, int options_type = 0,
          const std::vector<option>& options = {}, const std::string& custom = {}) {
    operators_.push_back({code, in, out, options_type, options, custom, {}});
  }
  // A custom operator, whose options are a FlexBuffer.
  void custom(const std::string& name, const ints& in, const ints& out,
              const std::vector<std::uint8_t>& options) {
    operators_.push_back({32, in, out, 0, {}, name, options});
  }
  // Sets a field of a tensor that tells more than this builder knows.
  void set_flag(std::int32_t tensor, int field) {
    tensors_[static_cast<std::size_t>(tensor)].flag = field;
  }

  void set_sparse(std::int32_t tensor, const sparsity& how) {
    tensors_[static_cast<std::size_t>(tensor)].sparse = how;
  }

  std::string file(const ints& inputs, const ints& outputs, std::uint32_t version = 3) const {
    flatbuffers::FlatBufferBuilder b;
    using offset = flatbuffers::Offset<void>;
    std::vector<offset> tensors, buffers, codes, operators;
    buffers.push_back(table(b, {}, {}));
    for (const auto& bytes : buffers_) {
      b.ForceVectorAlignment(bytes.size(), 1, 16);
      buffers.push_back(table(b, {}, {{0, b.CreateVector(bytes).o}}));
    }
    for (const auto& t : tensors_) {
      std::vector<reference> parts = {{0, b.CreateVector(t.shape).o},
                                      {3, b.CreateString(t.name).o}};
      if (!t.g.scales.empty())
        parts.push_back({4, table(b, {integer(6, t.g.axis)},
                                  {{2, b.CreateVector(t.g.scales).o},
                                   {3, b.CreateVector(t.g.zeros).o}}).o});
      if (t.flag == 6) parts.push_back({6, table(b, {}, {}).o});
      if (!t.sparse.levels.empty()) parts.push_back({6, sparse_table(b, t.sparse)});
      std::vector<option> fields = {byte(1, t.t), integer(2, static_cast<std::int32_t>(t.buffer))};
      if (t.flag == 5) fields.push_back(byte(5, 1));
      tensors.push_back(table(b, fields, parts));
    }
    for (const auto& o : operators_) {
      std::vector<reference> kind;
      if (!o.custom.empty()) kind.push_back({1, b.CreateString(o.custom).o});
      codes.push_back(table(b, {byte(0, std::min(o.code, 127)), integer(3, o.code)}, kind));
      std::vector<reference> lists;
      for (const auto& f : o.options)
        if (const auto* v = std::get_if<ints>(&f.value))
          lists.push_back({f.field, b.CreateVector(*v).o});
      std::vector<reference> parts = {{1, b.CreateVector(o.in).o}, {2, b.CreateVector(o.out).o}};
      if (o.code == 32 && !o.custom.empty())
        parts.push_back({5, b.CreateVector(o.custom_options).o});
      else parts.push_back({4, table(b, o.options, lists).o});
      operators.push_back(
          table(b, {integer(0, static_cast<std::int32_t>(codes.size() - 1)),
                    byte(3, o.options_type)}, parts));
    }
    const auto graph = table(b, {}, {{0, b.CreateVector(tensors).o},
                                     {1, b.CreateVector(inputs).o},
                                     {2, b.CreateVector(outputs).o},
                                     {3, b.CreateVector(operators).o}});
    const std::vector<offset> graphs = {graph};
    b.Finish(table(b, {integer(0, static_cast<std::int32_t>(version))},
                   {{1, b.CreateVector(codes).o},
                    {2, b.CreateVector(graphs).o},
                    {4, b.CreateVector(buffers).o}}),
             "TFL3");
    return {reinterpret_cast<const char*>(b.GetBufferPointer()), b.GetSize()};
  }

 private:
  struct tensor_entry {
    std::string name;
    ints shape;
    type t;
    grid g;
    std::uint32_t buffer;
    int flag = 0;
    sparsity sparse{};
  };
  struct operator_entry {
    std::int32_t code;
    ints in, out;
    int options_type;
    std::vector<option> options;
    std::string custom;
    std::vector<std::uint8_t> custom_options;
  };
  struct reference {
    int field;
    flatbuffers::uoffset_t to;
  };
  static flatbuffers::Offset<void> table(flatbuffers::FlatBufferBuilder& b,
                                         const std::vector<option>& values,
                                         const std::vector<reference>& references) {
    const auto field = [](int n) { return static_cast<flatbuffers::voffset_t>(4 + 2 * n); };
    b.ForceDefaults(true);
    const auto start = b.StartTable();
    for (const auto& v : values)
      std::visit(
          [&](const auto& x) {
            if constexpr (std::is_arithmetic_v<std::decay_t<decltype(x)>>)
              b.AddElement(field(v.field), x, std::decay_t<decltype(x)>{});
          },
          v.value);
    for (const auto& r : references)
      b.AddOffset(field(r.field), flatbuffers::Offset<void>(r.to));
    return {b.EndTable(start)};
  }

  static flatbuffers::uoffset_t sparse_table(flatbuffers::FlatBufferBuilder& b,
                                             const sparsity& how) {
    std::vector<flatbuffers::Offset<void>> levels;
    const auto list_of = [&](const ints& v) { return table(b, {}, {{0, b.CreateVector(v).o}}).o; };
    for (const auto& l : how.levels) {
      const bool listed = !l.segments.empty();
      std::vector<reference> lists;
      if (listed) lists = {{3, list_of(l.segments)}, {5, list_of(l.indices)}};
      levels.push_back(table(b, {byte(0, listed ? 1 : 0), integer(1, l.size),
                                 byte(2, listed ? 1 : 0), byte(4, listed ? 1 : 0)}, lists));
    }
    return table(b, {}, {{0, b.CreateVector(how.order).o}, {1, b.CreateVector(how.blocks).o},
                         {2, b.CreateVector(levels).o}}).o;
  }

  std::vector<tensor_entry> tensors_;
  std::vector<operator_entry> operators_;
  std::vector<std::vector<std::uint8_t>> buffers_;
};

// One operator from x to y, with constants as further inputs.
inline std::string one(const ints& from, const ints& to, std::int32_t code, int options_type = 0,
                       const std::vector<option>& options = {}) {
  builder b;
  const auto x = b.tensor("x", from), y = b.tensor("y", to);
  b.op(code, {x}, {y}, options_type, options);
  return b.file({x}, {y});
}
inline std::string with_constant(const ints& from, const ints& to, std::int32_t code,
                                 const ints& shape, const floats& k, bool constant_first = false,
                                 int options_type = 0, const std::vector<option>& options = {}) {
  builder b;
  const auto x = b.tensor("x", from), y = b.tensor("y", to), c = b.real("k", shape, k);
  b.op(code, constant_first ? ints{c, x} : ints{x, c}, {y}, options_type, options);
  return b.file({x}, {y});
}
inline std::string with_integers(const ints& from, const ints& to, std::int32_t code,
                                 const std::vector<ints>& k, int options_type = 0,
                                 const std::vector<option>& options = {}) {
  builder b;
  ints in{b.tensor("x", from)};
  const auto y = b.tensor("y", to);
  for (const auto& one_list : k) in.push_back(b.integers("k", one_list));
  b.op(code, in, {y}, options_type, options);
  return b.file({in[0]}, {y});
}

inline import::network read(const std::string& file) {
  auto n = import::tflite_network_from(file, "net.tflite");
  for (const auto& p : net::verify(n.graph)) FAIL_CHECK(to_string(p));
  return n;
}
inline std::string refused(const std::string& file) {
  return complaints([&] { (void)read(file); });
}

// A tensor [h][w][c] of the file as a cube, and back.
inline net::float_tensor cube(net::shape s, const floats& channels_last) {
  net::float_tensor t{s};
  const auto area = static_cast<std::size_t>(s.h * s.w), c = static_cast<std::size_t>(s.c);
  for (std::size_t i = 0; i < t.values.size(); ++i)
    t.values[i % c * area + i / c] = channels_last[i];
  return t;
}
inline floats channels_last(const net::float_tensor& t) {
  floats y(t.values.size());
  const auto area = static_cast<std::size_t>(t.shape.h * t.shape.w),
             c = static_cast<std::size_t>(t.shape.c);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = t.values[i % c * area + i / c];
  return y;
}
// 0.1, -0.2, 0.3, ..
inline floats ramp(std::size_t n, float step = 0.1F) {
  floats v(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = step * static_cast<float>(i + 1) * (i % 2 == 0 ? 1.0F : -1.0F);
  return v;
}
// The first output, as the file has it, for the ramp as the one input.
inline floats run(const std::string& file) {
  const auto g = read(file).graph;
  const auto s = g[net::input_nodes(g).at(0)].shape;
  return in_file::outputs(g, cube(s, ramp(s.size()))).at(0).values;
}
inline void check_close(const floats& found, const floats& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-5));
}

}  // namespace tflite_model
