// SPDX-License-Identifier: Apache-2.0
#pragma once
// The golden register traces.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/sim/replay.hpp>

#include "../shared.hpp"

namespace golden {

// The traces of one folder below golden/ in the order of their names; empty if there is none.
inline std::vector<std::filesystem::path> traces(std::string_view folder) {
  std::vector<std::filesystem::path> found;
  const auto root = shared_path("golden/" + std::string(folder));
  if (!root) {
    MESSAGE("no golden vectors at hand; skipped");
    return found;
  }
  for (const auto& entry : std::filesystem::directory_iterator(*root))
    found.push_back(entry.path() / "trace.txt");
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace golden
