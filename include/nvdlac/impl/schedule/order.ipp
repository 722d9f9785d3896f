// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/schedule/order.hpp>

namespace nvdlac::schedule::detail {

NVDLAC_IMPL std::vector<std::size_t> order_of_need(const stage_list& stages) {
  const auto& groups = stages.groups();
  std::vector<std::size_t> order(stages.size()), needed(stages.size(), stages.size());
  for (std::size_t n = stages.size(); n-- > 0;) {
    order[n] = n;
    for (const auto g : stages.needs(n))
      for (const auto before : groups[g]) needed[before] = n;
  }
  for (std::size_t first = 0, n = 0; n <= stages.size(); ++n) {
    const bool is_next = n == stages.size() || std::ranges::any_of(stages.needs(n), [&](auto g) {
      return std::ranges::any_of(groups[g], [&](auto before) { return before >= first; });
    });
    if (!is_next) continue;
    std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(first),
                     order.begin() + static_cast<std::ptrdiff_t>(n),
                     [&](auto a, auto b) { return needed[a] < needed[b]; });
    first = n;
  }
  return order;
}

NVDLAC_IMPL std::vector<std::size_t> by_rank(const stage_list& stages,
                                             std::span<const std::size_t> ranks) {
  std::vector<std::size_t> waits_for(stages.groups().size());   // by group: stages not in order yet
  std::vector<std::vector<std::size_t>> in_groups(stages.size()), for_group(waits_for.size());
  std::vector<std::size_t> groups(stages.size());               // by stage: groups not complete yet
  for (std::size_t g = 0; g < waits_for.size(); ++g) {
    waits_for[g] = stages.groups()[g].size();
    for (const auto n : stages.groups()[g]) in_groups[n].push_back(g);
  }
  std::set<std::pair<std::size_t, std::size_t>> ready;
  for (std::size_t n = 0; n < stages.size(); ++n) {
    for (const auto g : stages.needs(n)) for_group[g].push_back(n);
    groups[n] = stages.needs(n).size();
    if (groups[n] == 0) ready.emplace(ranks[n], n);
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const auto n = ready.extract(ready.begin()).value().second;
    order.push_back(n);
    for (const auto g : in_groups[n])
      if (--waits_for[g] == 0)
        for (const auto next : for_group[g])
          if (--groups[next] == 0) ready.emplace(ranks[next], next);
  }
  return order;
}

}  // namespace nvdlac::schedule::detail
