// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/net/operation.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL std::string to_text(const dims& d) {
  std::string s = "[";
  for (std::size_t i = 0; i < d.size(); ++i) s += (i == 0 ? "" : ", ") + std::to_string(d[i]);
  return s + "]";
}

NVDLAC_IMPL void constant_elements::take_weights(std::uint64_t n) {
  spend_within(&budget::weights, weights_, n, limits_);
}

NVDLAC_IMPL element_ceiling constant_elements::left_for(bool weight) const {
  const auto most = weight ? limits_.weights : most_;
  const auto used = weight ? weights_ : computed_;
  const auto left = std::min<std::uint64_t>(most - std::min(used, most), net::max_elements);
  element_ceiling ceiling(limits_);
  ceiling.elements = left;
  ceiling.moved = std::max(left, limits_.moved);
  if (weight) ceiling.limit = "weights";
  return ceiling;
}

NVDLAC_IMPL std::int64_t count(const dims& d) {
  std::int64_t n = 1;
  for (const auto i : d) {
    if (i < 0) throw error(text("the shape ", to_text(d), " has a negative dimension"));
    n = net::product({n, i});
  }
  if (n > net::max_elements || std::ranges::any_of(d, [](auto i) { return i > net::max_elements; }))
    throw error(text("the shape ", to_text(d), " has more than ", net::max_elements, " elements"));
  return n;
}

NVDLAC_IMPL std::int64_t count(const dims& d, const element_ceiling& most) {
  const auto n = count(d);
  if (std::cmp_greater(n, most.elements))
    throw error(problem{
        .reason = text("the shape ", to_text(d), " has too many elements for a constant: ",
                       most.elements, " are left for a model of this size"),
        .remedy = text("if that is meant, raise it: --limit ", most.limit, '=', n)});
  return n;
}

NVDLAC_IMPL std::string element_type(std::int64_t data_type) {
  static const char* const names[] = {"UNDEFINED",  "FLOAT",   "UINT8",  "INT8",   "UINT16",
                                      "INT16",      "INT32",   "INT64",  "STRING", "BOOL",
                                      "FLOAT16",    "DOUBLE",  "UINT32", "UINT64", "COMPLEX64",
                                      "COMPLEX128", "BFLOAT16", "FLOAT8E4M3FN",
                                      "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "UINT4",
                                      "INT4", "FLOAT4E2M1", "FLOAT8E8M0", "UINT2", "INT2"};
  return data_type >= 0 && data_type < std::ssize(names) ? names[data_type]
                                                         : text("number ", data_type);
}

NVDLAC_IMPL std::pair<std::int64_t, std::int64_t> range_of_type(std::int64_t t) {
  const auto bits = [](int n) { return (std::int64_t{1} << n) - 1; };
  switch (t) {
    case 2: case 9: return {0, bits(8)};
    case 3: return {-bits(7) - 1, bits(7)};
    case 4: return {0, bits(16)};
    case 5: return {-bits(15) - 1, bits(15)};
    case 6: return {-bits(31) - 1, bits(31)};
    case 12: return {0, bits(32)};
    case 13: return {0, std::numeric_limits<std::int64_t>::max()};
    case 21: return {0, bits(4)};
    case 22: return {-bits(3) - 1, bits(3)};
    default: break;
  }
  return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
}

NVDLAC_IMPL error out_of_type(std::string_view number, std::int64_t type) {
  const auto [least, most] = range_of_type(type);
  return error(problem{.reason = text("its value ", number, " is no ", element_type(type)),
                       .remedy = text(least, " to ", most, " is read")});
}

NVDLAC_IMPL float from_half(std::uint16_t h) {
  const int exponent = h >> 10 & 31, mantissa = h & 1023;
  float v = exponent == 0    ? std::ldexp(static_cast<float>(mantissa), -24)
            : exponent == 31 ? (mantissa == 0 ? INFINITY : NAN)
                             : std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
  return (h & 0x8000) != 0 ? -v : v;
}

NVDLAC_IMPL float from_bfloat(std::uint16_t b) {
  return std::bit_cast<float>(std::uint32_t{b} << 16);
}

NVDLAC_IMPL std::uint64_t bytes_of(std::int64_t t, std::uint64_t elements) {
  switch (t) {
    case 2: case 3: case 9: return elements;
    case 4: case 5: case 10: case 16: return 2 * elements;
    case 1: case 6: case 12: return 4 * elements;
    case 7: case 11: case 13: return 8 * elements;
    case 21: case 22: return elements / 2 + elements % 2;
    default: return 0;
  }
}

}  // namespace nvdlac::import::onnx_format
