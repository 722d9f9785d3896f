// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/hub/asked_attributes.hpp>
#include <nvdlac/import/tensorflow/array.hpp>

namespace nvdlac::import::tensorflow_format {

// An output of a node, by the node's number.
struct port {
  std::size_t node = 0;
  std::size_t output = 0;
  auto operator<=>(const port&) const = default;
};

// Attributes of TensorFlow's nodes, which hold a value of exactly one type.
struct attribute_values {
  using value = proto::view;
  std::string op{};

  static hub::plain_value plain(const proto::view& a);
  std::string call(std::string_view name) const;
  static std::string shown(const proto::view&) { return {}; }
  // Whether it changes no value: notes of tools, and how TensorFlow computes on its own devices.
  static bool is_ignored(std::string_view name);
};

// A node of the graph, with its inputs found. An attribute that is left out has its default.
class node : public hub::asked_attributes<attribute_values> {
 public:
  node(std::string name, const proto::view& fields);

  const std::string& name() const { return name_; }
  const std::string& op() const { return format().op; }
  std::vector<port> inputs{};  // without control inputs

  std::int64_t type(std::string_view name, std::int64_t otherwise = dt_none) const;
  // The message of an attribute that is a shape or a tensor.
  std::optional<proto::view> message(std::string_view name, const char* kind) const;

  // Every other attribute that names a type, with it.
  std::vector<std::pair<std::string, std::int64_t>> further_types() const;
  // A problem for each attribute that was not asked for.
  void report_unknown(diagnostics& problems, const std::string& file) const;

 private:
  // The attribute, whose value is of this kind alone.
  std::optional<proto::view> of_kind(std::string_view name, const char* kind) const;

  std::string name_;
};

}  // namespace nvdlac::import::tensorflow_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/tensorflow/node.ipp>
#endif
