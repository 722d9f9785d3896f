// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>

using namespace nvdlac;
using namespace nvdlac::net;

namespace {

// data -> conv -> prob
graph sound() {
  graph g;
  const auto data = g.add("data", input{{1, 4, 4}});
  const auto conv = g.add("conv", convolution{.kernels = 2, .weights = {1, 2}}, {data});
  const auto prob = g.add("prob", softmax{}, {conv});
  g[prob].output = true;
  return g;
}
bool reports(const std::vector<problem>& found, const std::string& layer, const std::string& part) {
  return std::any_of(found.begin(), found.end(), [&](const problem& p) {
    return p.layer == layer && p.reason.find(part) != std::string::npos;
  });
}
// The only thing wrong with g.
void check_only(const graph& g, const std::string& layer, const std::string& part) {
  const auto found = verify(g);
  for (const auto& p : found) INFO(to_string(p));
  CHECK(found.size() == 1);
  CHECK(reports(found, layer, part));
}

}  // namespace

TEST_CASE("a sound network has no problems, with and without shapes") {
  graph g = sound();
  CHECK(verify(g).empty());
  infer_shapes(g);
  CHECK(g[1].shape == shape{2, 4, 4});
  CHECK(verify(g).empty());
}

TEST_CASE("each defect is found, with the layer's name") {
  SUBCASE("a cycle") {
    graph g = sound();
    const auto a = g.add("a", relu{}), b = g.add("b", add{}, {a, 0});
    g.connect(b, a, 0);
    g.add("behind", relu{}, {b});
    g[g.size() - 1].output = true;
    check_only(g, "a", "cycle: a -> b -> a");
  }
  SUBCASE("a layer that reads itself") {
    graph g = sound();
    const auto self = g.add("self", relu{});
    g.connect(self, self, 0);
    check_only(g, "self", "cycle: self -> self");
  }
  SUBCASE("an open slot") {
    graph g = sound();
    const auto sum = g.add("sum", add{});
    g.connect(0, sum, 1);
    g[sum].output = true;
    check_only(g, "sum", "its input 0 is open");
  }
  SUBCASE("a doubly fed slot") {
    graph g = sound();
    g.connect(0, 2, 0);
    check_only(g, "prob", "its input 0 is fed more than once");
  }
  SUBCASE("too many inputs") {
    graph g = sound();
    g.connect(0, 2, 1);
    check_only(g, "prob", "takes 1 input but has 2");
  }
  SUBCASE("too few inputs") {
    graph g = sound();
    g[g.add("sum", add{}, {0})].output = true;
    check_only(g, "sum", "takes 2 inputs but has 1");
  }
  SUBCASE("no input") {
    graph g;
    g[g.add("k", constant{})].output = true;
    check_only(g, "", "no input");
  }
  SUBCASE("no output") {
    graph g = sound();
    g[2].output = false;
    const auto found = verify(g);
    CHECK(found.size() == 2);
    CHECK(reports(found, "", "no output"));
    CHECK(reports(found, "prob", "nothing reads"));
  }
  SUBCASE("a tensor that nothing reads") {
    graph g = sound();
    g.add("dead", relu{}, {0});
    check_only(g, "dead", "nothing reads its tensor");
  }
  SUBCASE("two layers of one name") {
    graph g = sound();
    g[1].name = "data";
    check_only(g, "data", "more than once");
  }
  SUBCASE("shapes that do not fit") {
    graph g = sound();
    g[g.add("sum", add{}, {0, 1})].output = true;
    check_only(g, "sum", "1x4x4 and 2x4x4");
  }
  SUBCASE("a shape that is not the inferred one") {
    graph g = sound();
    infer_shapes(g);
    g[1].shape = {2, 4, 5};
    check_only(g, "conv", "2x4x5 but follows as 2x4x4");
  }
  SUBCASE("mis-sized weights") {
    graph g = sound();
    g[1].op = convolution{.kernels = 2, .weights = {1, 2, 3}};
    check_only(g, "conv", "weights: 3 values instead of 2");
  }
  SUBCASE("weights that are not finite") {
    graph g = sound();
    g[1].op = convolution{.kernels = 2, .weights = {1, std::numeric_limits<float>::infinity()}};
    check_only(g, "conv", "value 1 of its weights is inf");
  }
  SUBCASE("a variance below zero") {
    graph g = sound();
    g[2].op = batch_norm{.mean = {0, 0}, .variance = {1, -1}};
    check_only(g, "prob", "variance of channel 1");
  }
}

TEST_CASE("many defects are found at once") {
  graph g = sound();
  g[1].op =
      convolution{.kernels = 2, .weights = {1}, .bias = {std::numeric_limits<float>::quiet_NaN()}};
  g.add("dead", pool{.window = {.kernel_h = 5}}, {0});
  g.add("dead", add{}, {0});
  const auto loop = g.add("loop", relu{});
  g.connect(loop, loop, 0);
  const auto found = verify(g);
  CHECK(reports(found, "loop", "cycle"));
  CHECK(reports(found, "conv", "weights: 1 value instead of 2"));
  CHECK(reports(found, "conv", "bias: 1 value instead of 2"));
  CHECK(reports(found, "conv", "of its bias is nan, no finite number"));
  CHECK(reports(found, "dead", "spans 5"));
  CHECK(reports(found, "dead", "more than once"));
  CHECK(reports(found, "dead", "takes 2 inputs"));
  CHECK(reports(found, "dead", "nothing reads"));
}

TEST_CASE("shape inference throws all problems and stays silent about what is behind them") {
  graph g = sound();
  g[1].op = convolution{.kernels = 0};
  g[g.add("other", reshape{{3, 3, 3}}, {0})].output = true;
  try {
    infer_shapes(g);
    FAIL("accepted");
  } catch (const error& e) {
    CHECK(e.problems().size() == 2);
    CHECK(reports(e.problems(), "conv", "less than one kernel"));
    CHECK(reports(e.problems(), "other", "another number"));
  }
}
