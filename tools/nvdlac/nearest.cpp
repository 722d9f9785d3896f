// SPDX-License-Identifier: Apache-2.0
#include "nearest.hpp"

#include <algorithm>
#include <cstddef>

#include <nvdlac/base/edit_distance.hpp>

namespace nvdlac::cli {

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  // A third of the letters may differ, of short words two but not all.
  auto least = std::min(std::max<std::size_t>(2, word.size() / 3) + 1, word.size());
  std::string found;
  for (const auto& k : known)
    if (const auto d = edit_distance(word, k); d < least) {
      least = d;
      found = k;
    }
  return found;
}

}  // namespace nvdlac::cli
