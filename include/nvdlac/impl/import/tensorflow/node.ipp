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

namespace detail {

// The field that holds the value of an attribute; empty: there are none or several.
NVDLAC_IMPL std::string_view kind_of_attribute(const proto::view& a) {
  std::string_view kind;
  for (const char* k : {"list", "s", "i", "f", "b", "type", "shape", "tensor", "placeholder",
                        "func"}) {
    if (!a.has(k)) continue;
    if (!kind.empty()) return {};
    kind = k;
  }
  return kind;
}

NVDLAC_IMPL hub::plain_value plain_list(const proto::view& list) {
  std::string_view kind;
  for (const char* k : {"s", "i", "f", "b", "type", "shape", "tensor", "func"}) {
    if (list.size(k) == 0) continue;
    if (!kind.empty()) return hub::own_value{};
    kind = k;
  }
  if (kind.empty()) return std::vector<hub::untyped_number>();
  if (kind == "i") return list.values<std::int64_t>("i");
  if (kind == "f") return list.values<float>("f");
  if (kind == "s") return list.strings("s");
  return hub::own_value{};
}

}  // namespace detail

NVDLAC_IMPL hub::plain_value attribute_values::plain(const proto::view& a) {
  const auto kind = detail::kind_of_attribute(a);
  if (kind == "i") return a.integer("i");
  if (kind == "f") return a.number("f");
  if (kind == "b") return a.flag("b", false);
  if (kind == "s") return a.bytes("s");
  if (kind == "list") return detail::plain_list(a.child("list"));
  return hub::own_value{};
}

NVDLAC_IMPL std::string attribute_values::call(std::string_view name) const {
  return text("attribute '", name, "' of ", op);
}

NVDLAC_IMPL bool attribute_values::is_ignored(std::string_view name) {
  static const std::set<std::string_view> known = {
      "use_cudnn_on_gpu", "container", "shared_name", "message", "validate_shape",
      "use_locking", "allowed_devices", "debug_name", "config", "config_proto", "executor_type",
      "exponential_avg_factor", "grad_x", "grad_y", "preferred_shape"};
  return name.starts_with("_") || known.contains(name);
}

NVDLAC_IMPL node::node(std::string name, const proto::view& fields)
    : asked_attributes(attribute_values{fields.string("op")}), name_(std::move(name)) {
  for (const auto& a : fields.children("attr")) {
    auto key = a.string("key");
    if (values().contains(key))
      throw error(problem{.layer = name_, .reason = "attribute '" + key + "' is given twice"});
    add(std::move(key), a.child("value"));
  }
}

NVDLAC_IMPL std::int64_t node::type(std::string_view name, std::int64_t otherwise) const {
  const auto a = of_kind(name, "type");
  return a ? a->integer("type") : otherwise;
}

NVDLAC_IMPL std::optional<proto::view> node::message(std::string_view name,
                                                     const char* kind) const {
  const auto a = of_kind(name, kind);
  if (!a) return std::nullopt;
  return a->child(kind);
}

NVDLAC_IMPL std::vector<std::pair<std::string, std::int64_t>> node::further_types() const {
  std::vector<std::pair<std::string, std::int64_t>> found;
  for (const auto& [name, a] : unasked())
    if (a.has("type")) found.emplace_back(name, type(name));
  return found;
}

NVDLAC_IMPL void node::report_unknown(diagnostics& problems, const std::string& file) const {
  for (auto p : not_understood()) {
    p.file = file;
    p.layer = name_;
    problems.add(std::move(p));
  }
}

NVDLAC_IMPL std::optional<proto::view> node::of_kind(std::string_view name,
                                                     const char* kind) const {
  const auto* a = find(name);
  if (a == nullptr) return std::nullopt;
  if (detail::kind_of_attribute(*a) != kind)
    throw error(text(format().call(name), " is of another type than its operator has"));
  return *a;
}

}  // namespace nvdlac::import::tensorflow_format
