// SPDX-License-Identifier: Apache-2.0
// A configuration as a value: its numbers, its name, and rules that all share but for its own.
#include <span>
#include <string>

#include <doctest/doctest.h>

#include <nvdlac/base/error.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/layer/sdp.hpp>
#include <nvdlac/lower/compiled_target.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/lower/lower_graph.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/quantised/graph.hpp>

using namespace nvdlac;

namespace {

// nv_small, but for an addition that its team computes in its own way and a pooling that it bans.
struct own_rules {
  static constexpr hw::spec spec = nv_small::spec;
};

}  // namespace

template <>
struct nvdlac::lower::support<quantised::pool, own_rules> {
  static constexpr reason check(const quantised::pool&, std::span<const net::shape>) {
    return reason::no_pdp;
  }
};
template <>
struct nvdlac::lower::lowering<quantised::add, own_rules> {
  static constexpr void run(assembly& to, const site<quantised::add>& s) {
    to.add(label(s.name, "/own"), layer::sdp{.input = s.in[0], .output = s.out});
  }
};

namespace {

quantised::graph sum() {
  quantised::graph g;
  const auto in = g.add("input", quantised::input{.shape = {8, 4, 4}});
  const auto also = g.add("also", quantised::input{.shape = {8, 4, 4}});
  g[g.add("sum", quantised::add{}, {in, also})].output = true;
  net::infer_shapes(g);
  return g;
}
quantised::graph pooling() {
  quantised::graph g;
  const auto in = g.add("input", quantised::input{.shape = {8, 4, 4}});
  const net::window quarter{.kernel_h = 2, .kernel_w = 2, .stride_h = 2, .stride_w = 2};
  g[g.add("pool", quantised::pool{.window = quarter}, {in})].output = true;
  net::infer_shapes(g);
  return g;
}

plan::lowered lowered(const lower::target& hw, const quantised::graph& g) {
  return lower::lower_graph(hw, g, "network", {}, {}, true, {}, {}, {});
}

std::string last_layer(const plan::lowered& l) {
  return std::string(std::string_view(l.layers.back().name));
}

std::string refused(const auto& run) {
  try {
    run();
  } catch (const error& e) {
    return to_string(e.problems().front());
  }
  return "";
}

}  // namespace

TEST_CASE("configurations without rules of their own share those that are compiled once") {
  const auto small = lower::compiled_target<nv_small>(), large = lower::compiled_target<nv_large>();
  CHECK(small.rules == large.rules);
  CHECK(small == nv_small::spec);
  CHECK(small.name == "nv_small");
  CHECK(lower::compiled_target<own_rules>().rules != small.rules);
}

TEST_CASE("a configuration's own rules are taken in place of those that all share") {
  const auto g = sum();
  CHECK(last_layer(lowered(lower::compiled_target<nv_small>(), g)) == "sum");
  CHECK(last_layer(lowered(lower::compiled_target<own_rules>(), g)) == "sum/own");
  CHECK(last_layer(lower::lower<own_rules>(g, "network")) == "sum/own");

  const auto p = pooling();
  CHECK(last_layer(lowered(lower::compiled_target<nv_small>(), p)) == "pool");
  for (const auto& why : {refused([&] { lowered(lower::compiled_target<own_rules>(), p); }),
                          refused([&] { lower::lower<own_rules>(p, "network"); })}) {
    CHECK(why.find("does not run on") != std::string::npos);
    CHECK(why.find("own_rules") != std::string::npos);
  }
}

TEST_CASE("the numbers of a target are its own, whatever configuration gave the rules") {
  auto numbers = nv_small::spec;
  numbers.pdp_throughput = 0;
  const lower::target bare(numbers, "a small one", lower::compiled_rules());
  const auto why = refused([&] { lowered(bare, pooling()); });
  CHECK(why.find("does not run on a small one") != std::string::npos);
  CHECK(last_layer(lowered(bare, sum())) == "sum");
}
