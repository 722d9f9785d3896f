// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/import/hub/asked_attributes.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import::mxnet_format {

// MXNet's files of parameters: lists of arrays, in all layouts that were written since 2015.

using onnx_format::array;
using onnx_format::dims;

// An array whose numbers are still bytes of the file.
struct stored_array {
  std::int32_t type = 0;
  dims shape{};
  std::string_view bytes{};

  array read() const;
  static std::size_t size_of(std::int32_t type);
};

class params {
 public:
  // The content outlives the parameters. Little endian, as the machines this runs on are.
  params(std::string_view content, std::uint64_t most_fields);

  const stored_array* find(const std::string& name) const;

 private:
  // The name without its kind, as in arg:conv_weight and aux:bn_moving_mean.
  static std::string without_kind(const std::string& name) {
    return name.starts_with("arg:") || name.starts_with("aux:") ? name.substr(4) : name;
  }
  std::string_view bytes(std::uint64_t n);
  template <class Number>
  Number number() {
    Number v;
    std::memcpy(&v, bytes(sizeof v).data(), sizeof v);
    return v;
  }
  template <class Number>
  dims shape(std::int64_t rank) {
    if (rank < 0 || rank > 32) throw error(text("an array has ", count_of(rank, "dimension")));
    dims d;
    for (std::int64_t i = 0; i < rank; ++i)
      d.push_back(static_cast<std::int64_t>(number<Number>()));
    return d;
  }
  stored_array next();

  std::string_view rest_;
  std::map<std::string, stored_array> all_;
};

using translation::operand;
using translation::sliding_window;

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

// The context in which a node is converted.
class conversion {
 public:
  conversion(const symbol_node& node, translation::channels_first_translator& all)
      : n(node), all_(all) {}

  const symbol_node& n;

  translation::layer_writer& to() const { return all_.to(); }
  const std::string& name() const { return n.layer.name; }
  std::size_t inputs() const { return n.layer.inputs.size(); }
  const operand& in(std::size_t i) const;
  void require_inputs(std::size_t least, std::size_t most) const {
    if (inputs() < least || inputs() > most) throw error(text("it has ",
                                                              count_of(inputs(), "input")));
  }
  const operand& only() const;
  // As many as its num_args tells.
  std::vector<operand> all() const;
  std::optional<operand> bias(std::size_t i, bool none) const;

 private:
  translation::channels_first_translator& all_;
};

}  // namespace nvdlac::import::mxnet_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/mxnet/node.ipp>
#endif
