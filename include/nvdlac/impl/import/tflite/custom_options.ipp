// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/verified_table.hpp>
#include <nvdlac/import/tflite/custom_options.hpp>

#include <flatbuffers/flexbuffers.h>  // behind what configures it

namespace nvdlac::import::tflite_format {

NVDLAC_IMPL custom_options::custom_options(std::span<const std::uint8_t> bytes) {
  // Values are read where they are, so they must be aligned in memory as in the buffer; and the
  // verifier lets names run over its end, so that a 0 stands behind it.
  std::vector<std::uint8_t> aligned(bytes.begin(), bytes.end());
  aligned.push_back(0);
  std::vector<std::uint8_t> seen;
  if (!flexbuffers::VerifyBuffer(aligned.data(), bytes.size(), &seen))
    throw error("its options are truncated or corrupt: their FlexBuffers encoding is broken");
  const auto root = flexbuffers::GetRoot(aligned.data(), bytes.size());
  if (!root.IsMap()) throw error("its options are no map of names");
  const auto map = root.AsMap();
  const auto keys = map.Keys();
  const auto values = map.Values();
  if (keys.size() != values.size())
    throw error(text("its options have ", keys.size(), " names and ",
                     count_of(values.size(), "value")));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string name = keys[i].AsKey();
    if (name.starts_with('_')) continue;
    const auto v = values[i];
    if (!v.IsNumeric() && !v.IsBool())
      throw error("its option '" + escape::line(name) + "' is no number");
    if (!values_.add(name, v.IsFloat()  ? v.AsDouble()
                           : v.IsUInt() ? static_cast<double>(v.AsUInt64())
                           : v.IsBool() ? static_cast<double>(v.AsBool())
                                        : static_cast<double>(v.AsInt64())))
      throw error("its option '" + escape::line(name) + "' is given twice");
  }
}

NVDLAC_IMPL float custom_options::number(std::string_view name) const {
  const auto* v = values_.find(name);
  if (v == nullptr) throw error(text("its option '", name, "' is missing"));
  if (!(std::abs(*v) <= double{std::numeric_limits<float>::max()}))
    throw error(text("its option '", name, "' is ", *v));
  return static_cast<float>(*v);
}

NVDLAC_IMPL std::int32_t custom_options::integer(std::string_view name) const {
  if (!values_.has(name)) throw error(text("its option '", name, "' is missing"));
  return integer(name, 0);
}

NVDLAC_IMPL std::int32_t custom_options::integer(std::string_view name,
                                                 std::int32_t otherwise) const {
  const auto* v = values_.find(name);
  if (v == nullptr) return otherwise;
  using limits = std::numeric_limits<std::int32_t>;
  if (!(*v >= double{limits::min()} && *v <= double{limits::max()}) || *v != std::floor(*v))
    throw error(text("its option '", name, "' is ", *v));
  return static_cast<std::int32_t>(*v);
}

NVDLAC_IMPL bool custom_options::flag(std::string_view name, bool otherwise) const {
  const auto v = integer(name, otherwise ? 1 : 0);
  if (v != 0 && v != 1) throw error(text("its option '", name, "' is ", v, ", not 0 or 1"));
  return v == 1;
}

NVDLAC_IMPL void custom_options::require_all_asked() const {
  for (const auto& [name, ignored] : values_.unasked())
    throw error("its option '" + escape::line(name) + "' is not understood");
}

}  // namespace nvdlac::import::tflite_format
