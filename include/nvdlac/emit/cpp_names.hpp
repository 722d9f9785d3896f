// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names from a user's files as parts of C++ source.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include <nvdlac/base/version.hpp>

namespace nvdlac::emit {

namespace detail {

// The words of C++20 that name nothing, and the namespaces that are taken.
inline constexpr std::array<std::string_view, 99> taken_words{
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
    "case", "catch", "char", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return",
    "co_yield", "compl", "concept", "const", "const_cast", "consteval", "constexpr", "constinit",
    "continue", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum",
    "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline",
    "int", "long", "main", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr",
    "nvdlac", "operator", "or", "or_eq", "posix", "private", "protected", "public", "register",
    "reinterpret_cast", "requires", "return", "short", "signed", "sizeof", "static",
    "static_assert", "static_cast", "std", "struct", "switch", "template", "this", "thread_local",
    "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using",
    "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq", "linux", "unix", "assert"};

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace detail

// Whether a namespace or a variable can have this name. Names that the language keeps for itself,
// such as "_a" and "a__b", are none.
constexpr bool is_identifier(std::string_view s) {
  if (s.empty() || !detail::is_letter(s[0]) || s.find("__") != s.npos) return false;
  return std::all_of(s.begin(), s.end(), [](char c) {
           return detail::is_letter(c) || detail::is_digit(c) || c == '_';
         }) &&
         std::find(detail::taken_words.begin(), detail::taken_words.end(), s) ==
             detail::taken_words.end();
}

// "a" and "a::b"
constexpr bool is_namespace(std::string_view s) {
  for (auto end = s.find("::"); end != s.npos; end = s.find("::")) {
    if (!is_identifier(s.substr(0, end))) return false;
    s.remove_prefix(end + 2);
  }
  return is_identifier(s);
}

// The identifier that looks most like the name: "res2a_branch1" of "res2a/branch1".
std::string identifier(std::string_view name);

// The name of the header that a C file, `stem`.c, includes; an error where no line of C can do so.
std::string header_of(std::string_view stem);

// Whether headers of C declare this outside of namespaces, or what stands before its "::", so that
// neither a namespace nor a type there can have the name: "index", "y1", "int8_t".
bool is_taken_globally(std::string_view name);

// The identifier of a namespace or a type that stands in no other: "index_1" of "index".
std::string global_identifier(std::string_view name);

// A std::string_view of exactly these bytes.
std::string literal(std::string_view bytes);

// Hands out each name once.
class unique_names {
 public:
  std::string operator()(std::string_view wish);

 private:
  std::set<std::string> used_{};
};

}  // namespace nvdlac::emit

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/emit/cpp_names.ipp>
#endif
