// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
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

// Without FlatBuffers' own table of locales, which only words that are numbers ask, its headers
// need no library: Debian's static one cannot be a part of a shared library. It is set here alone,
// so that a user's JSON of FlatBuffers is read as elsewhere.
#pragma push_macro("FLATBUFFERS_LOCALE_INDEPENDENT")
#undef FLATBUFFERS_LOCALE_INDEPENDENT
#define FLATBUFFERS_LOCALE_INDEPENDENT 0
#include <flatbuffers/flexbuffers.h>
#pragma pop_macro("FLATBUFFERS_LOCALE_INDEPENDENT")

namespace nvdlac::import::tflite_format {

NVDLAC_IMPL hub::plain_value option_values::plain(double v) {
  if (!std::isfinite(v)) return hub::own_value{};
  return hub::number_of(v);
}

NVDLAC_IMPL std::string option_values::call(std::string_view name) {
  return "its option '" + escape::line(name) + '\'';
}

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
    if (!v.IsNumeric() && !v.IsBool()) throw error(format().call(name) + " is no number");
    add(name, v.IsFloat()  ? v.AsDouble()
              : v.IsUInt() ? static_cast<double>(v.AsUInt64())
              : v.IsBool() ? static_cast<double>(v.AsBool())
                           : static_cast<double>(v.AsInt64()));
  }
}

NVDLAC_IMPL std::int32_t custom_options::integer(std::string_view name,
                                                 std::optional<std::int32_t> otherwise) const {
  const auto v = asked_attributes::integer(name, otherwise);
  if (!std::in_range<std::int32_t>(v))
    throw error(text(format().call(name), " is ", static_cast<double>(v),
                     ", which does not fit into 32 bits"));
  return static_cast<std::int32_t>(v);
}

}  // namespace nvdlac::import::tflite_format
