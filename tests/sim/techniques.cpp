// SPDX-License-Identifier: Apache-2.0
// Unusual programs of nv_small with the verdict of its RTL: what that computes runs bit-exact, and
// what hangs it is refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "hardware.hpp"
#include "shared.hpp"

using namespace nvdlac;

namespace {

// CDMA told another geometry than CSC, an operation of CDMA alone, weights of a dummy layer: the
// simulator refuses them still.
bool cdma_differs_from_csc(const std::string& name) {
  constexpr std::array families{"li_", "all_", "q6c_", "q6_"};
  return std::ranges::any_of(families, [&](const char* f) { return name.starts_with(f); });
}

}  // namespace

TEST_CASE("techniques: the RTL's verdict") {
  const auto root = shared_path("golden/techniques");
  if (!root) {
    MESSAGE("no techniques at hand; skipped");
    return;
  }
  std::ifstream index(*root / "index.tsv");
  std::string line;
  std::getline(index, line);  // the heading
  int seen = 0;
  while (std::getline(index, line)) {
    std::istringstream columns(line);
    std::string name, verdict;
    std::getline(columns, name, '\t');
    std::getline(columns, verdict, '\t');
    ++seen;
    const bool runs = verdict == "PASS";
    if (runs && cdma_differs_from_csc(name)) continue;
    CAPTURE(name);
    const auto play = [&] {
      return hardware<nv_small>().replay(sim::read_trace(*root / "nv_small" / name / "trace.txt"),
                                         {});
    };
    if (!runs) {
      CHECK_THROWS_AS(play(), error);
      continue;
    }
    std::vector<sim::difference> differences;
    REQUIRE_NOTHROW(differences = play());
    CHECK_MESSAGE(differences.empty(), (differences.empty() ? "" : differences[0].what));
  }
  CHECK(seen == 60);
}
