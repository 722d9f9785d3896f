// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/label.hpp>

using nvdlac::label;

static_assert(label("conv1", "/k", 16) == "conv1/k16");
static_assert(label(0, -7, std::string_view("x")) == "0-7x");
static_assert(label().empty() && label("").empty() && label("abc").size() == 3);
static_assert(label(label("a"), "/b") == label("a/b"));
static_assert(!(label("a") == "b") && label("a") != "ab");

TEST_CASE("a label converts to text and back") {
  const label l("layer ", std::uint64_t{12345678901234567890u});
  const std::string s = l;
  CHECK(s == "layer 12345678901234567890");
  CHECK(label(s) == l);
  CHECK(nvdlac::text('<', l, '>') == "<layer 12345678901234567890>");
  std::string assigned;
  assigned = l;
  CHECK(assigned == s);
  CHECK(label(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
}
