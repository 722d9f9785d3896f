// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/label.hpp>

using namespace nvdlac;
using namespace std::string_view_literals;

static_assert(label("conv1", "/k", 16) == "conv1/k16");
static_assert(label(label("a"), label(), "") == "a");
static_assert(label().empty() && label("").empty() && label(0).size() == 1);

TEST_CASE("a label writes numbers of every size") {
  CHECK(label(0, -1, 10, -10) == "0-110-10");
  CHECK(label(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
  CHECK(label(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
  CHECK(label(std::int8_t{-128}, std::uint8_t{255}) == "-128255");
}

TEST_CASE("a label owns its characters") {
  std::vector<label> all;
  {
    const std::string name = "layer";
    all.emplace_back(name);
  }
  label copy = all[0];
  all.clear();
  CHECK(copy == "layer"sv);

  label moved = std::move(copy);
  CHECK(moved == "layer"sv);
  CHECK(copy.empty());  // NOLINT(bugprone-use-after-move): it is what a moved label is

  label& itself = moved;
  moved = itself;
  CHECK(moved == "layer"sv);
  moved = std::move(itself);
  CHECK(moved == "layer"sv);
  moved = label();
  CHECK(moved.empty());
}
