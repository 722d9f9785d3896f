// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/net/graph.hpp>

#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/operators.hpp>

using namespace nvdlac::net;

namespace {

using ids = std::vector<graph::id>;

ids listed(std::span<const graph::id> of) { return {of.begin(), of.end()}; }

struct fixture {
  graph g{};
  graph::id a = g.add("a", input{{1, 2, 2}}), b = g.add("b", input{{1, 2, 2}});
  graph::id sum = g.add("sum", add{}, {b, a}), twice = g.add("twice", add{}, {a, a});
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "inputs stand by slot, consumers ascend and count each use") {
  CHECK(listed(g.inputs(sum)) == ids{b, a});
  CHECK(listed(g.consumers(a)) == ids{sum, twice, twice});
  CHECK(g.uses(a) == 3);
  CHECK(g.uses(twice) == 0);
}

TEST_CASE_FIXTURE(fixture, "slots that are open or fed twice are seen") {
  const auto odd = g.add("odd", concat{});
  g.connect(a, odd, 2);
  g.connect(b, odd, 0);
  g.connect(a, odd, 2);
  CHECK(listed(g.inputs(odd)) == ids{b, a, a});
  CHECK(listed(g.fed_slots(odd)) == ids{0, 2, 2});
}

TEST_CASE_FIXTURE(fixture, "a node that there is not is not read") {
  CHECK_THROWS_WITH_AS(g.add("odd", relu{}, {17}), doctest::Contains("there is no node 17"),
                       nvdlac::error);
}

TEST_CASE_FIXTURE(fixture, "readers move to another node, but that node itself") {
  const auto next = g.add("next", relu{}, {a});
  g[a].output = true;
  g.replace_uses(a, next);
  CHECK(listed(g.consumers(a)) == ids{next});
  CHECK(listed(g.consumers(next)) == ids{sum, twice, twice});
  CHECK(listed(g.inputs(twice)) == ids{next, next});
  CHECK(listed(g.inputs(sum)) == ids{b, next});
  CHECK(g.outputs() == ids{next});
}

TEST_CASE_FIXTURE(fixture, "a node gets other inputs, also from its own") {
  g.set_inputs(sum, g.inputs(twice));
  CHECK(listed(g.inputs(sum)) == ids{a, a});
  CHECK(listed(g.consumers(a)) == ids{sum, sum, twice, twice});
  CHECK(g.consumers(b).empty());
  g.set_inputs(sum, g.inputs(sum).first(1));
  CHECK(listed(g.inputs(sum)) == ids{a});
  g.set_inputs(sum, {});
  CHECK(listed(g.consumers(a)) == ids{twice, twice});
}

TEST_CASE_FIXTURE(fixture, "what inputs and consumers return lasts while nodes are added") {
  const auto inputs = g.inputs(sum);
  for (int i = 0; i < 1000; ++i) g.add("n", relu{}, {twice});
  CHECK(listed(inputs) == ids{b, a});
}

TEST_CASE_FIXTURE(fixture, "a filtered graph keeps the edges between the nodes that stay") {
  const auto fewer = g.filtered([&](auto n) { return n != b; });
  REQUIRE(fewer.size() == 3);
  CHECK(listed(fewer.inputs(1)) == ids{0});
  CHECK(listed(fewer.fed_slots(1)) == ids{1});
  CHECK(listed(fewer.consumers(0)) == ids{1, 2, 2});
}

TEST_CASE_FIXTURE(fixture, "the order leaves out cycles and what is behind them") {
  const auto x = g.add("x", relu{}, {sum}), y = g.add("y", add{}, {x, a});
  g.set_inputs(x, {y});
  g.add("z", relu{}, {y});
  CHECK(g.order() == ids{a, b, sum, twice});
}
