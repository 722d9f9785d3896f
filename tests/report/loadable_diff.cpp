// SPDX-License-Identifier: Apache-2.0
// The differences of two loadables.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/report/loadable_diff.hpp>
#include <nvdlac/report/loadable_diff_text.hpp>

#include "compiled.hpp"
#include "random_graph.hpp"

using namespace nvdlac;

namespace {

report::loadable_side side(std::string file, const quantised::graph& g,
                           const compile_options& options = {}) {
  const auto& t = hardware<nv_small>();
  report::loadable_side s{.file = std::move(file), .bytes = compiled(t, g, options).loadable(),
                          .configuration = std::string(t.name()), .spec = t.spec(),
                          .given = {.memory = cost::memory_of(t.spec())},
                          .written_fields = [&](const auto& task, std::size_t layer) {
                            return t.written_fields(task, layer);
                          }};
  s.image = emit::read_loadable(s.bytes, s.file);
  return s;
}

quantised::graph network() { return random_graph::make(7); }

}  // namespace

TEST_CASE("a loadable does not differ from itself") {
  const auto d = report::diff(side("a", network()), side("b", network()));
  CHECK(d.same);
  CHECK(d.changes.empty());
  CHECK(d.layers.empty());
  CHECK(d.equal_layers > 0);
  CHECK(report::to_text(d) == "a and b are the same, byte for byte\n");
  CHECK(report::to_json(d).at("same") == true);
}

TEST_CASE("a spoiled weight is one byte of one layer") {
  auto g = network();
  const auto a = side("a", g);
  for (quantised::graph::id n = 0; n < g.size(); ++n)
    if (auto* c = std::get_if<quantised::convolution>(&g[n].op); c != nullptr) {
      c->weights[0] = static_cast<std::int8_t>(c->weights[0] ^ 1);
      break;
    }
  const auto d = report::diff(a, side("b", g));
  CHECK(!d.same);
  CHECK(d.added.empty());
  CHECK(d.removed.empty());
  REQUIRE(d.layers.size() == 1);
  CHECK(d.layers[0].different == 1);
  CHECK(d.layers[0].bytes_a == d.layers[0].bytes_b);
  CHECK(report::to_text(d).find(": constants 1 of ") != std::string::npos);
}

TEST_CASE("another name of the network is the only change") {
  const auto d = report::diff(side("a", network(), {.network = "one"}),
                              side("b", network(), {.network = "two"}));
  CHECK(!d.same);
  CHECK(d.layers.empty());
  const auto at = std::ranges::find(d.changes, "network", &report::change::what);
  REQUIRE(at != d.changes.end());
  CHECK(std::get<std::string>(at->a) == "one");
  CHECK(report::to_json(d).at("changes")[0].at("b") == "two");
}
