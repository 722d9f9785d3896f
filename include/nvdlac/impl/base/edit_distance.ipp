// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/edit_distance.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>

namespace nvdlac {

NVDLAC_IMPL std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto before = std::exchange(row[0], i + 1);
    for (std::size_t k = 0; k < b.size(); ++k) {
      const auto changed = before + (a[i] == b[k] ? 0 : 1);
      before = std::exchange(row[k + 1], std::min({changed, row[k] + 1, row[k + 1] + 1}));
    }
  }
  return row.back();
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

NVDLAC_IMPL std::string meant_or_known(const std::string& name,
                                       const std::vector<std::string>& names) {
  const auto like = meant_instead_of(name, names);
  return !like.empty() || names.empty() ? like : "there are " + joined_first(names, 8);
}

}  // namespace nvdlac
