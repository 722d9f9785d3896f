// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/emit/cpp_names.hpp>

namespace nvdlac::emit {

NVDLAC_IMPL std::string identifier(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (detail::is_letter(c) || detail::is_digit(c)) result += c;
    else if (!result.empty() && result.back() != '_') result += '_';
  }
  while (!result.empty() && result.back() == '_') result.pop_back();
  if (result.empty() || detail::is_digit(result[0])) result.insert(0, "n");
  if (!is_identifier(result)) result += "_1";
  return result;
}

NVDLAC_IMPL std::string literal(std::string_view bytes) {
  const auto result = escape::literal(bytes);
  if (bytes.find('\0') == bytes.npos) return result;
  return "std::string_view(" + result + ", " + std::to_string(bytes.size()) + ")";
}

NVDLAC_IMPL std::string unique_names::operator()(std::string_view wish) {
  std::string name(wish);
  for (int i = 2; !used_.insert(name).second; ++i)
    name = std::string(wish) + "_" + std::to_string(i);
  return name;
}

}  // namespace nvdlac::emit
