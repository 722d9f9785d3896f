// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/tensorflow/array.hpp>
#include <nvdlac/import/tensorflow/node.hpp>

namespace nvdlac::import::tensorflow_format {

NVDLAC_IMPL node::node(std::string name, const proto::view& fields)
    : name_(std::move(name)), op_(fields.string("op")) {
  for (const auto& a : fields.children("attr"))
    if (!attributes_.add(a.string("key"), a.child("value")))
      throw error(problem{.layer = name_,
                          .reason = "attribute '" + a.string("key") + "' is given twice"});
}

NVDLAC_IMPL std::int64_t node::integer(const char* name, std::int64_t otherwise) const {
  const auto a = find(name, "i");
  return a ? a->integer("i") : otherwise;
}

NVDLAC_IMPL bool node::flag(const char* name, bool otherwise) const {
  const auto a = find(name, "b");
  return a ? a->flag("b", false) : otherwise;
}

NVDLAC_IMPL float node::number(const char* name, float otherwise) const {
  const auto a = find(name, "f");
  return a ? a->number("f") : otherwise;
}

NVDLAC_IMPL std::string node::string(const char* name, const std::string& otherwise) const {
  const auto a = find(name, "s");
  return a ? a->bytes("s") : otherwise;
}

NVDLAC_IMPL std::int64_t node::type(const char* name, std::int64_t otherwise) const {
  const auto a = find(name, "type");
  return a ? a->integer("type") : otherwise;
}

NVDLAC_IMPL std::optional<dims> node::integers(const char* name) const {
  const auto a = find(name, "list");
  if (!a) return std::nullopt;
  const auto list = a->child("list");
  for (const char* other : {"s", "f", "b", "type", "shape", "tensor", "func"})
    if (list.size(other) != 0) throw mistyped(name);
  return list.values<std::int64_t>("i");
}

NVDLAC_IMPL std::optional<proto::view> node::message(const char* name, const char* kind) const {
  const auto a = find(name, kind);
  if (!a) return std::nullopt;
  return a->child(kind);
}

NVDLAC_IMPL std::vector<std::pair<std::string, std::int64_t>> node::further_types() const {
  std::vector<std::pair<std::string, std::int64_t>> found;
  for (const auto& [name, a] : attributes_.unasked())
    if (!is_ignored(name) && a.has("type"))
      found.emplace_back(name, type(name.c_str()));
  return found;
}

NVDLAC_IMPL void node::report_unknown(diagnostics& problems, const std::string& file) const {
  for (const auto& [name, ignored] : attributes_.unasked())
    if (!is_ignored(name))
      problems.add({.file = file, .layer = name_,
                    .reason = "attribute '" + name + "' of " + op_ + " is not understood"});
}

NVDLAC_IMPL bool node::is_ignored(std::string_view name) {
  static const std::set<std::string_view> known = {
      "use_cudnn_on_gpu", "container", "shared_name", "message", "validate_shape",
      "use_locking", "allowed_devices", "debug_name", "config", "config_proto", "executor_type",
      "exponential_avg_factor", "grad_x", "grad_y", "preferred_shape"};
  return name.starts_with("_") || known.contains(name);
}

NVDLAC_IMPL std::optional<proto::view> node::find(const char* name, const char* kind) const {
  const auto* a = attributes_.find(name);
  if (a == nullptr) return std::nullopt;
  for (const char* k : {"list", "s", "i", "f", "b", "type", "shape", "tensor", "placeholder",
                        "func"})
    if (a->has(k) != (std::string_view(k) == kind)) throw mistyped(name);
  return *a;
}

}  // namespace nvdlac::import::tensorflow_format
