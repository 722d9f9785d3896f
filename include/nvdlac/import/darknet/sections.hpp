// SPDX-License-Identifier: Apache-2.0
#pragma once
// The text of a Darknet network: sections, and in each `key=value` on a line.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>

namespace nvdlac::import::darknet_format {

struct entry {
  std::string key{}, value{};
  std::size_t line = 0;
};

// One section. Where a value is not of the kind that is asked for, it throws `error` with the line.
struct section {
  std::string type{};  // without the brackets
  std::size_t line = 0;
  std::vector<entry> entries{};

  // The first one counts.
  const entry* find(std::string_view key) const {
    const auto found = std::ranges::find(entries, key, &entry::key);
    return found == entries.end() ? nullptr : &*found;
  }
  std::int64_t integer(std::string_view key, std::int64_t none) const {
    const auto* e = find(key);
    return e == nullptr ? none : number<std::int64_t>(*e, e->value, "a whole number");
  }
  float real(std::string_view key, float none) const {
    const auto* e = find(key);
    return e == nullptr ? none : number<float>(*e, e->value, "a number");
  }
  std::string word(std::string_view key, std::string none) const {
    const auto* e = find(key);
    return e == nullptr ? std::move(none) : e->value;
  }
  bool flag(std::string_view key) const { return integer(key, 0) != 0; }
  // Numbers with commas between them; a last comma is allowed, as Darknet's own files have it.
  std::vector<std::int64_t> integers(std::string_view key) const {
    std::vector<std::int64_t> result;
    const auto* e = find(key);
    if (e == nullptr) return result;
    std::string_view rest = e->value;
    while (!rest.empty()) {
      const auto comma = std::min(rest.find(','), rest.size());
      result.push_back(number<std::int64_t>(*e, rest.substr(0, comma), "a list of numbers"));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return result;
  }

 private:
  template <class T>
  static T number(const entry& e, std::string_view s, const char* kind) {
    constexpr auto most = static_cast<T>(1 << 30);
    T v{};
    if (s.starts_with('+')) s.remove_prefix(1);
    const auto [end, failed] = std::from_chars(s.data(), s.data() + s.size(), v);
    const bool whole = failed == std::errc() && end == s.data() + s.size();
    if (!whole || !(v >= -most && v <= most))
      throw error(problem{.line = e.line, .reason = text(e.key, "=", e.value, " is not ", kind)});
    return v;
  }
};

// The sections in their order. What is no section and no `key=value` goes to `problems`. Spaces
// count nowhere; comments start with # or ;.
inline std::vector<section> sections_of(std::string_view content, diagnostics& problems) {
  std::vector<section> result;
  std::size_t line = 0, entries = 0;
  while (!content.empty()) {
    ++line;
    const auto end = std::min(content.find('\n'), content.size());
    std::string s(content.substr(0, std::min(content.find_first_of("#;"), end)));
    content.remove_prefix(std::min(end + 1, content.size()));
    std::erase_if(s, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
    if (s.empty()) continue;
    const auto complain = [&](std::string reason) {
      problems.add({.line = line, .reason = std::move(reason)});
    };
    if (s.front() == '[') {
      if (s.back() != ']') complain("the name of a section has no ] at its end");
      result.push_back({.type = s.substr(1, s.find(']') - 1), .line = line});
      require_within(&budget::nodes, result.size());
      continue;
    }
    const auto equals = s.find('=');
    if (equals == 0 || equals >= s.size() - 1) {
      complain("the line is neither [section] nor key=value");
      continue;
    }
    if (result.empty()) {
      complain("it stands before the first section");
      continue;
    }
    require_within(&budget::fields, ++entries);
    result.back().entries.push_back(
        {.key = s.substr(0, equals), .value = s.substr(equals + 1), .line = line});
  }
  return result;
}

}  // namespace nvdlac::import::darknet_format
