// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/net/builder.hpp>
#include <nvdlac/net/operators.hpp>

using namespace nvdlac;
using namespace nvdlac::net;

namespace {

std::vector<std::string> input_names(const graph& g, graph::id n) {
  std::vector<std::string> names;
  for (const auto i : g.inputs(n)) names.push_back(g[i].name);
  return names;
}
using names = std::vector<std::string>;

}  // namespace

TEST_CASE("in-place layers rebind the name for the layers behind them") {
  builder<graph> b;
  b.add("data", input{{1, 1, 1}}, {}, "data");
  b.add("conv", convolution{}, {"data"}, "x");
  const auto early = b.add("early", softmax{}, {"x"}, "early");
  const auto first = b.add("relu", relu{}, {"x"}, "x");
  const auto second = b.add("drop", identity{}, {"x"}, "x");
  const auto late = b.add("late", add{}, {"x", "early"}, "late");
  const graph g = b.finish();
  CHECK(input_names(g, early) == names{"conv"});
  CHECK(input_names(g, first) == names{"conv"});
  CHECK(input_names(g, second) == names{"relu"});
  CHECK(input_names(g, late) == names{"drop", "early"});
  CHECK(g.outputs() == std::vector{late});
}

TEST_CASE("layers may come in any order") {
  builder<graph> b;
  const auto prob = b.add("prob", softmax{}, {"y"}, "prob");
  const auto act = b.add("act", relu{}, {"y"}, "y");
  const auto conv = b.add("conv", convolution{}, {"data"}, "y");
  const auto data = b.add("data", input{{1, 1, 1}}, {}, "data");
  const graph g = b.finish({"prob", "y"});
  CHECK(g.order() == std::vector{data, conv, act, prob});
  CHECK(g.outputs() == std::vector{prob, act});
}

TEST_CASE("all that does not fit together is reported at once") {
  builder<graph> b("net.prototxt");
  b.add("data", input{{1, 1, 1}}, {}, "data");
  b.add("one", relu{}, {"data"}, "x");
  b.add("two", relu{}, {"data"}, "x");
  b.add("open", relu{}, {"nowhere"}, "open");
  b.add("a", relu{}, {"from_b"}, "from_a");
  b.add("b", relu{}, {"from_a"}, "from_b");
  b.add("stray", relu{}, {"stray"}, "stray");
  try {
    b.finish({"x", "missing"});
    FAIL("accepted");
  } catch (const error& e) {
    const auto has = [&](const std::string& layer, const std::string& part) {
      return std::any_of(e.problems().begin(), e.problems().end(), [&](const problem& p) {
        return p.file == "net.prototxt" && p.layer == layer &&
               p.reason.find(part) != std::string::npos;
      });
    };
    CHECK(e.problems().size() == 5);
    CHECK(has("two", "'x' is produced more than once, by 'one', 'two'"));
    CHECK(has("open", "nothing produces its input 'nowhere'"));
    CHECK(has("stray", "nothing produces its input 'stray'"));
    CHECK(has("", "nothing produces the output 'missing'"));
    CHECK(has("a", "cycle: a -> b -> a"));
  }
}
