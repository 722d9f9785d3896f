// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/hub/model.hpp>
#include <nvdlac/import/onnx/node.hpp>

namespace nvdlac::import::onnx_format {

namespace detail {

// The type as it is in the file, behind its domain unless that is ONNX's own.
NVDLAC_IMPL std::string type_with_domain(const hub::node& n) {
  return n.domain.empty() || n.domain == "ai.onnx" ? n.type : n.domain + ":" + n.type;
}

struct plain_attribute {
  // The first models did not tell types: an empty list of them has none.
  hub::plain_value operator()(std::monostate) const { return std::vector<hub::untyped_number>(); }
  hub::plain_value operator()(const hub::constant&) const { return hub::own_value{}; }
  hub::plain_value operator()(const hub::subgraphs&) const { return hub::own_value{}; }
  hub::plain_value operator()(const hub::foreign_value&) const { return hub::own_value{}; }
  template <class T>
  hub::plain_value operator()(const T& v) const {
    return v;
  }
};

}  // namespace detail

NVDLAC_IMPL hub::plain_value attribute_values::plain(const hub::attribute& a) {
  if (!a.refers_to.empty())
    throw error(text("attribute '", a.name, "' refers to a function's attribute"));
  return std::visit(detail::plain_attribute{}, *a.value);
}

NVDLAC_IMPL std::string attribute_values::call(std::string_view name) const {
  return text("attribute '", name, "' of ", operator_type);
}

NVDLAC_IMPL error attribute_values::refusal(std::string_view name, const hub::attribute& a,
                                            hub::value_kind kind) {
  static constexpr const char* types[] = {"INT",  "INT",    "FLOAT",  "STRING",
                                          "INTS", "FLOATS", "STRINGS"};
  const auto* v = std::get_if<std::int64_t>(a.value.get());
  if (v != nullptr && kind == hub::value_kind::flag)
    return error(text("attribute '", name, "' is ", *v, ", not 0 or 1"));
  return error(text("attribute '", name, "' is of type ", hub::type_of(*a.value), " instead of ",
                    types[static_cast<std::size_t>(kind)]));
}

NVDLAC_IMPL node::node(const hub::node& from, std::int64_t opset)
    : asked_attributes(attribute_values{detail::type_with_domain(from)}), opset_(opset),
      name_(from.label()), inputs_(from.inputs), outputs_(from.outputs) {
  while (!inputs_.empty() && inputs_.back().empty()) inputs_.pop_back();
  for (const auto& a : from.attributes) {
    // Until opset 5 it told which inputs a framework might overwrite, which says nothing here.
    const bool of_onnx = from.domain.empty() || from.domain == "ai.onnx";
    if (of_onnx && opset < 6 && a.name == "consumed_inputs") continue;
    if (values().contains(a.name))
      throw error(problem{.layer = name_,
                          .reason = "attribute '" + a.name + "' is given twice"});
    add(a.name, a);
  }
}

NVDLAC_IMPL std::vector<std::string> node::captured() const {
  std::vector<std::string> names;
  for (const auto& [ignored, a] : values())
    if (const auto* inner = std::get_if<hub::subgraphs>(a.value.get()))
      names.insert(names.end(), inner->reads.begin(), inner->reads.end());
  return names;
}

NVDLAC_IMPL std::shared_ptr<const array> node::tensor(std::string_view name) const {
  const auto* a = find(name);
  if (a == nullptr) return nullptr;
  (void)format().plain(*a);  // refuses what refers to a function's attribute
  const auto* v = std::get_if<hub::constant>(a->value.get());
  if (v != nullptr) return v->numbers();
  throw error(text("attribute '", name, "' is of type ", hub::type_of(*a->value),
                   " instead of TENSOR"));
}

NVDLAC_IMPL void node::report_unknown(diagnostics& problems, const std::string& file) const {
  for (auto p : not_understood()) {
    p.file = file;
    p.layer = name_;
    problems.add(std::move(p));
  }
}

}  // namespace nvdlac::import::onnx_format
