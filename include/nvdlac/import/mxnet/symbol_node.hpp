// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/hub/asked_attributes.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import::mxnet_format {

using onnx_format::dims;

// One operator with its attributes, all of which are texts.
class symbol_node {
 public:
  symbol_node(const translation::file_layer& l,
              const std::map<std::string, std::string>& attributes)
      : layer(l) {
    for (const auto& [name, value] : attributes) attributes_.add(name, value);
  }

  const translation::file_layer& layer;

  std::string word(const char* name, const std::string& otherwise) const;
  bool flag(const char* name, bool otherwise) const;
  float number(const char* name, std::optional<float> otherwise) const;
  std::int64_t integer(const char* name, std::optional<std::int64_t> otherwise = {}) const;
  // "(3, 3)", "[3,3]" or "3"; nothing: it is absent. None within is that number.
  std::optional<dims> integers(const char* name,
                               std::optional<std::int64_t> none = std::nullopt) const;
  // A number for each axis of a window.
  dims per_axis(const char* name, std::size_t axes, std::int64_t otherwise) const;
  // Throws where an attribute is there and has none of the allowed values.
  void require(const char* name, std::initializer_list<std::string_view> allowed) const;
  void ignore(std::initializer_list<std::string_view> names) const { attributes_.ignore(names); }
  void require_understood() const;

 private:
  // Null where it is not there, or None.
  const std::string* find(const char* name) const;
  template <class Number>
  Number number_of(const char* name, std::optional<Number> otherwise) const {
    const auto* v = find(name);
    return v != nullptr ? parsed<Number>(name, *v) : hub::required(otherwise, name);
  }
  static error not_understood(const char* name, const std::string& value) {
    return error(text("its ", name, " is ", value, ", which is not understood"));
  }
  template <class Number>
  static Number parsed(const char* name, const std::string& value) {
    Number v{};
    const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), v);
    if (failed != std::errc() || end != value.data() + value.size())
      throw not_understood(name, value);
    return v;
  }

  hub::asked_attributes<std::string> attributes_;
};

}  // namespace nvdlac::import::mxnet_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/mxnet/symbol_node.ipp>
#endif
