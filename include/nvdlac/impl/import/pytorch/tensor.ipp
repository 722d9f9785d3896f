// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/json.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/pytorch/tensor.hpp>

namespace nvdlac::import::pytorch_format {

NVDLAC_IMPL bool is_real(std::int64_t type) {
  return type == type_half || type == type_float || type == type_double || type == type_bfloat16;
}

NVDLAC_IMPL std::size_t size_of(std::int64_t type) {
  switch (type) {
    case type_long: case type_double: return 8;
    case type_int: case type_float: return 4;
    case type_short: case type_half: case type_bfloat16: return 2;
    case type_byte: case type_char: case type_bool: return 1;
    default: throw error(text("its values are of PyTorch's type number ", type));
  }
}

NVDLAC_IMPL std::int64_t integer_in(const json& v) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  if (!v.is_number_integer() ||
      (v.is_number_unsigned() && std::cmp_greater(v.get<std::uint64_t>(), most)))
    throw error(text("it has ", shown(v), " where a whole number is meant"));
  return v.get<std::int64_t>();
}

NVDLAC_IMPL dims fixed_sizes(const json& meta, const char* key) {
  const auto* list = member(meta, key);
  if (list == nullptr || !list->is_array() || list->size() > 8)
    throw error(text("its ", key, " are not told"));
  dims d;
  for (const auto& i : *list) {
    const auto* fixed = member(i, "as_int");
    if (fixed == nullptr) throw error(text("its ", key, " are not fixed"));
    d.push_back(integer_in(*fixed));
  }
  return d;
}

NVDLAC_IMPL array tensor_of(const json& meta, std::string_view bytes) {
  const auto* type = member(meta, "dtype");
  const auto kind = type == nullptr ? 0 : integer_in(*type);
  const auto size = size_of(kind);
  constexpr std::int64_t strided = 7;
  if (const auto* layout = member(meta, "layout");
      layout != nullptr && integer_in(*layout) != strided)
    throw error(problem{.reason = "its values are sparse", .remedy = "store them as dense ones"});
  array a{.shape = fixed_sizes(meta, "sizes"), .real = is_real(kind)};
  const auto n = static_cast<std::size_t>(onnx_format::count(a.shape));
  auto strides = fixed_sizes(meta, "strides");
  if (strides.size() != a.shape.size()) throw error("its strides do not fit its sizes");
  for (std::size_t i = 0; i < strides.size(); ++i)
    if (a.shape[i] == 1) strides[i] = 0;  // nothing steps by it
  const auto* start = member(meta, "storage_offset");
  const auto* first = start == nullptr ? nullptr : member(*start, "as_int");
  const auto offset = first == nullptr ? 0 : integer_in(*first);
  double last = static_cast<double>(offset);
  for (std::size_t i = 0; i < strides.size(); ++i)
    last += static_cast<double>(strides[i]) * static_cast<double>(a.shape[i] - 1);
  // A small file can describe large weights by strides of 0.
  if (offset < 0 || std::ranges::any_of(strides, [](auto s) { return s < 0; }) ||
      n > bytes.size() / size ||
      (n != 0 && (last + 1) * static_cast<double>(size) > static_cast<double>(bytes.size())))
    throw error(problem{.reason = text("its values have ", bytes.size(), " bytes, but its shape ",
                                       onnx_format::to_text(a.shape), " needs more"),
                        .remedy = "the file is corrupt"});
  const auto read = [&]<class Stored>(Stored, auto& to, auto convert) {
    to.resize(n);
    dims at(a.shape.size(), 0);
    std::int64_t place = offset;
    for (std::size_t i = 0; i < n; ++i) {
      Stored s;  // little endian, as the machines this runs on are
      std::memcpy(&s, bytes.data() + static_cast<std::size_t>(place) * sizeof(Stored),
                  sizeof(Stored));
      to[i] = convert(s);
      for (std::size_t k = at.size(); k-- > 0;) {
        place += strides[k];
        if (++at[k] < a.shape[k]) break;
        place -= strides[k] * a.shape[k];
        at[k] = 0;
      }
    }
  };
  const auto integer = [](auto v) { return static_cast<std::int64_t>(v); };
  const auto real = [](auto v) { return static_cast<float>(v); };
  switch (kind) {
    case type_float: read(float{}, a.reals, real); break;
    case type_double: read(double{}, a.reals, real); break;
    case type_half: read(std::uint16_t{}, a.reals, onnx_format::from_half); break;
    case type_bfloat16: read(std::uint16_t{}, a.reals, onnx_format::from_bfloat); break;
    case type_long: read(std::int64_t{}, a.integers, integer); break;
    case type_int: read(std::int32_t{}, a.integers, integer); break;
    case type_short: read(std::int16_t{}, a.integers, integer); break;
    case type_char: read(std::int8_t{}, a.integers, integer); break;
    default: read(std::uint8_t{}, a.integers, integer); break;
  }
  return a;
}

}  // namespace nvdlac::import::pytorch_format
