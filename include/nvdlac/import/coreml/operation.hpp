// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/import/coreml/weights.hpp>
#include <nvdlac/import/hub/asked_attributes.hpp>
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
  std::string blob(const std::string& name, std::int64_t offset);
  // The number of bytes of the file of this name.
  std::uintmax_t bytes(const std::string& name) { return open(name).size(); }
  std::vector<std::filesystem::path> paths() const;

 private:
  const data::regular_file& open(const std::string& name);

  std::filesystem::path directory_;
  std::map<std::string, std::pair<std::filesystem::path, data::regular_file>> files_;
};

// The sizes of a type, -1 where one is open.
dims shape_of(const proto::view& tensor_type);
bool is_text(const proto::view& value);

class value_reader {
 public:
  value_reader(std::size_t bytes_of_files, weight_files& files, const budget& limits)
      : left_(bytes_of_files, limits), files_(files) {}

  array read(const proto::view& value);
  // Real numbers that are stored as integers with a scale.
  array dequantised(const proto::view& data, const proto::view& scale, const proto::view& zero,
                    std::int64_t axis);
  // Numbers of a table, by indices that stand one behind the other, each with its lowest bit first.
  array looked_up(const proto::view& indices, const proto::view& table, const proto::view& shape);

 private:
  void fill(array& a, const proto::view& value, std::int64_t type);
  template <class Stored>
  static void integers_in(array& a, std::string_view raw) {
    a.real = false;
    for (std::size_t i = 0; i + sizeof(Stored) <= raw.size(); i += sizeof(Stored)) {
      Stored s{};
      std::memcpy(&s, raw.data() + i, sizeof s);
      a.integers.push_back(static_cast<std::int64_t>(s));
    }
  }
  static void unpack(array& a, std::string_view raw, std::int64_t type);

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
            value_reader& values, translation::channels_first_translator& all);

  translation::layer_writer& to() const { return all_.to(); }
  const std::string& name() const { return layer_.name; }
  std::string name(const char* step) const { return layer_.name + '/' + step; }
  std::size_t outputs() const { return layer_.outputs.size(); }

  bool has(const char* key) const { return inputs_.has(key); }
  operand tensor(const char* key = "x") const;
  std::vector<operand> tensors(const char* key) const;
  std::optional<operand> optional(const char* key) const {
    return has(key) ? std::optional(tensor(key)) : std::nullopt;
  }
  std::optional<dims> integers(const char* key) const;
  // One for each of the window's two dimensions.
  dims pair(const char* key, std::int64_t otherwise) const;
  std::vector<bool> flags(const char* key) const;
  std::int64_t integer(const char* key, std::int64_t otherwise) const {
    return has(key) ? static_cast<std::int64_t>(single(key)) : otherwise;
  }
  bool flag(const char* key, bool otherwise = false) const {
    return integer(key, otherwise ? 1 : 0) != 0;
  }
  float number(const char* key, double otherwise) const {
    return static_cast<float>(has(key) ? single(key) : otherwise);
  }
  std::string word(const char* key, const std::string& otherwise) const;
  std::int64_t axis(const char* key, std::int64_t otherwise, std::size_t rank) const {
    return onnx_format::checked_axis(integer(key, otherwise), rank);
  }
  void require_understood() const;

 private:
  // The value of an input, which must be known when the file is read.
  proto::view value(const char* key) const;
  array constant(const char* key) const { return values_.read(value(key)); }
  double single(const char* key) const;

  const translation::file_layer& layer_;
  const constants& known_;
  value_reader& values_;
  translation::channels_first_translator& all_;
  hub::asked_attributes<std::vector<proto::view>> inputs_;
};

}  // namespace nvdlac::import::coreml_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/coreml/operation.ipp>
#endif
