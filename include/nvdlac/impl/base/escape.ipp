// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/impl.hpp>

namespace nvdlac::escape {

NVDLAC_IMPL std::string line(std::string_view s) {
  return detail::written(s, [](std::string&, std::string_view) { return false; });
}

NVDLAC_IMPL bool begins_formula(std::string_view s) {
  if (s.empty() || std::string_view("=+-@").find(s[0]) == std::string_view::npos) return false;
  const auto digits = s.substr(s[0] == '+' ? 1 : 0);
  double number = 0;
  const auto [end, failed] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return s[0] == '=' || s[0] == '@' || failed != std::errc() ||
         end != digits.data() + digits.size();
}

NVDLAC_IMPL std::string csv(std::string_view s) {
  auto words = line(s);
  if (begins_formula(words)) words.insert(words.begin(), formula_guard);
  if (words.find_first_of(",\"") == words.npos) return words;
  std::string quoted = "\"";
  for (const char c : words) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

NVDLAC_IMPL std::string lines(std::string_view s) {
  return detail::written(s, [](std::string& to, std::string_view c) {
    const bool kept = c == "\n" || c == "\t";
    if (kept) to += c;
    return kept;
  });
}

NVDLAC_IMPL std::string comment(std::string_view s) {
  return detail::written(s, [](std::string& to, std::string_view c) {
    const bool end = c == "/" && to.ends_with('*'), begin = c == "*" && to.ends_with('/');
    const bool trigraph = c == "?" && to.ends_with('?');
    if (c != "\\" && !end && !begin && !trigraph) return false;
    detail::append_hex(to, c);
    return true;
  });
}

NVDLAC_IMPL std::string literal(std::string_view s) {
  std::string result = "\"";
  for (const char c : s) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?') (result += '\\') += c;  // "??/" is a backslash
    else if (u >= 32 && u < 127) result += c;
    else  // three digits end the escape
      for (const int shift : {9, 6, 3, 0})
        result += shift == 9 ? '\\' : static_cast<char>('0' + (u >> shift) % 8);
  }
  return result += '"';
}

NVDLAC_IMPL std::string dot(std::string_view s) {
  std::string result;
  for (const char c : line(s))
    if (c == '"' || c == '\\') (result += '\\') += c;
    else if (c == '&') result += "&amp;";
    else result += c;
  return result;
}

NVDLAC_IMPL std::string json_in_html(std::string_view json) {
  std::string result;
  for (const char c : json)
    if (c == '<') result += "\\u003c";
    else result += c;
  return result;
}

NVDLAC_IMPL std::string word(std::string_view s) {
  std::string result;
  for (const char c : s) {
    const auto u = static_cast<unsigned char>(c);
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
        c == '_' || c == '-' || c == '+')
      result += c;
    else ((result += '%') += "0123456789abcdef"[u >> 4U]) += "0123456789abcdef"[u & 15U];
  }
  return result;
}

NVDLAC_IMPL std::string name_of_word(std::string_view s) {
  std::string result;
  for (std::size_t i = 0; i < s.size(); ++i) {
    unsigned char byte = 0;
    const auto* const digits = s.data() + i + 1;
    const bool is_escaped = s[i] == '%' && s.size() - i > 2 &&
                            std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    result += is_escaped ? static_cast<char>(byte) : s[i];
    if (is_escaped) i += 2;
  }
  return result;
}

}  // namespace nvdlac::escape
