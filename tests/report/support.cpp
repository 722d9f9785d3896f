// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/report/support.hpp>

#include <fstream>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include <nvdlac/hw/configurations.hpp>

using namespace nvdlac;

TEST_CASE("docs/support.md is what the predicate says") {
  std::ifstream file(std::string(NVDLAC_SOURCE_DIR) + "/docs/support.md");
  REQUIRE(file);
  std::ostringstream committed;
  committed << file.rdbuf();
  CHECK(committed.str() == report::support_tables(hw::published{}));
}

TEST_CASE("a limit is the last number that runs and tells what stops the next") {
  using lower::reason;
  const auto [most, beyond] = report::limit_of(
      {"own", "number", [](std::int32_t n) { return n > 41 ? reason::no_pdp : reason::none; }});
  CHECK(most == 41);
  CHECK(beyond == reason::no_pdp);
  const auto never =
      report::limit_of({"own", "number", [](std::int32_t) { return reason::no_pdp; }});
  CHECK(never.most == 0);
}
