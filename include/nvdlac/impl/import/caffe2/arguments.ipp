// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
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

namespace detail {

// The fields of an argument that hold values.
NVDLAC_IMPL std::vector<std::string_view> kinds_of(const proto::view& a) {
  std::vector<std::string_view> found;
  for (const char* one : {"f", "i", "s", "n"})
    if (a.has(one)) found.push_back(one);
  for (const char* list : {"floats", "ints", "strings"})
    if (a.size(list) > 0) found.push_back(list);
  return found;
}

}  // namespace detail

NVDLAC_IMPL hub::plain_value argument_values::plain(const proto::view& a) {
  const auto kinds = detail::kinds_of(a);
  if (kinds.empty()) return std::vector<hub::untyped_number>();  // an empty list
  if (kinds[0] == "i") return a.integer("i");
  if (kinds[0] == "f") return a.number("f");
  if (kinds[0] == "s") return a.bytes("s");
  if (kinds[0] == "ints") return a.values<std::int64_t>("ints");
  if (kinds[0] == "floats") return a.values<float>("floats");
  if (kinds[0] == "strings") return a.strings("strings");
  return hub::own_value{};
}

NVDLAC_IMPL std::string argument_values::call(std::string_view name) {
  return text("its argument ", name);
}

NVDLAC_IMPL bool argument_values::is_ignored(std::string_view name) {
  static const std::set<std::string_view> known = {
      "exhaustive_search", "ws_nbytes_limit", "shared_buffer",
      "convolution_transform_strategy", "cudnn_exhaustive_search"};
  return known.contains(name);
}

NVDLAC_IMPL arguments::arguments(const proto::view& op) {
  for (const auto& a : op.children("arg")) {
    const auto name = a.string("name");
    add(name, a);
    if (detail::kinds_of(a).size() > 1)
      throw error(format().call(name) + " has values of several kinds");
  }
}

NVDLAC_IMPL dims arguments::pair(const std::string& name, std::int64_t otherwise) const {
  const auto one = integer(name, otherwise);
  const auto each = integers(name + 's');
  if (each && each->size() != 2)
    throw error(text("its ", name, "s are ", onnx_format::to_text(*each)));
  const dims sides{integer(name + "_h", one), integer(name + "_w", one)};
  if (each && sides != dims{otherwise, otherwise} && sides != *each)
    throw error(text("its ", name, " is ", onnx_format::to_text(sides), " and ",
                     onnx_format::to_text(*each)));
  return each.value_or(sides);
}

}  // namespace nvdlac::import::caffe2_format
