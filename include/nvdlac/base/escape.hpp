// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names from a user's files, which may hold any bytes, in the texts that nvdlac writes. There is
// one function for each language, so that no name becomes more than a name: no code, no line of its
// own, no command to a terminal.
#include <cstddef>
#include <string>
#include <string_view>

#include <nvdlac/base/version.hpp>

namespace nvdlac::escape {

namespace detail {

// A character of UTF-8: its bytes and its number; of no bytes where there is none.
struct character {
  std::size_t bytes = 0;
  char32_t number = 0;
};
constexpr character first_of(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  if (s.empty()) return {};
  const char32_t lead = byte(0);
  if (lead < 0x80) return {1, lead};
  const std::size_t n = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || s.size() < n) return {};
  char32_t number = lead & (0x7fU >> n);
  for (std::size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {};
    number = number << 6U | (byte(i) & 0x3fU);
  }
  const bool longer_than_needed = number < (n == 4 ? 0x10000U : n == 3 ? 0x800U : 0x80U);
  const bool surrogate = number >= 0xd800 && number <= 0xdfff;
  return longer_than_needed || surrogate || number > 0x10ffff ? character{} : character{n, number};
}

// Whether a character stands where it is written: no control, end of a line, mark that turns
// the direction of a text or cannot be seen.
constexpr bool is_plain(char32_t c) {
  const auto in = [&](char32_t first, char32_t last) { return c >= first && c <= last; };
  return c >= 0x20 && !in(0x7f, 0x9f) && c != 0xad && c != 0x61c && !in(0x200b, 0x200f) &&
         !in(0x2028, 0x202e) && !in(0x2060, 0x206f) && c != 0xfeff && !in(0xfff9, 0xfffb) &&
         !in(0xe0000, 0xe007f);
}

constexpr void append_hex(std::string& to, std::string_view bytes) {
  for (const char c : bytes) {
    const auto u = static_cast<unsigned char>(c);
    ((to += "\\x") += "0123456789abcdef"[u >> 4U]) += "0123456789abcdef"[u & 15U];
  }
}

// The plain characters as `each` writes them, the bytes of all else in hexadecimal.
template <class Each>
std::string written(std::string_view s, Each each) {
  std::string result;
  while (!s.empty()) {
    const auto c = first_of(s);
    const auto bytes = s.substr(0, c.bytes == 0 ? 1 : c.bytes);
    if (!each(result, bytes)) {
      if (c.bytes != 0 && is_plain(c.number)) result += bytes;
      else append_hex(result, bytes);
    }
    s.remove_prefix(bytes.size());
  }
  return result;
}

}  // namespace detail

// Whether all of it is UTF-8, as JSON needs it.
constexpr bool is_utf8(std::string_view s) {
  while (!s.empty()) {
    const auto c = detail::first_of(s);
    if (c.bytes == 0) return false;
    s.remove_prefix(c.bytes);
  }
  return true;
}
// UTF-8 without control characters: a name that can be printed and written to any report.
constexpr bool is_printable(std::string_view s) {
  for (const char c : s)
    if (const auto u = static_cast<unsigned char>(c); u < 0x20 || u == 0x7f) return false;
  return is_utf8(s);
}

// One line of UTF-8 for a message, a log or the comment of a trace.
std::string line(std::string_view s);
// Whether a table program takes words for a formula: they begin as one, and are no number.
bool begins_formula(std::string_view s);
// The character that makes text of such words when it stands before them.
inline constexpr char formula_guard = '\'';

// A cell of comma-separated values, in one line; a table program computes nothing of it.
std::string csv(std::string_view s);
// Lines of such text, with tabulators, for the terminal.
std::string lines(std::string_view s);

// A comment of C or C++, or a part of one line of it between spaces or quotes: it ends no comment,
// begins none, continues no line.
std::string comment(std::string_view s);

// A literal of C and C++ of exactly these bytes.
std::string literal(std::string_view s);

// The text between the quotes of a string of Graphviz, which knows backslashes and HTML's
// entities.
std::string dot(std::string_view s);

// A value in JSON inside a script element of HTML: only its strings hold a '<', and none may begin
// the end of the element or a comment.
std::string json_in_html(std::string_view json);

// A name as one word of a trace or a part of a file's name: what is no letter, digit, '.', '_', '-'
// or '+' of ASCII becomes '%' and two digits, so that different names stay different.
std::string word(std::string_view s);
// The name of such a word; a '%' without two digits behind it stands for itself.
std::string name_of_word(std::string_view s);

}  // namespace nvdlac::escape

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/base/escape.ipp>
#endif
