// SPDX-License-Identifier: Apache-2.0
// Layers that hand their results on without memory, however many: the planner links them.
#include <exception>
#include <string>
#include <vector>

#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/plan/validate.hpp>
#include <nvdlac/plan/verify.hpp>

#include "../sim/run_program.hpp"
#include "example.hpp"

using namespace nvdlac;

namespace {

using Hw = nv_small;
constexpr bytes atom = Hw::spec.atom();
constexpr net::shape whole{8, 4, 4}, half{8, 2, 2};

layer::surface flying(net::shape s) { return layer::packed(s, atom); }

plan::lowered empty() {
  plan::lowered l{.network = "chain"};
  const auto in = layer::packed(whole, atom, {0, 0}), out = layer::packed(half, atom, {1, 0});
  l.buffers = {{.name = "in", .memory = plan::memory::input, .size = in.size},
               {.name = "out", .memory = plan::memory::output, .size = out.size},
               {.name = "weights", .memory = plan::memory::weights, .size = 64}};
  l.buffers[2].content.assign(64, 1);
  l.weights_size = 64;
  l.inputs = {{.name = "in", .surface = in, .shape = whole}};
  l.outputs = {{.name = "out", .surface = out, .shape = half}};
  return l;
}

layer::pdp pooling(const plan::lowered& l) {
  return {.input = flying(whole), .output = l.outputs[0].surface,
          .window = {.kernel_h = 2, .kernel_w = 2, .stride_h = 2, .stride_w = 2}};
}

layer::convolution convolution(const plan::lowered& l) {
  layer::convolution c;
  c.input = l.inputs[0].surface;
  c.weights = {.at = {2, 0}, .size = 64};
  c.output = whole;
  c.entries_per_slice = 4;
  return c;
}

std::string problems(const plan::program<Hw>& p) {
  std::string found;
  for (const auto& list : {plan::validate(p), plan::verify(p)})
    for (const auto& problem : list) found += to_string(problem) + "\n";
  return found;
}

}  // namespace

TEST_CASE("PDP takes the result of SDP") {
  auto l = empty();
  l.layers = {{"scale", layer::sdp{.input = l.inputs[0].surface, .output = flying(whole)}},
              {"pool", pooling(l)}};
  const auto p = plan::make_program<Hw>(l);
  CHECK(problems(p) == "");
  const auto& ops = p.tasks.at(0).operations;
  CHECK(ops[0].consumers[plan::index(plan::engine::pdp)].operation == 1);
  CHECK(ops[1].fused_parent.operation == 0);
}

TEST_CASE("PDP takes the result of SDP behind a convolution") {
  auto l = empty();
  l.layers = {{"conv", convolution(l)},
              {"scale", layer::sdp{.input = flying(whole), .output = flying(whole)}},
              {"pool", pooling(l)}};
  const auto p = plan::make_program<Hw>(l);
  CHECK(problems(p) == "");
  const auto& ops = p.tasks.at(0).operations;
  CHECK(ops[0].consumers[plan::index(plan::engine::sdp)].operation == 1);
  CHECK(ops[1].consumers[plan::index(plan::engine::pdp)].operation == 2);
  CHECK(ops[1].fused_parent.operation == 0);
  CHECK(ops[2].fused_parent.operation == 1);
}

TEST_CASE("tasks end between layers that hand on without memory") {
  const auto l = empty();
  const std::vector<layer::layer> chain{
      {"conv", convolution(l)},
      {"scale", layer::sdp{.input = flying(whole), .output = flying(whole)}},
      {"pool", pooling(l)}};
  auto twice = chain;
  twice.insert(twice.end(), chain.begin(), chain.end());
  for (const std::size_t most : {3u, 4u, 5u}) {
    const auto tasks = plan::detail::tasks_of(twice, most);
    REQUIRE(tasks.size() == 2);
    for (const auto& t : tasks) CHECK(t.operations.size() == 3);
  }
  CHECK(plan::detail::tasks_of(twice, 6).size() == 1);
}

// Poolings that lowering puts behind their convolutions, broken in every way.

namespace {

using program = plan::program<Hw>;
using net::square;
using plan::engine, plan::event;

// Tiles of conv with their poolings, then a convolution that reads them all.
program tiles() {
  quantised::graph g;
  const auto in = g.add("in", quantised::input{{64, 52, 40}});
  const auto conv =
      g.add("conv", example::convolution(64, 16, square{.kernel = 3, .pad = 1}), {in});
  const auto pool =
      g.add("pool", quantised::pool{.window = square{.kernel = 2, .stride = 2}}, {conv});
  g[g.add("last", example::convolution(16, 8, {}), {pool})].output = true;
  net::infer_shapes(g);
  return plan::make_program<Hw>(lower::lower<Hw>(g, "tiles"));
}

// The simulator's error in a run; empty if there is none.
std::string simulated(const program& p) {
  try {
    program_run<Hw> run(p, 1);
    const quantised::feed in = net::int8_tensor{p.inputs[0].shape};
    run.run({&in, 1});
  } catch (const std::exception& e) {
    return e.what();
  }
  return {};
}

plan::operation& op(program& p, const char* name) { return example::operation(p, name); }
auto& pdp(program& p, const char* name) { return example::layer<layer::pdp>(p, name); }
void unlink(program& p, plan::link& l) {
  REQUIRE(l.operation >= 0);
  --p.tasks[0].operations[static_cast<std::size_t>(l.operation)].dependency_count;
  l = {};
}

}  // namespace

TEST_CASE("checker and simulator find each way in which PDP takes another cube than SDP gives") {
  const auto good = tiles();
  REQUIRE(problems(good) == "");
  REQUIRE(simulated(good) == "");
  REQUIRE(pdp(const_cast<program&>(good), "pool/y0").output.shape.h < 26);
  struct mutation {
    const char* checked;
    const char* refused;
    void (*harm)(program&);
  };
  for (const auto& m : std::initializer_list<mutation>{
           {"PDP: it takes 16x", "PDP", [](program& p) {  // fewer lines
              pdp(p, "pool/y0").input.shape.h -= 2;
              pdp(p, "pool/y0").output.shape.h -= 1;
            }},
           {"PDP: it takes 16x", "PDP", [](program& p) {  // fewer columns
              pdp(p, "pool/y0").input.shape.w -= 2;
              pdp(p, "pool/y0").output.shape.w -= 1;
            }},
           {"PDP: it takes 8x", "PDP", [](program& p) {
              pdp(p, "pool/y0").input.shape.c = pdp(p, "pool/y0").output.shape.c = 8;
            }},
           {"the output's height", "PDP.D_DATA_CUBE_OUT_HEIGHT", [](program& p) {
              pdp(p, "pool/y0").output.shape.h -= 1;
            }},
           {"the output's width", "PDP.D_DATA_CUBE_OUT_WIDTH", [](program& p) {
              pdp(p, "pool/y0").output.shape.w -= 1;
            }},
           {"the line buffers hold 16 columns of the 20", "PDP.D_DATA_CUBE_OUT_WIDTH",
            [](program& p) {
              auto& l = pdp(p, "pool/y0");
              l.window.kernel_h = 5;
              l.window.stride_h = 1;
              l.output.shape.h = l.input.shape.h - 4;
              l.output.line_stride = 8;
            }},
           {"what comes on the fly cannot be split", "PDP.D_OPERATION_MODE_CFG.SPLIT_NUM",
            [](program& p) { pdp(p, "pool/y0").split = {2, 20, 0, 20, 10, 0, 10}; }},
           {"SDP: it takes 16x", "", [](program& p) {  // CONV computes a line less
              auto& c = example::layer<layer::convolution>(p, "conv/y0");
              --c.output.h;
              c.window.pad_top = 0;
            }},
       }) {
    CAPTURE(std::string(m.checked));
    auto broken = good;
    m.harm(broken);
    const auto found = plan::verify(broken);
    std::string all;
    for (const auto& f : found) all += to_string(f) + '\n';
    CAPTURE(all);
    CHECK(example::reported(found, m.checked));
    const auto said = simulated(broken);
    CAPTURE(said);
    CHECK(!said.empty());
    CHECK(said.find(m.refused) != std::string::npos);
  }
}

TEST_CASE("missing links and lost tiles of poolings on the fly are reported") {
  example::expect_reports<Hw>(
      tiles(),
      {
          {"'pool/y0': it is fed on the fly but has no fused parent",
           [](auto& p) { unlink(p, op(p, "pool/y0").fused_parent); }},
          {"'pool/y0': it is not the consumer of its fused parent 'conv/y0/sdp'",
           [](auto& p) { unlink(p, op(p, "conv/y0/sdp").consumers[plan::index(engine::pdp)]); }},
          {"'pool/y0': it waits for the completion of what feeds it",
           [](auto& p) {
             op(p, "conv/y0/sdp").consumers[plan::index(engine::pdp)].event = event::completed;
           }},
          {"'conv/y0/sdp': nothing takes its result",
           [](auto& p) {
             auto& l = pdp(p, "pool/y0");
             unlink(p, op(p, "pool/y0").fused_parent);
             l.input = layer::packed(l.input.shape, atom, p.inputs[0].surface.at);
           }},
          // The pooling ends the stage: what reads its result waits for it, not for SDP.
          {"it reads memory that 'pool/y",
           [](auto& p) {
             for (auto& o : p.tasks[0].operations)
               if (std::holds_alternative<layer::pdp>(o.layer.what))
                 if (auto& l = o.consumers[plan::index(engine::convolution)]; l.operation >= 0)
                   unlink(p, l);
           }},
          {"it reads bytes of 'pool' that nothing before it writes",
           [](auto& p) { pdp(p, "pool/y0").output.at.offset += 8 * 20; }},
      },
      [](const auto& p) { return plan::validate(p); });
}
