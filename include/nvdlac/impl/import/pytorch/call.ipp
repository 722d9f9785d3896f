// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

NVDLAC_IMPL hub::plain_value argument_values::plain(const json* a) const {
  const auto& kind = a->begin().key();
  const auto& v = a->begin().value();
  if (kind == "as_int") return hub::number_of(integer_in(v));
  if (kind == "as_sym_int") return hub::number_of(symbolic(v));
  if (kind == "as_bool" && v.is_boolean())
    return hub::number_of(std::int64_t{v.get<bool>() ? 1 : 0});
  if (kind == "as_float") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (v.is_number()) return v.get<float>();
    if (v == "Infinity") return static_cast<float>(infinity);
    if (v == "-Infinity") return static_cast<float>(-infinity);
  }
  if (kind == "as_string" && v.is_string()) return v.get<std::string>();
  if ((kind == "as_ints" || kind == "as_sym_ints") && v.is_array()) {
    dims d;
    for (const auto& i : v) d.push_back(i.is_object() ? symbolic(i) : integer_in(i));
    return d;
  }
  if (kind == "as_floats" && v.is_array() &&
      std::ranges::all_of(v, [](const json& i) { return i.is_number(); }))
    return v.get<std::vector<float>>();
  return hub::own_value{};
}

NVDLAC_IMPL std::string argument_values::call(std::string_view name) {
  return text("its argument ", name);
}

NVDLAC_IMPL std::int64_t argument_values::symbolic(const json& v) const {
  if (const auto* fixed = member(v, "as_int")) return integer_in(*fixed);
  return open->number(word(v, "as_name"));
}

NVDLAC_IMPL call::call(const json& node, const translation::file_layer& l,
                       translation::channels_first_translator& all, sizes& known)
    : asked_attributes(argument_values{&known}), layer(l.name), outputs(l.outputs), size(known),
      all_(all) {
  const auto* inputs = member(node, "inputs");
  if (inputs == nullptr || !inputs->is_array()) return;
  for (const auto& i : *inputs)
    if (const auto* a = member(i, "arg"); a != nullptr && a->is_object() && a->size() == 1)
      if (!a->contains("as_none")) add(word(i, "name"), a);
}

NVDLAC_IMPL std::optional<std::string> call::tensor_name(std::string_view name) const {
  const auto* found = find(name);
  if (found == nullptr) return std::nullopt;
  const auto& a = **found;
  const auto* t = member(a, "as_tensor");
  if (t == nullptr) {
    const auto* optional = member(a, "as_optional_tensor");
    t = optional == nullptr ? nullptr : member(*optional, "as_tensor");
    if (optional != nullptr && t == nullptr) return std::nullopt;
  }
  if (t == nullptr) throw error(text(format().call(name), " is ", shown(a), ", not a tensor"));
  return word(*t, "name");
}

NVDLAC_IMPL std::optional<operand> call::optional_tensor(std::string_view name) const {
  const auto t = tensor_name(name);
  if (!t) return std::nullopt;
  return all_.at(*t);
}

NVDLAC_IMPL operand call::tensor(std::string_view name) const {
  auto t = optional_tensor(name);
  if (!t) throw error(format().call(name) + " is missing");
  return *std::move(t);
}

NVDLAC_IMPL std::vector<operand> call::tensors(std::string_view name) const {
  const auto* a = find(name);
  const auto* list = a == nullptr ? nullptr : member(**a, "as_tensors");
  if (list == nullptr || !list->is_array()) throw error(text("its ", name, " are missing"));
  std::vector<operand> found;
  for (const auto& t : *list) found.push_back(all_.at(word(t, "name")));
  return found;
}

NVDLAC_IMPL std::optional<float> call::is_number(std::string_view name) const {
  const auto* a = find(name);
  if (a == nullptr || (*a)->contains("as_tensor")) return std::nullopt;
  return given<float>(name);
}

NVDLAC_IMPL bool call::is_string(std::string_view name) const {
  const auto* a = find(name);
  return a != nullptr && (*a)->contains("as_string");
}

NVDLAC_IMPL dims call::per_axis(std::string_view name, std::size_t axes,
                                const dims& otherwise) const {
  auto d = integers(name).value_or(dims{});
  if (d.empty()) return otherwise;
  if (d.size() == 1) d.resize(axes, d[0]);
  if (d.size() != axes) throw error(text("its ", name, " is ", onnx_format::to_text(d)));
  return d;
}

NVDLAC_IMPL std::int64_t call::axis(std::string_view name, const operand& x,
                                    std::optional<std::int64_t> otherwise) const {
  return onnx_format::checked_axis(integer(name, otherwise), x.rank);
}

NVDLAC_IMPL void call::require_real_type() const {
  const auto* a = find("dtype");
  if (a == nullptr) return;
  const auto* type = member(**a, "as_scalar_type");
  if (type == nullptr) throw error(text("its dtype is ", shown(**a), ", not a type"));
  if (!is_real(integer_in(*type)))
    throw error(problem{.reason = text("it computes in integers (dtype ", shown(*type), ")"),
                        .remedy = "real types are supported"});
}

NVDLAC_IMPL operand input_of(const call& c) {
  return c.has("self") ? c.tensor("self") : c.tensor("input");
}

}  // namespace nvdlac::import::pytorch_format
