// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/report/lineage.hpp>

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using namespace nvdlac;

namespace {

report::network_form form(std::vector<std::pair<std::string, std::vector<std::size_t>>> nodes) {
  report::network_form f;
  for (auto& [name, inputs] : nodes) f.nodes.push_back({std::move(name), "", std::move(inputs)});
  f.nodes.back().output = true;
  return f;
}

std::vector<std::string> now(const report::lineage& l) {
  std::vector<std::string> names;
  for (const auto& one : l.layers()) names.push_back(one.now);
  return names;
}

using names = std::vector<std::string>;

}  // namespace

TEST_CASE("a layer that is gone went into whom its reader reads, into the reader, or nowhere") {
  report::lineage l;
  l.begin(form({{"data", {}}, {"conv", {0}}, {"bn", {1}}, {"relu", {2}}, {"idle", {0}},
                {"shuffle", {3}}, {"fc", {5}}, {"prob", {6}}}));
  CHECK(now(l) == names{"conv", "bn", "relu", "idle", "shuffle", "fc", "prob"});
  l.follow(form({{"data", {}}, {"conv", {0}}, {"shuffle", {1}}, {"fc", {2}}, {"prob", {3}}}));
  CHECK(now(l) == names{"conv", "conv", "conv", "", "shuffle", "fc", "prob"});
  SUBCASE("its reader takes it up, where that reads the network's input now") {
    l.follow(form({{"data", {}}, {"shuffle", {0}}, {"fc", {1}}, {"prob", {2}}}));
    CHECK(now(l) == names{"shuffle", "shuffle", "shuffle", "", "shuffle", "fc", "prob"});
  }
  SUBCASE("an output is followed by its place") {
    l.follow(form({{"data", {}}, {"conv", {0}}, {"fc", {1}}}));
    CHECK(now(l) == names{"conv", "conv", "conv", "", "conv", "fc", "fc"});
  }
}

TEST_CASE("a sum that joins a convolution is told by the convolution's readers") {
  report::lineage l;
  l.begin(form({{"data", {}}, {"a", {0}}, {"b", {1}}, {"sum", {2, 1}}, {"out", {3}}}));
  l.follow(form({{"data", {}}, {"a", {0}}, {"b", {1, 1}}, {"out", {2}}}));
  CHECK(now(l) == names{"a", "b", "b", "out"});
}
