// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/hub/asked_attributes.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import::mxnet_format {

using onnx_format::dims;

// Attributes of MXNet's operators, all of which are texts.
struct attribute_values {
  using value = std::string;

  // Lists have brackets: "(3, 3)", "[3,3]", and "(3L, 3L)" by Python 2.
  static hub::plain_value plain(const std::string& v);
  static std::string call(std::string_view name);
  // Whether it tells how the operator is computed or was trained, or what the user noted.
  static bool is_ignored(std::string_view name);
};

// One operator with its attributes, but for those that are None.
class symbol_node : public hub::asked_attributes<attribute_values> {
 public:
  symbol_node(const translation::file_layer& l,
              const std::map<std::string, std::string>& attributes);

  const translation::file_layer& layer;

  // A list in which None stands for a number.
  std::optional<dims> integers_or(std::string_view name, std::int64_t none) const;
  // A number for each axis of a window; no number at all is the default.
  dims per_axis(std::string_view name, std::size_t axes, std::int64_t otherwise) const;
  // Throws where an attribute is there and has none of the allowed values.
  void require(std::string_view name, std::initializer_list<std::string_view> allowed) const;
  void require_understood() const;
};

}  // namespace nvdlac::import::mxnet_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/mxnet/symbol_node.ipp>
#endif
