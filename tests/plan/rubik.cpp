// SPDX-License-Identifier: Apache-2.0
// The rules of Rubik are checked: each harm to a sound program is found.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/plan/validate.hpp>
#include <nvdlac/plan/verify.hpp>
#include <nvdlac/quantised/graph.hpp>

using namespace nvdlac;

namespace {

// Groups of channels take turns in columns, or in lines.
quantised::move turns(net::shape out, std::int32_t lines, std::int32_t columns) {
  return {.target = out,
          .boxes = std::vector{net::box{
              .loops = {{{out.c, {1, 0, 0}, {1, 0, 0}},
                         {out.h / lines, {0, lines, 0}, {0, 1, 0}},
                         {out.w / columns, {0, 0, columns}, {0, 0, 1}},
                         {lines * columns, {0, lines > 1, columns > 1}, {out.c, 0, 0}}}}}}};
}

plan::program<nv_full> widened() {
  quantised::graph g;
  const auto data = g.add("data", quantised::input{{512, 3, 5}});
  const auto wide = g.add("wide", turns({128, 3, 20}, 1, 4), {data});
  const auto tall = g.add("tall", turns({32, 12, 20}, 4, 1), {wide});
  g[tall].output = true;
  net::infer_shapes(g);
  return plan::make_program<nv_full>(lower::lower<nv_full>(g, "two"));
}

template <class Harm>
std::string found(const Harm& harm) {
  auto p = widened();
  harm(std::get<layer::rubik>(p.tasks[0].operations[1].layer.what));
  std::string all;
  for (const auto& problem : plan::verify(p)) all += to_string(problem) + '\n';
  return all;
}

}  // namespace

TEST_CASE("two layers of Rubik are sound, and the second one waits for the first") {
  const auto p = widened();
  CHECK(plan::verify(p).empty());
  CHECK(plan::validate(p).empty());
  const auto& ops = p.tasks[0].operations;
  REQUIRE(ops.size() == 2);
  const auto& link = ops[0].consumers[plan::index(plan::engine::rubik)];
  CHECK(link.operation == 1);
  CHECK(link.event == plan::event::completed);
  auto early = p;
  early.tasks[0].operations[0].consumers[plan::index(plan::engine::rubik)].event =
      plan::event::programmed;
  CHECK(!plan::validate(early).empty());
}

TEST_CASE("what Rubik cannot do is found") {
  const auto says = [](const std::string& all, const char* part) {
    INFO(all);
    return all.find("layer 'tall': RUBIK: ") == 0 && all.find(part) != std::string::npos;
  };
  CHECK(found([](layer::rubik&) {}).empty());
  CHECK(says(found([](layer::rubik& l) { l.stride_y = 3; }), "does not follow from the input"));
  CHECK(says(found([](layer::rubik& l) { l.stride_x = 33; }), "the horizontal stride is 33"));
  CHECK(says(found([](layer::rubik& l) { l.stride_y = 0; }), "the vertical stride is 0"));
  CHECK(says(found([](layer::rubik& l) { l.input.shape.c = 96; }),
             "has 3 surfaces, not 4 groups of 1"));
  CHECK(says(found([](layer::rubik& l) { l.input.shape.c = 8193; }), "the input of"));
  CHECK(says(found([](layer::rubik& l) { l.output.line_stride = 608; }), "line stride"));
  CHECK(says(found([](layer::rubik& l) { l.output.surface_stride += 16; }), "not multiples of 32"));
  CHECK(says(found([](layer::rubik& l) { l.input.at = {}; }), "cannot come on the fly"));
  CHECK(says(found([](layer::rubik& l) { l.output.at = {}; }), "cannot go on the fly"));
  CHECK(says(found([](layer::rubik& l) { l.output.precision = hw::precision::fp16; }),
             "the data types of its cubes differ"));
  plan::program<nv_large> elsewhere;
  static_cast<plan::program_data&>(elsewhere) = widened();
  const auto problems = plan::verify(elsewhere);
  REQUIRE(problems.size() == 2);
  CHECK(to_string(problems[0]).find("the configuration has none") != std::string::npos);
}
