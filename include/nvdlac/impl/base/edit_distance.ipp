// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/edit_distance.hpp>
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

}  // namespace nvdlac
