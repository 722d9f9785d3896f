// SPDX-License-Identifier: Apache-2.0
// The rules of CDP are checked: each harm to a sound program is found.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/plan/validate.hpp>
#include <nvdlac/plan/verify.hpp>
#include <nvdlac/quantised/graph.hpp>

using namespace nvdlac;

namespace {

plan::program<nv_small> normalised() {
  quantised::graph g;
  auto n = g.add("data", quantised::input{{13, 4, 5}});
  for (const auto entry : {std::int16_t{3}, std::int16_t{4}}) {
    quantised::lrn op;
    op.le.assign(65, entry);
    op.lo.assign(257, entry);
    n = g.add("norm" + std::to_string(entry), op, {n});
  }
  g[n].output = true;
  net::infer_shapes(g);
  return plan::make_program<nv_small>(lower::lower<nv_small>(g, "two"));
}

template <class Harm>
std::string found(const Harm& harm) {
  auto p = normalised();
  harm(std::get<layer::cdp>(p.tasks[0].operations[1].layer.what));
  std::string all;
  for (const auto& problem : plan::verify(p)) all += to_string(problem) + '\n';
  return all;
}

}  // namespace

TEST_CASE("two normalisations are sound, and the second one waits for the first") {
  const auto p = normalised();
  CHECK(plan::verify(p).empty());
  CHECK(plan::validate(p).empty());
  REQUIRE(p.luts.size() == 2);
  const auto& ops = p.tasks[0].operations;
  REQUIRE(ops.size() == 2);
  const auto& link = ops[0].consumers[plan::index(plan::engine::cdp)];
  CHECK(link.operation == 1);
  CHECK(link.event == plan::event::completed);
  auto early = p;
  early.tasks[0].operations[0].consumers[plan::index(plan::engine::cdp)].event =
      plan::event::programmed;
  CHECK(!plan::validate(early).empty());
}

TEST_CASE("what CDP cannot do is found") {
  const auto says = [](const std::string& all, const char* part) {
    INFO(all);
    return all.find("layer 'norm4': CDP: ") == 0 && all.find(part) != std::string::npos;
  };
  CHECK(found([](layer::cdp&) {}).empty());
  CHECK(says(found([](layer::cdp& l) { l.lut = -1; }), "no lookup table"));
  CHECK(says(found([](layer::cdp& l) { l.lut = 2; }), "no lookup table 2"));
  CHECK(says(found([](layer::cdp& l) { l.local_size = 4; }), "none of 3, 5, 7 and 9"));
  CHECK(says(found([](layer::cdp& l) { l.output.shape.h = 3; }), "is not the input"));
  CHECK(says(found([](layer::cdp& l) { l.input.line_stride = 8; }), "line stride"));
  CHECK(says(found([](layer::cdp& l) { l.in.shift = 32; }), "input converter's shift"));
  CHECK(says(found([](layer::cdp& l) { l.in.offset = 128; }), "input converter's offset"));
  CHECK(says(found([](layer::cdp& l) { l.out.offset = 1 << 24; }), "output converter's offset"));
  CHECK(says(found([](layer::cdp& l) { l.output.at = {}; }), "cannot go on the fly"));
  CHECK(says(found([](layer::cdp& l) { l.input.precision = l.output.precision =
                                           hw::precision::fp16; }), "data type"));
}
