// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/host/partition.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/runs_on.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>

using namespace nvdlac;

namespace {

net::convolution filter() {
  return {.kernels = 8, .weights = std::vector<float>(64, 0.5F)};
}

// first -> sigmoid -> relu -> tanh -> last, of which nv_small has no functions.
net::graph functions() {
  net::graph g;
  const auto x = g.add("x", net::input{{8, 4, 4}});
  const auto first = g.add("first", filter(), {x});
  const auto sigmoid = g.add("gate", net::activation{.function = net::function::sigmoid}, {first});
  const auto relu = g.add("positive", net::relu{}, {sigmoid});
  const auto tanh = g.add("curve", net::activation{.function = net::function::tanh}, {relu});
  g[g.add("last", filter(), {tanh})].output = true;
  net::infer_shapes(g);
  return g;
}

std::vector<problem> divide(net::graph& g, const host::choice& allowed) {
  return host::partition(g, allowed, lower::check<nv_small>(g));
}
std::set<std::string> on_host(const net::graph& g) {
  std::set<std::string> names;
  for (net::graph::id n = 0; n < g.size(); ++n)
    if (std::holds_alternative<net::on_host>(g[n].op)) names.insert(g[n].name);
  return names;
}
using names = std::set<std::string>;

}  // namespace

TEST_CASE("the host gets what NVDLA does not run, and what stands between") {
  auto g = functions();
  CHECK(divide(g, host::choice::all()).empty());
  CHECK(on_host(g) == names{"gate", "positive", "curve"});
  CHECK(std::get<net::on_host>(g[2].op).call.layer == "sigmoid");
  CHECK(net::verify(g).empty());
}

TEST_CASE("only what the user lists is moved") {
  auto g = functions();
  CHECK(divide(g, host::choice::of({"activation"})).empty());
  CHECK(on_host(g) == names{"gate", "curve"});
  auto by_name = functions();
  CHECK(divide(by_name, host::choice::of({"gate", "tanh", "relu"})).empty());
  CHECK(on_host(by_name) == names{"gate", "positive", "curve"});
}

TEST_CASE("what is refused names the layer and what would help") {
  for (const auto& allowed : {host::choice{}, host::choice::nothing()}) {
    auto g = functions();
    const auto found = divide(g, allowed);
    REQUIRE(found.size() == 2);
    CHECK(found[0].layer == "gate");
    CHECK(found[0].reason.find("no lookup table") != std::string::npos);
    CHECK(found[0].remedy.find("--host allow, or --host sigmoid") != std::string::npos);
    CHECK(found[1].layer == "curve");
    CHECK(on_host(g).empty());
  }
  auto g = functions();
  CHECK(divide(g, host::choice::of({"sigmoid"})).size() == 1);
  CHECK(on_host(g).empty());
}

TEST_CASE("names that nothing has are an error") {
  auto g = functions();
  CHECK_THROWS_WITH_AS(divide(g, host::choice::of({"gate", "gait"})),
                       doctest::Contains("'gait', which is neither"), error);
}

TEST_CASE("what NVDLA runs stays there, and a softmax over channels stays the runtime's own") {
  net::graph g;
  const auto x = g.add("x", net::input{{8, 1, 1}});
  const auto positive = g.add("positive", net::relu{}, {g.add("first", filter(), {x})});
  g[g.add("likely", net::softmax{}, {positive})].output = true;
  net::infer_shapes(g);
  for (const auto& allowed : {host::choice{}, host::choice::all()}) {
    CHECK(divide(g, allowed).empty());
    CHECK(on_host(g).empty());
  }
  const auto found = divide(g, host::choice::nothing());
  REQUIRE(found.size() == 1);
  CHECK(found[0].layer == "likely");
  CHECK(found[0].remedy.find("--host") != std::string::npos);
}

TEST_CASE("a softmax of a picture that was flattened reads the picture, where the host may") {
  const auto network = [](net::shape s) {
    net::graph g;
    const auto x = g.add("x", net::input{s});
    const auto flat = g.add("flat", net::flatten{}, {g.add("first", filter(), {x})});
    g[g.add("likely", net::softmax{}, {flat})].output = true;
    net::infer_shapes(g);
    return g;
  };
  auto g = network({8, 4, 4});
  CHECK(divide(g, host::choice::all()).empty());
  CHECK(on_host(g) == names{"flat", "likely"});
  CHECK(net::verify(g).empty());
  for (const auto& allowed : {host::choice{}, host::choice::of({"first"})}) {
    auto turned = network({8, 4, 4});
    CHECK(divide(turned, allowed).empty());
    CHECK(on_host(turned).empty());
  }
  auto features = network({8, 1, 1});  // which stand as features already
  CHECK(divide(features, host::choice::all()).empty());
  CHECK(on_host(features).empty());
}

TEST_CASE("a layer that only the host has needs to be allowed") {
  net::graph g;
  const auto x = g.add("x", net::input{{8, 4, 4}});
  const auto places = g.add("places", host::on_host(host::arg_max{}), {x});
  g[places].output = true;
  net::infer_shapes(g);
  const auto found = divide(g, {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].remedy.find("--host arg_max") != std::string::npos);
  CHECK(divide(g, host::choice::of({"arg_max"})).empty());
}

TEST_CASE("what several configurations say of one layer is all kept") {
  auto g = functions();
  const std::vector<problem> refused{{.layer = "gate", .reason = "not on one"},
                                     {.layer = "gate", .reason = "not on another"}};
  CHECK(host::partition(g, {}, refused).size() == 2);
}

TEST_CASE("what only rearranges a result of the host is the host's") {
  // A normalisation of the map as two groups.
  net::graph g;
  const auto x = g.add("x", net::input{{8, 4, 4}});
  const auto first = g.add("first", filter(), {x});
  const auto groups = g.add("groups", net::reshape{{2, 64, 1}}, {first});
  const auto normal = g.add("normal", host::on_host(host::mean_variance{}), {groups});
  const auto map = g.add("map", net::reshape{{8, 4, 4}}, {normal});
  g[g.add("last", filter(), {map})].output = true;
  // The first channels, which NVDLA reads where they stand.
  const net::move some{.target = {1, 64, 1},
                       .boxes = {{.loops = {{{1, {}, {}}, {64, {0, 1, 0}, {0, 1, 0}}, {}, {}}}}}};
  const net::convolution point{.weights = {2}};
  g[g.add("part", point, {g.add("some", some, {normal})})].output = true;
  net::infer_shapes(g);
  CHECK(divide(g, host::choice::all()).empty());
  CHECK(on_host(g) == names{"groups", "normal", "map"});
  CHECK(net::verify(g).empty());
}

TEST_CASE("what moves elements for the host alone is the host's, many tensors some at a time") {
  // Six heads, whose elements a detector takes in another order: [c][h][w] becomes [h][w][c].
  const auto heads = [](bool read_by_host) {
    net::graph g;
    const auto x = g.add("x", net::input{{8, 4, 4}});
    std::vector<net::graph::id> turned;
    for (int i = 0; i < 6; ++i) {
      const auto head = g.add(text("head", i), filter(), {x});
      net::move turn{.target = {128, 1, 1}};
      turn.boxes = std::vector<net::box>{{.loops = {{{8, {1, 0, 0}, {1, 0, 0}},
                                                     {4, {8, 0, 0}, {0, 0, 1}},
                                                     {4, {32, 0, 0}, {0, 1, 0}}}}}};
      turned.push_back(g.add(text("turn", i), turn, {head}));
    }
    const auto all = g.add("all", net::concat{}, turned);
    if (read_by_host) g[g.add("best", host::on_host(host::arg_max{}), {all})].output = true;
    else g[g.add("positive", net::relu{}, {all})].output = true;
    net::infer_shapes(g);
    return g;
  };
  auto g = heads(true);
  net::float_tensor values{{8, 4, 4}};
  for (std::size_t i = 0; i < values.values.size(); ++i)
    values.values[i] = static_cast<float>(i * 29 % 31);
  const auto before = net::evaluate(g, values);
  CHECK(divide(g, host::choice::all()).empty());
  CHECK(net::verify(g).empty());
  CHECK(on_host(g) == names{"turn0", "turn1", "turn2", "turn3", "turn4", "turn5", "all/some",
                            "all", "best"});
  for (net::graph::id n = 0; n < g.size(); ++n)
    CHECK(g.inputs(n).size() <= net::most_host_inputs);
  CHECK(net::evaluate(g, values) == before);
  // They stay where NVDLA reads them, or the user allows the one layer alone.
  auto native = heads(false);
  CHECK(divide(native, host::choice::all()).empty());
  CHECK(on_host(native).empty());
  auto alone = heads(true);
  CHECK(divide(alone, host::choice::of({"arg_max"})).empty());
  CHECK(on_host(alone) == names{"best"});
}

TEST_CASE("many tensors come together some at a time for a layer that the host computes as well") {
  net::graph g;
  const auto x = g.add("x", net::input{{8, 4, 4}});
  std::vector<net::graph::id> parts;
  for (int i = 0; i < 6; ++i) parts.push_back(g.add(text("part", i), filter(), {x}));
  const auto all = g.add("all", net::concat{}, parts);
  g[g.add("curve", net::activation{}, {all})].output = true;
  net::infer_shapes(g);
  const std::vector<problem> refused{{.layer = "curve", .reason = "no table"}};
  CHECK(host::partition(g, host::choice::all(), refused).empty());
  CHECK(on_host(g) == names{"all/some", "all", "curve"});
  for (net::graph::id n = 0; n < g.size(); ++n)
    CHECK(g.inputs(n).size() <= net::most_host_inputs);
}

TEST_CASE("a move of many tensors is the host's where it is refused") {
  net::graph g;
  const auto x = g.add("x", net::input{{8, 4, 4}});
  std::vector<net::graph::id> parts;
  for (int i = 0; i < 9; ++i) parts.push_back(g.add(text("part", i), filter(), {x}));
  const std::vector<net::shape> shapes(9, net::shape{8, 4, 4});
  g[g.add("rows", net::stack(shapes, false), parts)].output = true;
  net::infer_shapes(g);
  net::float_tensor values{{8, 4, 4}, std::vector<float>(128, 0.25F)};
  values.values[5] = 3;
  const auto before = net::evaluate(g, values);
  const std::vector<problem> refused{{.layer = "rows", .reason = "too many"}};
  const auto found = host::partition(g, {}, refused);
  REQUIRE(found.size() == 1);
  CHECK(found[0].remedy.find("--host move") != std::string::npos);
  CHECK(host::partition(g, host::choice::all(), refused).empty());
  CHECK(net::verify(g).empty());
  CHECK(on_host(g).contains("rows"));
  CHECK(net::evaluate(g, values) == before);
}
