// SPDX-License-Identifier: Apache-2.0
#pragma once
// The text of a Darknet network: sections, and in each `key=value` on a line.
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
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
  const entry* find(std::string_view key) const;
  std::int64_t integer(std::string_view key, std::int64_t none) const;
  float real(std::string_view key, float none) const;
  std::string word(std::string_view key, std::string none) const;
  bool flag(std::string_view key) const { return integer(key, 0) != 0; }
  // Numbers with commas between them; a last comma is allowed, as Darknet's own files have it.
  std::vector<std::int64_t> integers(std::string_view key) const;

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
std::vector<section> sections_of(std::string_view content, diagnostics& problems,
                                 const budget& limits);

}  // namespace nvdlac::import::darknet_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/darknet/section.ipp>
#endif
