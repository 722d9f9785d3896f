// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/tensorflow/array.hpp>

namespace nvdlac::import::tensorflow_format {

// An output of a node, by the node's number.
struct port {
  std::size_t node = 0;
  std::size_t output = 0;
  auto operator<=>(const port&) const = default;
};

// A node of the graph, with its inputs found. It remembers which attributes were asked for, so that
// those which nobody understands can be reported. One that is left out has its default.
class node {
 public:
  node(std::string name, const proto::view& fields)
      : name_(std::move(name)), op_(fields.string("op")) {
    for (const auto& a : fields.children("attr"))
      if (!attributes_.emplace(a.string("key"), a.child("value")).second)
        throw error(problem{.layer = name_,
                            .reason = "attribute '" + a.string("key") + "' is given twice"});
  }

  const std::string& name() const { return name_; }
  const std::string& op() const { return op_; }
  std::vector<port> inputs{};  // without control inputs

  bool has(const char* name) const {
    asked_.insert(name);
    return attributes_.contains(name);
  }
  std::int64_t integer(const char* name, std::int64_t otherwise) const {
    const auto a = find(name, "i");
    return a ? a->integer("i") : otherwise;
  }
  bool flag(const char* name, bool otherwise) const {
    const auto a = find(name, "b");
    return a ? a->flag("b", false) : otherwise;
  }
  float number(const char* name, float otherwise) const {
    const auto a = find(name, "f");
    return a ? a->number("f") : otherwise;
  }
  std::string string(const char* name, const std::string& otherwise) const {
    const auto a = find(name, "s");
    return a ? a->bytes("s") : otherwise;
  }
  std::int64_t type(const char* name, std::int64_t otherwise = dt_none) const {
    const auto a = find(name, "type");
    return a ? a->integer("type") : otherwise;
  }
  std::optional<dims> integers(const char* name) const {
    const auto a = find(name, "list");
    if (!a) return std::nullopt;
    const auto list = a->child("list");
    for (const char* other : {"s", "f", "b", "type", "shape", "tensor", "func"})
      if (list.size(other) != 0) throw mistyped(name);
    return list.values<std::int64_t>("i");
  }
  std::optional<proto::view> message(const char* name, const char* kind) const {
    const auto a = find(name, kind);
    if (!a) return std::nullopt;
    return a->child(kind);
  }

  // Every other attribute that names a type, with it.
  std::vector<std::pair<std::string, std::int64_t>> further_types() const {
    std::vector<std::pair<std::string, std::int64_t>> found;
    for (const auto& [name, a] : attributes_)
      if (!asked_.contains(name) && !is_ignored(name) && a.has("type"))
        found.emplace_back(name, type(name.c_str()));
    return found;
  }
  // A problem for each attribute that was not asked for.
  void report_unknown(diagnostics& problems, const std::string& file) const {
    for (const auto& [name, ignored] : attributes_)
      if (!asked_.contains(name) && !is_ignored(name))
        problems.add({.file = file, .layer = name_,
                      .reason = "attribute '" + name + "' of " + op_ + " is not understood"});
  }

 private:
  // What changes no value: notes of tools, and how TensorFlow computes on its own devices.
  static bool is_ignored(std::string_view name) {
    static const std::set<std::string_view> known = {
        "use_cudnn_on_gpu", "container", "shared_name", "message", "validate_shape",
        "use_locking", "allowed_devices", "debug_name", "config", "config_proto", "executor_type",
        "exponential_avg_factor", "grad_x", "grad_y", "preferred_shape"};
    return name.starts_with("_") || known.contains(name);
  }
  error mistyped(const char* name) const {
    return error(text("attribute '", name, "' is of another type than its operator has"));
  }
  std::optional<proto::view> find(const char* name, const char* kind) const {
    asked_.insert(name);
    const auto found = attributes_.find(name);
    if (found == attributes_.end()) return std::nullopt;
    for (const char* k : {"list", "s", "i", "f", "b", "type", "shape", "tensor", "placeholder",
                          "func"})
      if (found->second.has(k) != (std::string_view(k) == kind)) throw mistyped(name);
    return found->second;
  }

  std::string name_, op_;
  std::map<std::string, proto::view> attributes_;
  mutable std::set<std::string> asked_;
};

}  // namespace nvdlac::import::tensorflow_format
