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

// A node of the graph, with its inputs found. An attribute that is left out has its default.
class node {
 public:
  node(std::string name, const proto::view& fields);

  const std::string& name() const { return name_; }
  const std::string& op() const { return op_; }
  std::vector<port> inputs{};  // without control inputs

  bool has(const char* name) const { return attributes_.has(name); }
  std::int64_t integer(const char* name, std::int64_t otherwise) const;
  bool flag(const char* name, bool otherwise) const;
  float number(const char* name, float otherwise) const;
  std::string string(const char* name, const std::string& otherwise) const;
  std::int64_t type(const char* name, std::int64_t otherwise = dt_none) const;
  std::optional<dims> integers(const char* name) const;
  std::optional<proto::view> message(const char* name, const char* kind) const;

  // Every other attribute that names a type, with it.
  std::vector<std::pair<std::string, std::int64_t>> further_types() const;
  // A problem for each attribute that was not asked for.
  void report_unknown(diagnostics& problems, const std::string& file) const;

 private:
  // Whether it changes no value: notes of tools, and how TensorFlow computes on its own devices.
  static bool is_ignored(std::string_view name);
  error mistyped(const char* name) const {
    return error(text("attribute '", name, "' is of another type than its operator has"));
  }
  std::optional<proto::view> find(const char* name, const char* kind) const;

  std::string name_, op_;
  hub::asked_attributes<proto::view> attributes_;
};

}  // namespace nvdlac::import::tensorflow_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/tensorflow/node.ipp>
#endif
