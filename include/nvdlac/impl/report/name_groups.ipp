// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/report/name_groups.hpp>

namespace nvdlac::report {

namespace detail {

// All that a name is within, the outermost first: "/a", "/a/b" of "/a/b/c".
NVDLAC_IMPL std::vector<std::string> homes_of(std::string_view name) {
  name = name.substr(0, name.find(';'));
  const char end = name.find('/') == name.npos ? '.' : '/';
  std::vector<std::string> homes;
  for (auto at = name.find(end, 1); at != name.npos; at = name.find(end, at + 1))
    homes.emplace_back(name.substr(0, at));
  return homes;
}

}  // namespace detail

NVDLAC_IMPL std::size_t name_groups::levels() const {
  std::size_t most = 0;
  for (const auto& g : groups) most = std::max(most, g.level + 1);
  return most;
}

NVDLAC_IMPL std::size_t name_groups::at_level(std::size_t of_group, std::size_t level) const {
  while (of_group != none && groups[of_group].level > level) of_group = groups[of_group].parent;
  return of_group != none && groups[of_group].level == level ? of_group : none;
}

NVDLAC_IMPL std::string name_groups::within(std::size_t of_group, const std::string& name) const {
  return of_group == none ? name : name.substr(groups[of_group].name.size() + 1);
}

NVDLAC_IMPL name_groups groups_of(const std::vector<std::string>& names) {
  struct home {
    std::size_t names = 0, most_within = 0;  // how many it holds, and the fullest home in it
    std::size_t group = name_groups::none;
  };
  std::map<std::string, home, std::less<>> homes;
  for (const auto& name : names)
    for (const auto& h : detail::homes_of(name)) ++homes[h].names;
  for (const auto& name : names) {
    home* outer = nullptr;
    for (const auto& h : detail::homes_of(name)) {
      auto& inner = homes[h];
      if (outer != nullptr) outer->most_within = std::max(outer->most_within, inner.names);
      outer = &inner;
    }
  }
  name_groups all;
  for (const auto& name : names) {
    auto innermost = name_groups::none;
    for (const auto& h : detail::homes_of(name)) {
      auto& found = homes[h];
      if (found.names < 2 || found.names == names.size() || found.most_within == found.names)
        continue;
      if (found.group == name_groups::none) {
        found.group = all.groups.size();
        all.groups.push_back({h, innermost, innermost == name_groups::none
                                                ? 0 : all.groups[innermost].level + 1});
      }
      innermost = found.group;
    }
    all.of.push_back(innermost);
  }
  return all;
}

}  // namespace nvdlac::report
