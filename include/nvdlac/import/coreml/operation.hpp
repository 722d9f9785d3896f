// SPDX-License-Identifier: Apache-2.0
#pragma once
// One operation of an ML program: its inputs have names, and all that it is told is an input.
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/import/coreml/value_reader.hpp>
#include <nvdlac/import/hub/asked_attributes.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import::coreml_format {

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
