// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/import/coreml/weights.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import::coreml_format {

// The values of ML programs: in the program, or in the file of weights beside it.

// The files of weights that a program names, below the directory of the program.
class weight_files {
 public:
  explicit weight_files(std::filesystem::path directory) : directory_(std::move(directory)) {}

  // The bytes of the blob whose record stands at this offset.
  std::string blob(const std::string& name, std::int64_t offset) {
    const auto& file = open(name);
    const auto at = static_cast<std::uintmax_t>(offset);
    const auto fail = [&](const char* why) {
      return error(text("its weights at byte ", offset, " of '", name, "' ", why));
    };
    constexpr std::size_t record_size = 64;
    if (offset < 0 || at > file.size() || file.size() - at < record_size)
      throw fail("lie behind its end");
    const auto record = file.read<std::string>(at, record_size);
    std::uint32_t mark = 0;
    std::uint64_t size = 0, from = 0;
    std::memcpy(&mark, record.data(), sizeof mark);
    std::memcpy(&size, record.data() + 8, sizeof size);
    std::memcpy(&from, record.data() + 16, sizeof from);
    if (mark != 0xDEADBEEF) throw fail("have no record");
    if (from > file.size() || size > file.size() - from) throw fail("lie behind its end");
    return file.read<std::string>(from, size);
  }
  // Of all files so far.
  std::uintmax_t bytes(const std::string& name) { return open(name).size(); }
  std::vector<std::filesystem::path> paths() const {
    std::vector<std::filesystem::path> all;
    for (const auto& [name, file] : files_) all.push_back(file.first);
    return all;
  }

 private:
  const data::regular_file& open(const std::string& name) {
    if (const auto found = files_.find(name); found != files_.end()) return found->second.second;
    constexpr std::string_view beside = "@model_path/";
    const std::filesystem::path relative = name.starts_with(beside) ? name.substr(beside.size())
                                                                    : name;
    if (relative.empty() || relative.is_absolute())
      throw error("its weights are in '" + name + "', which is not beside the model");
    auto path = data::file_below(directory_, relative, "");
    data::regular_file file(path);
    return files_.emplace(name, std::pair{std::move(path), std::move(file)})
        .first->second.second;
  }

  std::filesystem::path directory_;
  std::map<std::string, std::pair<std::filesystem::path, data::regular_file>> files_;
};

// The sizes of a type, -1 where one is open.
inline dims shape_of(const proto::view& tensor_type) {
  dims shape;
  for (const auto& d : tensor_type.children("dimensions"))
    shape.push_back(d.has("unknown") ? -1 : d.child("constant").integer("size"));
  return shape;
}
inline bool is_text(const proto::view& value) {
  return value.child("type").child("tensorType").integer("dataType") == 2;
}

class value_reader {
 public:
  value_reader(std::size_t bytes_of_files, weight_files& files)
      : left_(bytes_of_files), files_(files) {}

  array read(const proto::view& value) {
    const auto type = value.child("type").child("tensorType");
    array a{.shape = shape_of(type)};
    const auto n = static_cast<std::uint64_t>(onnx_format::count(a.shape));
    left_.take_weights(n);
    fill(a, value, type.integer("dataType"));
    if (!std::cmp_equal(a.size(), n))
      throw error(text("it has ", a.size(), " values for the shape ",
                       onnx_format::to_text(a.shape)));
    return a;
  }
  // Real numbers that are stored as integers with a scale.
  array dequantised(const proto::view& data, const proto::view& scale, const proto::view& zero,
                    std::int64_t axis) {
    const auto q = read(data), s = read(scale), z = read(zero);
    array a{.shape = q.shape};
    const auto rank = static_cast<std::int64_t>(q.shape.size());
    if (axis < 0) axis += rank;
    std::size_t inner = 1, channels = 1;
    if (s.size() != 1 || z.size() != 1) {
      if (axis < 0 || axis >= rank) throw error(text("its axis is ", axis));
      channels = static_cast<std::size_t>(q.shape[static_cast<std::size_t>(axis)]);
      for (auto i = axis + 1; i < rank; ++i)
        inner *= static_cast<std::size_t>(q.shape[static_cast<std::size_t>(i)]);
    }
    const auto fits = [&](const array& v) { return v.size() == 1 || v.size() == channels; };
    if (!fits(s) || !fits(z)) throw error("its scales do not fit its axis");
    for (std::size_t i = 0; i < q.size(); ++i) {
      const auto c = i / inner % channels;
      a.reals.push_back(static_cast<float>(s.number(s.size() == 1 ? 0 : c) *
                                           (q.number(i) - z.number(z.size() == 1 ? 0 : c))));
    }
    return a;
  }
  // Numbers of a table, by indices that stand one behind the other, each with its lowest bit first.
  array looked_up(const proto::view& indices, const proto::view& table, const proto::view& shape) {
    const auto packed = read(indices), values = read(table), sizes = read(shape);
    array a{};
    for (std::size_t i = 0; i < sizes.size(); ++i)
      a.shape.push_back(static_cast<std::int64_t>(sizes.number(i)));
    const auto n = static_cast<std::uint64_t>(onnx_format::count(a.shape));
    left_.take_weights(n);
    std::uint64_t bits = 0;
    while (bits < 9 && std::uint64_t{1} << bits < values.size()) ++bits;
    if (bits < 1 || bits > 8 || values.size() != std::size_t{1} << bits ||
        packed.size() != (n * bits + 7) / 8 || packed.real)
      throw error(text("its table of ", values.size(), " values does not fit its ", packed.size(),
                       " bytes of indices"));
    for (std::uint64_t i = 0; i < n; ++i) {
      std::size_t v = 0;
      for (std::uint64_t b = 0; b < bits; ++b) {
        const auto at = i * bits + b;
        v |= static_cast<std::size_t>(packed.integers[at / 8] >> at % 8 & 1) << b;
      }
      a.reals.push_back(static_cast<float>(values.number(v)));
    }
    return a;
  }

 private:
  void fill(array& a, const proto::view& value, std::int64_t type) {
    if (value.has("blobFileValue")) {
      const auto where = value.child("blobFileValue");
      return unpack(a, files_.blob(where.string("fileName"), where.integer("offset")), type);
    }
    const auto tensor = value.child("immediateValue").child("tensor");
    if (tensor.has("bytes")) {
      const auto bytes = tensor.child("bytes");
      return unpack(a, bytes.has("values") ? bytes.bytes("values") : std::string(), type);
    }
    if (tensor.has("floats")) {
      a.reals = tensor.child("floats").values<float>("values");
      return;
    }
    a.real = false;
    if (tensor.has("longInts")) {
      a.integers = tensor.child("longInts").values<std::int64_t>("values");
    } else if (tensor.has("ints")) {
      for (const auto v : tensor.child("ints").values<std::int32_t>("values"))
        a.integers.push_back(v);
    } else if (tensor.has("bools")) {
      for (const bool v : tensor.child("bools").values<bool>("values"))
        a.integers.push_back(v ? 1 : 0);
    } else {
      throw error(problem{.reason = "its value is in a form that is not understood",
                          .remedy = "tensors of numbers are"});
    }
  }
  template <class Stored>
  static void integers_in(array& a, std::string_view raw) {
    a.real = false;
    for (std::size_t i = 0; i + sizeof(Stored) <= raw.size(); i += sizeof(Stored)) {
      Stored s{};
      std::memcpy(&s, raw.data() + i, sizeof s);
      a.integers.push_back(static_cast<std::int64_t>(s));
    }
  }
  static void unpack(array& a, std::string_view raw, std::int64_t type) {
    switch (type) {
      case 10: a.reals = from_halves(raw); return;
      case 11:
        a.reals.resize(raw.size() / sizeof(float));
        if (!a.reals.empty())
          std::memcpy(a.reals.data(), raw.data(), a.reals.size() * sizeof(float));
        return;
      case 1: case 31: return integers_in<std::uint8_t>(a, raw);
      case 21: return integers_in<std::int8_t>(a, raw);
      case 22: return integers_in<std::int16_t>(a, raw);
      case 23: return integers_in<std::int32_t>(a, raw);
      case 24: return integers_in<std::int64_t>(a, raw);
      case 32: return integers_in<std::uint16_t>(a, raw);
      case 33: return integers_in<std::uint32_t>(a, raw);
      default:
        throw error(problem{.reason = text("its data type ", type, " is not supported"),
                            .remedy = "real numbers of 16 and 32 bits and integers are"});
    }
  }

  onnx_format::constant_elements left_;
  weight_files& files_;
};

// One operation of an ML program: its inputs have names, and all that it is told is an input.

using translation::operand;

// The values that operations of the type const give, by their names.
using constants = std::map<std::string, proto::view>;

class operation {
 public:
  operation(const proto::view& op, const translation::file_layer& l, const constants& known,
            value_reader& values, translation::channels_first_translator& all)
      : layer_(l), known_(known), values_(values), all_(all) {
    for (const auto& entry : op.children("inputs"))
      if (!inputs_.emplace(entry.string("key"), entry.child("value").children("arguments")).second)
        throw error("its input " + entry.string("key") + " is given twice");
  }

  translation::layer_writer& to() const { return all_.to(); }
  const std::string& name() const { return layer_.name; }
  std::string name(const char* step) const { return layer_.name + '/' + step; }
  std::size_t outputs() const { return layer_.outputs.size(); }

  bool has(const char* key) const { return find(key) != nullptr; }
  operand tensor(const char* key = "x") const {
    const auto all = tensors(key);
    if (all.size() != 1) throw error(text("its input ", key, " has ", all.size(), " tensors"));
    return all[0];
  }
  std::vector<operand> tensors(const char* key) const {
    const auto* given = find(key);
    if (given == nullptr) throw error(text("its input ", key, " is missing"));
    std::vector<operand> found;
    for (const auto& b : *given)
      found.push_back(b.has("name") ? all_.at(b.string("name"))
                                    : operand::of(values_.read(b.child("value"))));
    return found;
  }
  std::optional<operand> optional(const char* key) const {
    return has(key) ? std::optional(tensor(key)) : std::nullopt;
  }
  std::optional<dims> integers(const char* key) const {
    if (!has(key)) return std::nullopt;
    const auto a = constant(key);
    if (a.real) throw error(text("its input ", key, " has no integers"));
    return a.integers;
  }
  // One for each of the window's two dimensions.
  dims pair(const char* key, std::int64_t otherwise) const {
    const auto found = integers(key).value_or(dims{otherwise, otherwise});
    if (found.size() != 2)
      throw error(problem{.reason = text("its ", key, " are ", onnx_format::to_text(found)),
                          .remedy = "windows of two dimensions are supported"});
    return found;
  }
  std::vector<bool> flags(const char* key) const {
    std::vector<bool> all;
    for (const auto i : integers(key).value_or(dims{})) all.push_back(i != 0);
    return all;
  }
  std::int64_t integer(const char* key, std::int64_t otherwise) const {
    return has(key) ? static_cast<std::int64_t>(single(key)) : otherwise;
  }
  bool flag(const char* key, bool otherwise = false) const {
    return integer(key, otherwise ? 1 : 0) != 0;
  }
  float number(const char* key, double otherwise) const {
    return static_cast<float>(has(key) ? single(key) : otherwise);
  }
  std::string word(const char* key, const std::string& otherwise) const {
    if (!has(key)) return otherwise;
    const auto texts = value(key).child("immediateValue").child("tensor").child("strings");
    const auto all = texts.has("values") ? texts.strings("values") : std::vector<std::string>{};
    if (all.size() != 1) throw error(text("its input ", key, " is no text"));
    return all[0];
  }
  std::int64_t axis(const char* key, std::int64_t otherwise, std::size_t rank) const {
    return onnx_format::checked_axis(integer(key, otherwise), rank);
  }
  void require_understood() const {
    std::vector<problem> wrong;
    for (const auto& [key, ignored] : inputs_)
      if (!used_.contains(key))
        wrong.push_back({.reason = "its input " + key + " is not understood",
                         .remedy = "understood are " +
                                   nvdlac::joined({used_.begin(), used_.end()})});
    if (!wrong.empty()) throw error(wrong);
  }

 private:
  const std::vector<proto::view>* find(const char* key) const {
    used_.insert(key);
    const auto found = inputs_.find(key);
    return found == inputs_.end() ? nullptr : &found->second;
  }
  // What must be known when the file is read.
  proto::view value(const char* key) const {
    const auto* given = find(key);
    if (given == nullptr || given->size() != 1)
      throw error(text("its input ", key, " is not one value"));
    const auto& b = given->front();
    if (!b.has("name")) return b.child("value");
    const auto found = known_.find(b.string("name"));
    if (found == known_.end())
      throw error(problem{.reason = text("its input ", key, " is computed"),
                          .remedy = "it must be known when the file is read"});
    return found->second;
  }
  array constant(const char* key) const { return values_.read(value(key)); }
  double single(const char* key) const {
    const auto a = constant(key);
    if (a.size() != 1) throw error(text("its input ", key, " has ", a.size(), " values"));
    return a.number(0);
  }

  const translation::file_layer& layer_;
  const constants& known_;
  value_reader& values_;
  translation::channels_first_translator& all_;
  std::map<std::string, std::vector<proto::view>> inputs_;
  mutable std::set<std::string> used_;
};

}  // namespace nvdlac::import::coreml_format
