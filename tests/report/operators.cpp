// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/report/operators_page.hpp>

#include <fstream>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/lower/support.hpp>

using namespace nvdlac;

TEST_CASE("docs/operators.md is what the predicate says") {
  std::ifstream file(std::string(NVDLAC_SOURCE_DIR) + "/docs/operators.md");
  REQUIRE(file);
  std::ostringstream committed;
  committed << file.rdbuf();
  CHECK(committed.str() == report::operators_page(hw::published{}));
}

TEST_CASE("a limit is the last number that runs and tells what stops the next") {
  using lower::reason;
  const auto [most, beyond] =
      report::limit_of([](std::int32_t n) { return n > 41 ? reason::no_pdp : reason::none; });
  CHECK(most == 41);
  CHECK(beyond == reason::no_pdp);
  CHECK(report::limit_of([](std::int32_t) { return reason::no_pdp; }).most == 0);
}

TEST_CASE("what one layer takes is told beside what several do") {
  report::detail::notes note;
  const auto below = [](std::int32_t limit) {
    return [=](std::int32_t n) {
      return n > limit ? lower::reason::stride_above_8 : lower::reason::none;
    };
  };
  const auto layer = [](std::int32_t limit) { return [=](std::int32_t n) { return n <= limit; }; };
  CHECK(report::detail::cell({"own", "number", below(9)}, note) == "9 [1]");
  CHECK(report::detail::cell({"own", "number", below(9), layer(9)}, note) == "9 [1]");
  CHECK(report::detail::cell({"own", "number", below(9), layer(8)}, note) == "9 (8) [1]");
  CHECK(report::detail::cell({"own", "number", below(10000), layer(8)}, note) == "any (8)");
}
