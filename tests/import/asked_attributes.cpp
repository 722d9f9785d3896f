// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <optional>

#include <nvdlac/import/hub/asked_attributes.hpp>

#include "problem_of.hpp"

using namespace nvdlac;

TEST_CASE("attributes that nobody asked for are reported") {
  import::hub::asked_attributes<int> given;
  CHECK(given.add("kernel", 3));
  CHECK(given.add("group", 2));
  CHECK(given.add("alpha", 1));
  CHECK_FALSE(given.add("kernel", 5));

  CHECK(*given.find("kernel") == 3);
  CHECK(given.find("stride") == nullptr);
  CHECK(given.has("group"));
  CHECK_FALSE(given.has("pad"));
  CHECK(given.asked() == "group, kernel, pad, stride");

  const auto left = given.unasked();
  REQUIRE(left.size() == 1);
  CHECK(left[0].first == "alpha");
  CHECK(left[0].second == 1);
  given.ignore({"alpha", "beta"});
  CHECK(given.unasked().empty());
}

TEST_CASE("a value that must be there") {
  CHECK(import::hub::required(std::optional(7), "axis") == 7);
  CHECK(problem_of([] { (void)import::hub::required(std::optional<int>(), "axis"); }).reason ==
        "its axis is missing");
}
