// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/hub/model.hpp>
#include <nvdlac/import/onnx/node.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL node::node(const hub::node& from, std::int64_t opset)
    : opset_(opset), name_(from.label()), type_(from.type), inputs_(from.inputs),
      outputs_(from.outputs) {
  if (!from.domain.empty() && from.domain != "ai.onnx") type_ = from.domain + ":" + type_;
  while (!inputs_.empty() && inputs_.back().empty()) inputs_.pop_back();
  for (const auto& a : from.attributes)
    if (!attributes_.add(a.name, a))
      throw error(problem{.layer = name_,
                          .reason = "attribute '" + a.name + "' is given twice"});
}

NVDLAC_IMPL std::vector<std::string> node::captured() const {
  std::vector<std::string> names;
  for (const auto& [ignored, a] : attributes_.values())
    if (const auto* inner = std::get_if<hub::subgraphs>(a.value.get()))
      names.insert(names.end(), inner->reads.begin(), inner->reads.end());
  return names;
}

template <class T>
const T* node::find(const char* name, const char* type) const {
  const auto* a = attributes_.find(name);
  if (a == nullptr) return nullptr;
  if (!a->refers_to.empty())
    throw error(text("attribute '", name, "' refers to a function's attribute"));
  if (const auto* v = std::get_if<T>(a->value.get())) return v;
  // The first models did not tell types: an empty list of them has none.
  if constexpr (requires(T v) { v.clear(); }) {
    static const T empty;
    if (std::holds_alternative<std::monostate>(*a->value)) return &empty;
  }
  throw error(text("attribute '", name, "' is of type ", hub::type_of(*a->value), " instead of ",
                   type));
}

NVDLAC_IMPL std::int64_t node::integer(const char* name, std::int64_t otherwise) const {
  const auto* v = find<std::int64_t>(name, "INT");
  return v != nullptr ? *v : otherwise;
}

NVDLAC_IMPL bool node::flag(const char* name, bool otherwise) const {
  const auto v = integer(name, otherwise ? 1 : 0);
  if (v != 0 && v != 1) throw error(text("attribute '", name, "' is ", v, ", not 0 or 1"));
  return v == 1;
}

NVDLAC_IMPL float node::number(const char* name, float otherwise) const {
  const auto* v = find<float>(name, "FLOAT");
  return v != nullptr ? *v : otherwise;
}

NVDLAC_IMPL std::string node::string(const char* name, const std::string& otherwise) const {
  const auto* v = find<std::string>(name, "STRING");
  return v != nullptr ? *v : otherwise;
}

NVDLAC_IMPL std::optional<dims> node::integers(const char* name) const {
  const auto* v = find<dims>(name, "INTS");
  return v != nullptr ? std::optional(*v) : std::nullopt;
}

NVDLAC_IMPL std::optional<std::vector<float>> node::numbers(const char* name) const {
  const auto* v = find<std::vector<float>>(name, "FLOATS");
  return v != nullptr ? std::optional(*v) : std::nullopt;
}

NVDLAC_IMPL std::vector<std::string> node::strings(const char* name) const {
  const auto* v = find<std::vector<std::string>>(name, "STRINGS");
  return v != nullptr ? *v : std::vector<std::string>();
}

NVDLAC_IMPL std::shared_ptr<const array> node::tensor(const char* name) const {
  const auto* v = find<hub::constant>(name, "TENSOR");
  return v != nullptr ? v->numbers() : nullptr;
}

NVDLAC_IMPL void node::report_unknown(diagnostics& problems, const std::string& file) const {
  const auto known = attributes_.asked();
  for (const auto& [name, ignored] : attributes_.unasked())
    problems.add({.file = file,
                  .layer = name_,
                  .reason = "attribute '" + name + "' of " + type_ + " is not understood",
                  .remedy = known.empty() ? "it has none that are" : "understood are " + known});
}

}  // namespace nvdlac::import::onnx_format
