// SPDX-License-Identifier: Apache-2.0
#pragma once
// The golden register traces.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "hardware.hpp"
#include "shared.hpp"

namespace golden {

using namespace nvdlac;

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

// Every case of the folder must pass: so many.
template <hw::hardware Hw>
void check_folder(std::string_view folder, std::size_t cases) {
  const auto all = traces(folder);
  if (all.empty()) return;
  for (const auto& path : all) {
    CAPTURE(path.string());
    std::vector<sim::difference> differences;
    REQUIRE_NOTHROW(differences = hardware<Hw>().replay(sim::read_trace(path), {}));
    CHECK_MESSAGE(differences.empty(), (differences.empty() ? "" : differences[0].what));
  }
  CHECK(all.size() == cases);
}

}  // namespace golden
