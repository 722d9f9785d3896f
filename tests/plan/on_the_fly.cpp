// SPDX-License-Identifier: Apache-2.0
// Layers that hand their results on without memory, however many: the planner links them.
#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/plan/validate.hpp>
#include <nvdlac/plan/verify.hpp>

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
