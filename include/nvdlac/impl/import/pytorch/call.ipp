// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/hub/asked_attributes.hpp>
#include <nvdlac/import/json.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/pytorch/call.hpp>
#include <nvdlac/import/pytorch/sizes.hpp>
#include <nvdlac/import/pytorch/tensor.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import::pytorch_format {

NVDLAC_IMPL call::call(const json& node, const translation::file_layer& l,
                       translation::channels_first_translator& all, sizes& known)
    : layer(l.name), outputs(l.outputs), size(known), all_(all) {
  const auto* inputs = member(node, "inputs");
  if (inputs == nullptr || !inputs->is_array()) return;
  for (const auto& i : *inputs)
    if (const auto* a = member(i, "arg"); a != nullptr && a->is_object() && a->size() == 1)
      if (!a->contains("as_none"))
        if (auto name = word(i, "name"); !arguments_.add(name, a))
          throw error("its argument " + name + " is given twice");
}

NVDLAC_IMPL std::optional<std::string> call::tensor_name(const char* name) const {
  const auto* a = find(name);
  if (a == nullptr) return std::nullopt;
  const auto* t = member(*a, "as_tensor");
  if (t == nullptr) {
    const auto* optional = member(*a, "as_optional_tensor");
    t = optional == nullptr ? nullptr : member(*optional, "as_tensor");
    if (optional != nullptr && t == nullptr) return std::nullopt;
  }
  if (t == nullptr) throw not_understood(name, *a);
  return word(*t, "name");
}

NVDLAC_IMPL std::optional<operand> call::optional_tensor(const char* name) const {
  const auto t = tensor_name(name);
  if (!t) return std::nullopt;
  return all_.at(*t);
}

NVDLAC_IMPL operand call::tensor(const char* name) const {
  return hub::required(optional_tensor(name), name);
}

NVDLAC_IMPL std::vector<operand> call::tensors(const char* name) const {
  const auto* a = find(name);
  const auto* list = a == nullptr ? nullptr : member(*a, "as_tensors");
  if (list == nullptr || !list->is_array()) throw error(text("its ", name, " are missing"));
  std::vector<operand> found;
  for (const auto& t : *list) found.push_back(all_.at(word(t, "name")));
  return found;
}

NVDLAC_IMPL std::int64_t call::integer(const char* name,
                                       std::optional<std::int64_t> otherwise) const {
  const auto* a = find(name);
  return a != nullptr ? integer_of(name, *a) : hub::required(otherwise, name);
}

NVDLAC_IMPL bool call::flag(const char* name, bool otherwise) const {
  const auto* a = find(name);
  if (a == nullptr) return otherwise;
  const auto* v = member(*a, "as_bool");
  if (v == nullptr || !v->is_boolean()) throw not_understood(name, *a);
  return v->get<bool>();
}

NVDLAC_IMPL std::optional<float> call::number(const char* name) const {
  const auto* a = find(name);
  if (a == nullptr) return std::nullopt;
  for (const char* kind : {"as_float", "as_int", "as_bool"}) {
    const auto* v = member(*a, kind);
    if (v == nullptr) continue;
    if (v->is_number()) return v->get<float>();
    if (v->is_boolean()) return v->get<bool>() ? 1.0F : 0.0F;
    if (*v == "Infinity") return std::numeric_limits<float>::infinity();
    if (*v == "-Infinity") return -std::numeric_limits<float>::infinity();
  }
  throw not_understood(name, *a);
}

NVDLAC_IMPL std::optional<float> call::is_number(const char* name) const {
  const auto* a = find(name);
  if (a == nullptr || a->contains("as_tensor")) return std::nullopt;
  return number(name);
}

NVDLAC_IMPL bool call::is_string(const char* name) const {
  const auto* a = find(name);
  return a != nullptr && a->contains("as_string");
}

NVDLAC_IMPL std::string call::string(const char* name, const std::string& otherwise) const {
  const auto* a = find(name);
  if (a == nullptr) return otherwise;
  const auto* v = member(*a, "as_string");
  if (v == nullptr || !v->is_string()) throw not_understood(name, *a);
  return v->get<std::string>();
}

NVDLAC_IMPL std::optional<dims> call::integers(const char* name) const {
  const auto* a = find(name);
  if (a == nullptr) return std::nullopt;
  if (a->contains("as_int") || a->contains("as_sym_int")) return dims{integer_of(name, *a)};
  for (const char* kind : {"as_ints", "as_sym_ints"})
    if (const auto* list = member(*a, kind); list != nullptr && list->is_array()) {
      dims d;
      for (const auto& i : *list)
        d.push_back(i.is_object() ? symbolic(i) : integer_in(i));
      return d;
    }
  throw not_understood(name, *a);
}

NVDLAC_IMPL std::optional<std::vector<float>> call::numbers(const char* name) const {
  const auto* a = find(name);
  if (a == nullptr) return std::nullopt;
  const auto* list = member(*a, "as_floats");
  if (list == nullptr || !list->is_array()) throw not_understood(name, *a);
  std::vector<float> all;
  for (const auto& i : *list) {
    if (!i.is_number()) throw not_understood(name, *a);
    all.push_back(i.get<float>());
  }
  return all;
}

NVDLAC_IMPL dims call::per_axis(const char* name, std::size_t axes, const dims& otherwise) const {
  auto d = integers(name).value_or(dims{});
  if (d.empty()) return otherwise;
  if (d.size() == 1) d.resize(axes, d[0]);
  if (d.size() != axes) throw error(text("its ", name, " is ", onnx_format::to_text(d)));
  return d;
}

NVDLAC_IMPL std::int64_t call::axis(const char* name, const operand& x,
                                    std::optional<std::int64_t> otherwise) const {
  return onnx_format::checked_axis(integer(name, otherwise), x.rank);
}

NVDLAC_IMPL void call::require_real_type() const {
  const auto* a = find("dtype");
  if (a == nullptr) return;
  const auto* type = member(*a, "as_scalar_type");
  if (type == nullptr) throw not_understood("dtype", *a);
  if (!is_real(integer_in(*type)))
    throw error(problem{.reason = text("it computes in integers (dtype ", shown(*type), ")"),
                        .remedy = "real types are supported"});
}

NVDLAC_IMPL void call::require_understood() const {
  std::vector<problem> all;
  for (const auto& [name, value] : arguments_.unasked())
    all.push_back({.reason = text("its argument ", name, " (", shown(*value),
                                  ") is not understood"),
                   .remedy = "leave it at its default; understood are " + arguments_.asked()});
  if (!all.empty()) throw error(all);
}

NVDLAC_IMPL std::int64_t call::symbolic(const json& v) const {
  if (const auto* fixed = member(v, "as_int")) return integer_in(*fixed);
  return size.number(word(v, "as_name"));
}

NVDLAC_IMPL std::int64_t call::integer_of(const char* name, const json& a) const {
  if (const auto* v = member(a, "as_int")) return integer_in(*v);
  if (const auto* v = member(a, "as_sym_int")) return symbolic(*v);
  throw not_understood(name, a);
}

NVDLAC_IMPL operand input_of(const call& c) {
  return c.has("self") ? c.tensor("self") : c.tensor("input");
}

}  // namespace nvdlac::import::pytorch_format
