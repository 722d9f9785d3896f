// SPDX-License-Identifier: Apache-2.0
#pragma once
// One operation of an ML program: its inputs have names, and all that it is told is an input.
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
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

// The inputs of an operation, each of which lists tensors: those that the network computes by their
// names, constants by their values.
struct input_values {
  using value = std::vector<proto::view>;
  const constants* known = nullptr;
  value_reader* values = nullptr;

  // The only value of an input, which must be known when the file is read.
  hub::plain_value plain(const value& given) const;
  static std::string call(std::string_view key);
  static std::string shown(const value&) { return {}; }  // which may be large weights
  error refusal(std::string_view key, const value& given, hub::value_kind kind) const;

 private:
  // The value of a tensor that is given; nothing: it is computed.
  std::optional<proto::view> constant(const proto::view& given) const;
};

class operation : public hub::asked_attributes<input_values> {
 public:
  operation(const proto::view& op, const translation::file_layer& l, const constants& known,
            value_reader& values, translation::channels_first_translator& all);

  translation::layer_writer& to() const { return all_.to(); }
  const std::string& name() const { return layer_.name; }
  std::string name(const char* step) const { return layer_.name + '/' + step; }
  std::size_t outputs() const { return layer_.outputs.size(); }

  operand tensor(std::string_view key = "x") const;
  std::vector<operand> tensors(std::string_view key) const;
  std::optional<operand> optional(std::string_view key) const {
    return has(key) ? std::optional(tensor(key)) : std::nullopt;
  }
  // One for each of the window's two dimensions.
  dims pair(std::string_view key, std::int64_t otherwise) const;
  std::vector<bool> flags(std::string_view key) const;
  std::int64_t axis(std::string_view key, std::int64_t otherwise, std::size_t rank) const {
    return onnx_format::checked_axis(integer(key, otherwise), rank);
  }

 private:
  const translation::file_layer& layer_;
  translation::channels_first_translator& all_;
};

}  // namespace nvdlac::import::coreml_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/coreml/operation.ipp>
#endif
