// SPDX-License-Identifier: Apache-2.0
#include "nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace nvdlac::cli {
namespace {

// Letters that are changed, left out or put in between two words: Levenshtein's distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto before = std::exchange(row[0], i + 1);
    for (std::size_t k = 0; k < b.size(); ++k) {
      const auto changed = before + (a[i] == b[k] ? 0 : 1);
      before = row[k + 1];
      row[k + 1] = std::min({changed, row[k] + 1, row[k + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  // A third of the letters may differ, of short words two but not all.
  auto least = std::min(std::max<std::size_t>(2, word.size() / 3) + 1, word.size());
  std::string found;
  for (const auto& k : known)
    if (const auto d = distance(word, k); d < least) least = d, found = k;
  return found;
}

}  // namespace nvdlac::cli
