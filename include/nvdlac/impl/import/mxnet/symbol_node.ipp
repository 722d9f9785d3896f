// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/mxnet/symbol_node.hpp>
#include <nvdlac/import/onnx/array.hpp>

namespace nvdlac::import::mxnet_format {

NVDLAC_IMPL std::string symbol_node::word(const char* name, const std::string& otherwise) const {
  const auto* v = find(name);
  return v == nullptr ? otherwise : *v;
}

NVDLAC_IMPL bool symbol_node::flag(const char* name, bool otherwise) const {
  const auto* v = find(name);
  if (v == nullptr) return otherwise;
  if (*v == "True" || *v == "true" || *v == "1") return true;
  if (*v == "False" || *v == "false" || *v == "0") return false;
  throw not_understood(name, *v);
}

NVDLAC_IMPL float symbol_node::number(const char* name, std::optional<float> otherwise) const {
  return number_of(name, otherwise);
}

NVDLAC_IMPL std::int64_t symbol_node::integer(const char* name,
                                              std::optional<std::int64_t> otherwise) const {
  return number_of(name, otherwise);
}

NVDLAC_IMPL std::optional<dims> symbol_node::integers(const char* name,
                                                      std::optional<std::int64_t> none) const {
  const auto* v = find(name);
  if (v == nullptr) return std::nullopt;
  dims d;
  std::string part;
  const auto end_part = [&] {
    if (part == "None" && none) d.push_back(*none);
    else if (!part.empty()) d.push_back(parsed<std::int64_t>(name, part));
    part.clear();
  };
  for (const char c : *v)
    if (c == ',') end_part();
    else if (std::string_view("()[] \tL").find(c) == std::string_view::npos) part += c;
  end_part();
  return d;
}

NVDLAC_IMPL dims symbol_node::per_axis(const char* name, std::size_t axes,
                                       std::int64_t otherwise) const {
  const auto d = integers(name);
  if (!d || d->empty()) return dims(axes, otherwise);
  if (d->size() != axes) throw error(text("its ", name, " is ", onnx_format::to_text(*d)));
  return *d;
}

NVDLAC_IMPL void symbol_node::require(const char* name,
                                      std::initializer_list<std::string_view> allowed) const {
  const auto* v = find(name);
  if (v != nullptr && std::ranges::find(allowed, *v) == allowed.end())
    throw error(text("its ", name, " is ", *v, ", which is not supported"));
}

NVDLAC_IMPL void symbol_node::require_understood() const {
  // How it is computed or was trained, and what the user noted.
  static const std::set<std::string_view> of_all = {
      "workspace", "cudnn_off", "cudnn_tune", "lr_mult", "wd_mult", "force_mirroring",
      "mirror_stage", "ctx_group"};
  require("dtype", {"float32", "float16", "float64"});
  std::vector<problem> all;
  for (const auto& [name, value] : attributes_.unasked())
    if (!of_all.contains(name) && !name.starts_with("__") &&
        !name.ends_with("_lr_mult") && !name.ends_with("_wd_mult"))
      all.push_back({.reason = text("its attribute ", name, " (", value, ") is not understood"),
                     .remedy = "leave it at its default"});
  if (!all.empty()) throw error(all);
}

NVDLAC_IMPL const std::string* symbol_node::find(const char* name) const {
  const auto* v = attributes_.find(name);
  return v == nullptr || *v == "None" ? nullptr : v;
}

}  // namespace nvdlac::import::mxnet_format
