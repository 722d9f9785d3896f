// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <nvdlac/base/edit_distance.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/user_names.hpp>

namespace nvdlac::import {

NVDLAC_IMPL std::optional<std::size_t> number_in(const std::string& name, std::size_t count) {
  std::size_t n = 0;
  const auto* end = name.data() + name.size();
  const auto [last, failed] = std::from_chars(name.data(), end, n);
  if (failed != std::errc() || last != end || n >= count) return std::nullopt;
  return n;
}

NVDLAC_IMPL std::string meant_instead_of(const std::string& name,
                                         const std::vector<std::string>& names) {
  if (names.empty()) return {};
  const bool is_number = !name.empty() && name.find_first_not_of("0123456789") == name.npos;
  if (is_number) return text("numbers are 0 to ", names.size() - 1);
  if (name.size() > 256) return {};
  std::vector<std::pair<std::size_t, const std::string*>> near;
  for (const auto& n : names) {
    if (n.empty() || n.size() > 256) continue;
    const bool holds = name.size() > 2 && n.find(name) != n.npos;
    const auto off = holds ? 0 : edit_distance(name, n);
    if (off <= std::max<std::size_t>(1, name.size() / 3)) near.emplace_back(off, &n);
  }
  std::ranges::stable_sort(near, {}, [](const auto& n) { return n.first; });
  std::string result;
  for (std::size_t i = 0; i < std::min<std::size_t>(near.size(), 3); ++i)
    result += text(i == 0 ? "perhaps " : " or ", '\'', *near[i].second, '\'');
  return result.empty() ? result : result + " is meant";
}

}  // namespace nvdlac::import
