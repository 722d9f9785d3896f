// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/report/formats_page.hpp>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

using namespace nvdlac;

TEST_CASE("docs/formats.md is what the importers' tables say") {
  std::ifstream file(std::string(NVDLAC_SOURCE_DIR) + "/docs/formats.md");
  REQUIRE(file);
  std::ostringstream committed;
  committed << file.rdbuf();
  CHECK(committed.str() == report::formats_page());
}

TEST_CASE("every name of every format stands once on the page, and every stem has a name") {
  const auto page = report::formats_page();
  std::set<std::string> stems;
  std::size_t names = 0, cells = 0;
  for (const auto& f : report::understood_formats()) {
    CHECK(f.names.size() >= 30);
    names += f.names.size();
    for (const auto& n : f.names) {
      stems.insert(report::stem_of(n));
      stems.insert(std::string(f.key) + ':' + report::stem_of(n));
      CHECK(page.find('`' + n + '`') != page.npos);
    }
  }
  for (std::size_t at = page.find("## "); (at = page.find('`', at)) != page.npos; ++at) ++cells;
  CHECK(cells == 2 * names);
  for (const auto& [stem, ignored] : report::detail::lines_by_stem()) {
    INFO(stem);
    CHECK(stems.contains(stem));
  }
}

TEST_CASE("names of several formats have one stem") {
  CHECK(report::stem_of("BatchMatMulV2") == "batchmatmul");
  CHECK(report::stem_of("max_pool2d") == "maxpool");
  CHECK(report::stem_of("_adaptive_avg_pool2d") == "adaptiveavgpool");
  CHECK(report::stem_of("com.microsoft:QLinearAdd") == "qlinearadd");
  CHECK(report::stem_of("BatchToSpaceND") == "batchtospace");
  CHECK(report::stem_of("constant_pad_nd") == "constantpad");
  CHECK(report::stem_of("And") == "and");
  CHECK(report::stem_of("ROUND") == "round");
  CHECK(report::stem_of("L2_POOL_2D") == "l2pool");
}
