// SPDX-License-Identifier: Apache-2.0
#pragma once
// The golden register traces and which of them the simulator executes.
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

inline std::string case_name(const std::filesystem::path& trace) {
  return trace.parent_path().filename().string();
}

// What is not simulated is to be refused.
inline bool is_simulated(const std::filesystem::path& trace) {
  const auto name = case_name(trace);
  const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
  if (name.starts_with("conv_") || name.starts_with("img_"))
    for (const auto* mode : {"fp16", "abgr16f", "r16f"})
      if (has(mode)) return false;
  return true;
}

}  // namespace golden
