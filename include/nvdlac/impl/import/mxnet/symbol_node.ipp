// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/mxnet/symbol_node.hpp>
#include <nvdlac/import/onnx/array.hpp>

namespace nvdlac::import::mxnet_format {

NVDLAC_IMPL hub::plain_value attribute_values::plain(const std::string& v) {
  hub::characters c{v};
  if (v.starts_with('(') || v.starts_with('['))
    std::erase_if(c.all, [](char x) {
      return std::string_view("()[] \tL").find(x) != std::string_view::npos;
    });
  return c;
}

NVDLAC_IMPL std::string attribute_values::call(std::string_view name) {
  return text("its attribute ", name);
}

NVDLAC_IMPL bool attribute_values::is_ignored(std::string_view name) {
  static const std::set<std::string_view> of_all = {
      "workspace", "cudnn_off", "cudnn_tune", "lr_mult", "wd_mult", "force_mirroring",
      "mirror_stage", "ctx_group"};
  return of_all.contains(name) || name.starts_with("__") || name.ends_with("_lr_mult") ||
         name.ends_with("_wd_mult");
}

NVDLAC_IMPL symbol_node::symbol_node(const translation::file_layer& l,
                                     const std::map<std::string, std::string>& attributes)
    : layer(l) {
  for (const auto& [name, value] : attributes)
    if (value != "None") add(name, value);
}

NVDLAC_IMPL std::optional<dims> symbol_node::integers_or(std::string_view name,
                                                         std::int64_t none) const {
  const auto* v = find(name);
  if (v == nullptr) return std::nullopt;
  auto numbers = *v;
  for (std::size_t at = 0; (at = numbers.find("None", at)) != numbers.npos;)
    numbers.replace(at, 4, std::to_string(none));
  auto found = hub::read_as<dims>(format().plain(numbers));
  if (!found) throw refusal(name, *v, hub::value_kind::integers);
  return found;
}

NVDLAC_IMPL dims symbol_node::per_axis(std::string_view name, std::size_t axes,
                                       std::int64_t otherwise) const {
  const auto d = integers(name);
  if (!d || d->empty()) return dims(axes, otherwise);
  if (d->size() != axes)
    throw error(text(format().call(name), " is ", onnx_format::to_text(*d), ", not ",
                     count_of(axes, "number")));
  return *d;
}

NVDLAC_IMPL void symbol_node::require(std::string_view name,
                                      std::initializer_list<std::string_view> allowed) const {
  const auto* v = find(name);
  if (v != nullptr && std::ranges::find(allowed, *v) == allowed.end())
    throw error(text("its ", name, " is ", *v, ", which is not supported"));
}

NVDLAC_IMPL void symbol_node::require_understood() const {
  require("dtype", {"float32", "float16", "float64"});
  asked_attributes::require_understood();
}

}  // namespace nvdlac::import::mxnet_format
