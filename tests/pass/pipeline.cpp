// SPDX-License-Identifier: Apache-2.0
#include <concepts>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/pipeline.hpp>

using namespace nvdlac;
using namespace nvdlac::net;

namespace {

template <class... Ps>
using pipeline = pass::pipeline<Ps...>;
using cleaning = pipeline<pass::remove_dead, pass::remove_identity>;
static_assert(std::same_as<decltype(cleaning{} | pipeline<pass::fuse_relu>{}),
                           pipeline<pass::remove_dead, pass::remove_identity, pass::fuse_relu>>);

struct not_a_pass {
  static constexpr std::string_view name = "not_a_pass";
};
static_assert(!pass::pass<not_a_pass, graph>);
static_assert(pass::pass<pass::fuse_relu, graph>);

// A user's own pass, with a defect: it forgets the output.
struct forgetful {
  static constexpr std::string_view name = "forgetful";
  static constexpr std::string_view description = "lose the outputs";
  template <class Graph>
  static void run(Graph& g) {
    for (const auto n : g.outputs()) g[n].output = false;
  }
};

struct spoiling {
  static constexpr std::string_view name = "spoiling", description = "makes weights that are none";
  static void run(graph& g) {
    std::get<convolution>(g[1].op).weights = {std::numeric_limits<float>::quiet_NaN()};
  }
};

graph network() {
  graph g;
  const auto data = g.add("data", input{{1, 1, 1}});
  const auto conv = g.add("conv", convolution{.weights = {1}}, {data});
  const auto act = g.add("act", relu{}, {conv});
  g[g.add("drop", identity{}, {act})].output = true;
  return g;
}

}  // namespace

TEST_CASE("passes run in order and the observer sees each") {
  graph g = network();
  std::ostringstream out;
  (cleaning{} | pipeline<pass::fuse_relu>{}).run(g, {}, pass::trace{out});
  CHECK(out.str() ==
        "remove_dead             4 nodes\n"
        "remove_identity         3 nodes\n"
        "fuse_relu               2 nodes\n");
  CHECK(g[1].name == "drop");
}

TEST_CASE("a pass that is left out does not run") {
  graph g = network();
  pass::standard::run(g, {"fuse_relu", "remove_identity"});
  CHECK(g.size() == 4);
}

TEST_CASE("an unknown pass is an error that lists the known") {
  graph g = network();
  try {
    cleaning::run(g, {"fuse_relus", "nothing"});
    FAIL("accepted");
  } catch (const error& e) {
    REQUIRE(e.problems().size() == 2);
    CHECK(e.problems()[0].reason == "there is no pass 'fuse_relus'");
    CHECK(e.problems()[0].remedy == "the passes are remove_dead, remove_identity");
  }
}

TEST_CASE("every standard pass says what it does") {
  for (const auto& p : pass::standard::passes) {
    CHECK(!p.name.empty());
    CHECK(p.description.size() > 10);
  }
  CHECK(!pass::standard::passes.empty());
}

TEST_CASE("the verifier names the pass that broke the graph") {
  graph g = network();
  try {
    pipeline<forgetful>::run(g, {}, pass::verify{});
    FAIL("accepted");
  } catch (const std::logic_error& e) {
    const std::string what = e.what();
    CHECK(what.find("after the pass forgetful") != std::string::npos);
    CHECK(what.find("no output") != std::string::npos);
  }
}

TEST_CASE("a network that passes leave without an output is an error") {
  graph g = network();
  CHECK_THROWS_WITH_AS(pipeline<forgetful>::run(g), doctest::Contains("no output any more"), error);
}

TEST_CASE("constants that a pass spoils are an error") {
  graph g = network();
  CHECK_THROWS_WITH_AS(pipeline<spoiling>::run(g),
                       "layer 'conv': value 0 of its weights is nan, no finite number", error);
}

TEST_CASE("the graph after one pass, as text and for Graphviz") {
  graph g = network();
  std::ostringstream text, dot;
  pass::standard::run(g, {},
                      pass::both{pass::dump{text, "fuse_relu"}, pass::dot{dot, "remove_dead"}});
  CHECK(text.str() ==
        "# after fuse_relu\n"
        "data = input () : 1x1x1\n"
        "drop = convolution window=1x1 stride=1x1 weights[1] relu (data) : 1x1x1 [output]\n");
  CHECK(dot.str().rfind("digraph \"remove_dead\" {", 0) == 0);
  CHECK(dot.str().find("identity") != std::string::npos);
}

TEST_CASE("a network whose shapes do not fit is refused") {
  graph g = network();
  g[1].op = convolution{.weights = {1, 2}};
  CHECK_THROWS_AS(pass::standard::run(g), error);
}
