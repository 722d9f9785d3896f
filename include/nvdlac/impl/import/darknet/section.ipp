// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/darknet/section.hpp>

namespace nvdlac::import::darknet_format {

NVDLAC_IMPL const entry* section::find(std::string_view key) const {
  const auto found = std::ranges::find(entries, key, &entry::key);
  return found == entries.end() ? nullptr : &*found;
}

NVDLAC_IMPL hub::plain_value section::plain(const entry& e) {
  constexpr double most = 1 << 30;
  hub::characters c{e.value};
  const auto numbers = hub::read_as<std::vector<float>>(c);
  const bool within = !numbers || std::ranges::all_of(*numbers, [&](float v) {
    return v >= -most && v <= most;
  });
  if (!within) return hub::own_value{};
  return c;
}

NVDLAC_IMPL std::vector<section> sections_of(std::string_view content, diagnostics& problems,
                                             const budget& limits) {
  std::vector<section> result;
  std::size_t line = 0, entries = 0;
  while (!content.empty()) {
    ++line;
    const auto whole = content.substr(0, content.find('\n'));
    content.remove_prefix(std::min(whole.size() + 1, content.size()));
    std::string s(whole.substr(0, whole.find_first_of("#;")));
    std::erase_if(s, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
    if (s.empty()) continue;
    const auto complain = [&](std::string reason) {
      problems.add({.line = line, .reason = std::move(reason)});
    };
    if (s.front() == '[') {
      if (s.back() != ']') complain("the name of a section has no ] at its end");
      result.push_back({.type = s.substr(1, s.find(']') - 1), .line = line});
      require_within(&budget::nodes, result.size(), limits);
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
    require_within(&budget::fields, ++entries, limits);
    result.back().entries.push_back(
        {.key = s.substr(0, equals), .value = s.substr(equals + 1), .line = line});
  }
  return result;
}

}  // namespace nvdlac::import::darknet_format
