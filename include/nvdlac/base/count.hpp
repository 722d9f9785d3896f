// SPDX-License-Identifier: Apache-2.0
#pragma once
// Counts as people read them.
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include <nvdlac/base/error.hpp>

namespace nvdlac {

namespace detail {

inline std::string noun_of(bool single, std::string_view one, std::string_view many) {
  if (single) return std::string(one);
  return many.empty() ? std::string(one) + 's' : std::string(many);
}

}  // namespace detail

// "1 layer", "2 layers", "3 axes": a count with its noun, whose plural ends with s or is given.
template <std::integral N>
constexpr std::string count_of(N n, std::string_view one, std::string_view many = {}) {
  if (std::is_constant_evaluated()) return {};
  return text(n, ' ', detail::noun_of(n == 1, one, many));
}

// "130,456": its digits in groups of three.
inline std::string grouped(std::uint64_t n) {
  auto digits = std::to_string(n);
  for (auto at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

// "1 cycle", "130,456 cycles"
inline std::string grouped(std::uint64_t n, std::string_view one, std::string_view many = {}) {
  return grouped(n) + ' ' + detail::noun_of(n == 1, one, many);
}

}  // namespace nvdlac
