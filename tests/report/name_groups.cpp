// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <nvdlac/report/name_groups.hpp>

using nvdlac::report::groups_of;
using nvdlac::report::name_groups;

namespace {

std::vector<std::string> names_of(const name_groups& all) {
  std::vector<std::string> names;
  for (const auto& g : all.groups) names.push_back(g.name);
  return names;
}

}  // namespace

TEST_CASE("groups are what names have in common, and stand in each other") {
  constexpr auto none = name_groups::none;
  const auto all = groups_of({"/conv", "/b/b.0/x", "/b/b.0/y", "/b/b.1/x", "/b/b.1/z/k", "/c/d/x",
                              "/c/d/y", "/q/r"});
  CHECK(names_of(all) == std::vector<std::string>{"/b", "/b/b.0", "/b/b.1", "/c/d"});
  CHECK(all.of == std::vector<std::size_t>{none, 1, 1, 2, 2, 3, 3, none});
  CHECK(all.groups[0].parent == none);
  CHECK(all.groups[2].parent == 0);
  CHECK(all.groups[2].level == 1);
  CHECK(all.groups[3].level == 0);
  CHECK(all.levels() == 2);
  CHECK(all.at_level(2, 0) == 0);
  CHECK(all.at_level(2, 1) == 2);
  CHECK(all.at_level(3, 1) == none);
  CHECK(all.at_level(none, 0) == none);
  CHECK(all.within(2, "/b/b.1/z/k") == "z/k");
  CHECK(all.within(none, "/conv") == "/conv");
}

TEST_CASE("a group of one name, or of all, is none") {
  CHECK(groups_of({"m/a", "m/b"}).groups.empty());
  CHECK(groups_of({"a/b", "c"}).groups.empty());
  CHECK(groups_of({"", "/", "//", "a//", "a//"}).levels() <= 1);
  CHECK(groups_of({}).levels() == 0);
}

TEST_CASE("dots part names without slashes, and of joined names the first counts") {
  CHECK(names_of(groups_of({"layer1.conv", "layer1.bn", "fc"})) ==
        std::vector<std::string>{"layer1"});
  CHECK(names_of(groups_of({"m/a/Conv;z/q/Relu", "m/a/Add", "m/c.d/Conv"})) ==
        std::vector<std::string>{"m/a"});
}
