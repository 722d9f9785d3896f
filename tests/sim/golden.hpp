// SPDX-License-Identifier: Apache-2.0
#pragma once
// The golden register traces.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

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
    std::vector<runtime::difference> differences;
    REQUIRE_NOTHROW(differences = hardware<Hw>().replay(runtime::read_trace(path), {}));
    CHECK_MESSAGE(differences.empty(), (differences.empty() ? "" : differences[0].what));
  }
  CHECK(all.size() == cases);
}

// Why the RTL failed on programs, as the index says it, the rule that the simulator names, and how
// many such programs there are.
struct failing {
  std::string_view reason;
  const char* rule;
  std::size_t count;
};

// The programs of several layers that the RTL of the configuration ran, of which there are so many,
// and those that it failed on for these reasons. Other reasons have other tests.
template <hw::hardware Hw>
void check_programs(std::string_view folder, std::size_t good,
                    const std::vector<failing>& reasons) {
  const auto root = shared_path("golden/" + std::string(folder));
  if (!root) {
    MESSAGE("no golden programs at hand; skipped");
    return;
  }
  std::size_t passed = 0;
  std::vector<std::size_t> refused(reasons.size());
  std::ifstream index(root->parent_path() / "index.tsv");
  for (std::string line; std::getline(index, line);) {
    std::istringstream words(line);
    std::string config, name, file, verdict;
    for (auto* field : {&config, &name, &file, &verdict}) std::getline(words, *field, '\t');
    if (config != root->filename()) continue;
    CAPTURE(line);
    const auto trace = runtime::read_trace(*root / name / file);
    if (verdict == "PASS") {
      std::vector<runtime::difference> differences;
      REQUIRE_NOTHROW(differences = hardware<Hw>().replay(trace, {}));
      CHECK_MESSAGE(differences.empty(), (differences.empty() ? "" : differences[0].what));
      ++passed;
      continue;
    }
    for (std::size_t i = 0; i < reasons.size(); ++i) {
      if (line.find(reasons[i].reason) == std::string::npos) continue;
      CHECK_THROWS_WITH_AS(hardware<Hw>().replay(trace, {}), doctest::Contains(reasons[i].rule),
                           error);
      ++refused[i];
    }
  }
  CHECK(passed == good);
  for (std::size_t i = 0; i < reasons.size(); ++i) CHECK(refused[i] == reasons[i].count);
}

}  // namespace golden
