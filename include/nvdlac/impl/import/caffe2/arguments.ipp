// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/caffe2/arguments.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::caffe2_format {

NVDLAC_IMPL arguments::arguments(const proto::view& op) {
  for (const auto& a : op.children("arg")) {
    const auto name = a.string("name");
    if (!all_.add(name, a))
      throw error("its argument " + name + " is given twice");
    if (std::ranges::count_if(kinds, [&](const char* k) { return holds(a, k); }) > 1)
      throw error("its argument " + name + " has values of several kinds");
  }
}

NVDLAC_IMPL std::int64_t arguments::integer(const char* name, std::int64_t otherwise) const {
  const auto* a = all_.find(name);
  return a == nullptr ? otherwise : checked(*a, name, "i").integer("i");
}

NVDLAC_IMPL float arguments::number(const char* name, float otherwise) const {
  const auto* a = all_.find(name);
  return a == nullptr ? otherwise : checked(*a, name, "f").number("f");
}

NVDLAC_IMPL std::string arguments::word(const char* name, const std::string& otherwise) const {
  const auto* a = all_.find(name);
  return a == nullptr ? otherwise : checked(*a, name, "s").bytes("s");
}

NVDLAC_IMPL std::optional<dims> arguments::integers(const char* name) const {
  const auto* a = all_.find(name);
  if (a == nullptr) return std::nullopt;
  if (std::ranges::any_of(kinds, [&](const char* k) {
        return std::string_view(k) != "ints" && holds(*a, k);
      }))
    throw error(text("its argument ", name, " has no values in ints"));
  return a->values<std::int64_t>("ints");
}

NVDLAC_IMPL std::vector<float> arguments::numbers(const char* name) const {
  const auto* a = all_.find(name);
  return a == nullptr ? std::vector<float>{} : a->values<float>("floats");
}

NVDLAC_IMPL dims arguments::pair(const std::string& name, std::int64_t otherwise) const {
  const auto one = integer(name.c_str(), otherwise);
  const auto each = integers((name + 's').c_str());
  if (each && each->size() != 2)
    throw error(text("its ", name, "s are ", onnx_format::to_text(*each)));
  const dims sides{integer((name + "_h").c_str(), one), integer((name + "_w").c_str(), one)};
  if (each && sides != dims{otherwise, otherwise} && sides != *each)
    throw error(text("its ", name, " is ", onnx_format::to_text(sides), " and ",
                     onnx_format::to_text(*each)));
  return each.value_or(sides);
}

NVDLAC_IMPL void arguments::require_understood() const {
  // How it is computed.
  static const std::set<std::string_view> of_all = {
      "exhaustive_search", "ws_nbytes_limit", "shared_buffer",
      "convolution_transform_strategy", "cudnn_exhaustive_search"};
  std::vector<problem> wrong;
  for (const auto& [name, ignored] : all_.unasked())
    if (!of_all.contains(name))
      wrong.push_back({.reason = "its argument " + name + " is not understood",
                       .remedy = "leave it at its default"});
  if (!wrong.empty()) throw error(wrong);
}

NVDLAC_IMPL const proto::view& arguments::checked(const proto::view& a, const char* name,
                                                  const char* field) {
  if (!a.has(field)) throw error(text("its argument ", name, " has no value in ", field));
  return a;
}

}  // namespace nvdlac::import::caffe2_format
