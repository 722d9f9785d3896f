// SPDX-License-Identifier: Apache-2.0
// Memory, links and order, broken in every way.
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_medium_512.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/hw/configurations/nv_small_256.hpp>
#include <nvdlac/plan/validate.hpp>

#include "example.hpp"

using namespace nvdlac;
using plan::engine, plan::event;

namespace {

using Hw = nv_small;
using program = plan::program<Hw>;

constexpr auto check = [](const auto& p) { return plan::validate(p); };

plan::operation& op(program& p, const char* name) { return example::operation(p, name); }

plan::link& consumer(program& p, const char* name, engine e) {
  return op(p, name).consumers[plan::index(e)];
}
// Takes a link away, and with it the wait for it.
void unlink(program& p, plan::link& l) {
  REQUIRE(l.operation >= 0);
  --p.tasks[0].operations[static_cast<std::size_t>(l.operation)].dependency_count;
  l = {};
}
std::int16_t number(const program& p, std::string_view name) {
  const auto& all = p.tasks[0].operations;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].layer.name == name) return static_cast<std::int16_t>(i);
  throw std::logic_error("no such layer");
}
plan::buffer& home(program& p, const char* sdp) {
  return example::buffer(p, example::layer<layer::sdp>(p, sdp).output);
}

}  // namespace

TEST_CASE("good programs pass") {
  CHECK(plan::validate(example::program<nv_small>()).empty());
  CHECK(plan::validate(example::program<nv_small_256>()).empty());
  CHECK(plan::validate(example::program<nv_medium_512>()).empty());
  CHECK(plan::validate(example::program<nv_large>()).empty());
  CHECK(plan::validate(example::program<nv_full>()).empty());
}

TEST_CASE("broken memory is reported") {
  example::expect_reports<Hw>(
      example::program<Hw>(),
      {
          {"is not inside its pool", [](auto& p) { p.features_size -= 8; }},
          {"is not inside its pool", [](auto& p) { p.weights_size = 64; }},
          {"is not inside its pool", [](auto& p) { home(p, "a/sdp").offset = ~std::uint64_t{0}; }},
          {"smaller than its lower bound", [](auto& p) { p.features_bound = p.features_size + 1; }},
          {"the user's own but has an offset",
           [](auto& p) { example::buffer(p, p.inputs[0].surface).offset = 32; }},
          {"has a content of",
           [](auto& p) {
             example::buffer(p, example::layer<layer::convolution>(p, "a").weights)
                 .content.pop_back();
           }},
          {"has a content but is not loaded", [](auto& p) { home(p, "a/sdp").content.resize(3); }},
          {"its buffer is empty", [](auto& p) { p.buffers.push_back({.name = "none"}); }},
          {"it uses buffer 77, which is none",
           [](auto& p) { example::layer<layer::sdp>(p, "a/sdp").output.at.buffer = 77; }},
          {"it writes up to byte",
           [](auto& p) { example::layer<layer::sdp>(p, "a/sdp").output.at.offset += 8; }},
          {"it reads up to byte",
           [](auto& p) { example::layer<layer::convolution>(p, "a").input.shape.c = 200; }},
          {"it reads up to byte", [](auto& p) { p.outputs[0].surface.size += 8; }},
          {"has no size", [](auto& p) { example::layer<layer::sdp>(p, "sum").input.size = 0; }},
          {"touches more bytes than its size",
           [](auto& p) { example::layer<layer::sdp>(p, "sum").input.size -= 8; }},
          {"it has an empty cube",
           [](auto& p) { example::layer<layer::sdp>(p, "sum").input.shape.w = 0; }},
          {"which is only read",
           [](auto& p) {
             auto& sum = example::layer<layer::sdp>(p, "sum");
             auto& in = example::layer<layer::convolution>(p, "stem").input;
             sum.output = layer::packed({8, 1, 1}, {8}, in.at);
           }},
          {"its weights overlap those of",
           [](auto& p) {
             example::buffer(p, example::layer<layer::convolution>(p, "b").weights).offset =
                 example::buffer(p, example::layer<layer::convolution>(p, "a").weights).offset +
                 128;
           }},
          {"while both are alive",
           [](auto& p) { home(p, "b/sdp").offset = home(p, "a/sdp").offset; }},
          {"while both are alive",
           [](auto& p) {  // what a convolution reads and its SDP writes
             home(p, "a/sdp").offset = home(p, "stem/sdp").offset;
           }},
          {"that nothing before it writes",
           [](auto& p) { example::layer<layer::sdp>(p, "a/sdp").output.shape.c = 8; }},
          {"nothing computes all of this output", [](auto& p) { p.tasks.pop_back(); }},
      },
      check);
}

TEST_CASE("broken tasks and links are reported") {
  example::expect_reports<Hw>(
      example::program<Hw>(),
      {
          {"a task has no operations",
           [](auto& p) { p.tasks.insert(p.tasks.begin(), plan::task{}); }},
          {"neither one layer of the host", [](auto& p) { p.tasks[1].host = false; }},
          {"neither one layer of the host", [](auto& p) { p.tasks[0].host = true; }},
          {"its consumer is operation 999",
           [](auto& p) { consumer(p, "a/sdp", engine::convolution).operation = 999; }},
          {"belongs to another engine",
           [](auto& p) { consumer(p, "sum", engine::pdp).operation = number(p, "a"); }},
          {"waits for event 7",
           [](auto& p) { consumer(p, "sum", engine::pdp).event = static_cast<event>(7); }},
          {"it waits for 1 events but 0 are sent",
           [](auto& p) { consumer(p, "sum", engine::pdp) = {}; }},
          {"it waits for 9 events", [](auto& p) { op(p, "pool").dependency_count = 9; }},
          {"would never run", [](auto& p) { unlink(p, consumer(p, "a", engine::convolution)); }},
          {"it comes twice in the chain",
           [](auto& p) {
             auto& last = op(p, "classes").consumers[plan::index(engine::convolution)];
             last = {number(p, "a"), event::programmed};
             ++op(p, "a").dependency_count;
           }},
          {"it is fed on the fly but has no fused parent",
           [](auto& p) { unlink(p, op(p, "a/sdp").fused_parent); }},
          {"has a fused parent but reads from memory",
           [](auto& p) {
             op(p, "sum").fused_parent = {number(p, "a"), event::enabled};
             ++op(p, "a").dependency_count;
           }},
          {"does not wait until it is enabled",
           [](auto& p) { op(p, "a/sdp").fused_parent.event = event::programmed; }},
          {"waits for the completion of what feeds it",
           [](auto& p) { consumer(p, "a", engine::sdp).event = event::completed; }},
          {"is not the consumer of its fused parent",
           [](auto& p) { unlink(p, consumer(p, "a", engine::sdp)); }},
          {"nothing takes its result",
           [](auto& p) {
             unlink(p, op(p, "a/sdp").fused_parent);
             example::layer<layer::sdp>(p, "a/sdp").input =
                 example::layer<layer::sdp>(p, "a/sdp").output;
           }},
      },
      check);
}

TEST_CASE("missing order is reported") {
  example::expect_reports<Hw>(
      example::program<Hw>(),
      {
          // Read after write, between engines.
          {"'pool': it reads memory that 'sum' writes",
           [](auto& p) { unlink(p, consumer(p, "sum", engine::pdp)); }},
          {"'b': it reads memory that 'a/sdp' writes",
           [](auto& p) { unlink(p, consumer(p, "a/sdp", engine::convolution)); }},
          {"'left': it reads memory that 'pool' writes",
           [](auto& p) { unlink(p, consumer(p, "pool", engine::convolution)); }},
          // An event that comes too early.
          {"'pool': it reads memory that 'sum' writes",
           [](auto& p) { consumer(p, "sum", engine::pdp).event = event::enabled; }},
          // Inside one engine, whose reading side runs ahead.
          {"'sum': it reads memory that 'b/sdp' writes",
           [](auto& p) { consumer(p, "b/sdp", engine::sdp).event = event::programmed; }},
          // Write after read: `left` is computed where the pooling still reads.
          {"it writes memory that", [](auto& p) {
             unlink(p, consumer(p, "pool", engine::convolution));
             auto& left = example::layer<layer::sdp>(p, "left/sdp").output;
             left = layer::packed(left.shape, {8}, example::layer<layer::pdp>(p, "pool").input.at);
           }},
          {"it reads memory that it writes itself", [](auto& p) {
             auto& sum = example::layer<layer::sdp>(p, "sum");
             sum.output = sum.input;
           }},
      },
      check);
}

TEST_CASE("operations that wait for each other are reported") {
  example::expect_reports<Hw>(
      example::program<Hw>(),
      {
          {"wait for each other in a circle", [](auto& p) {  // left -> pool -> left
             consumer(p, "left/sdp", engine::pdp) = {number(p, "pool"), event::completed};
             ++op(p, "pool").dependency_count;
           }},
          {"it never receives the events it waits for", [](auto& p) {
             consumer(p, "left/sdp", engine::pdp) = {number(p, "pool"), event::completed};
             ++op(p, "pool").dependency_count;
           }},
          // The SDP layers of two convolutions in the wrong order: the first result has no taker.
          {"it never", [](auto& p) {
             const auto a = number(p, "a/sdp"), b = number(p, "b/sdp");
             consumer(p, "stem/sdp", engine::sdp).operation = b;
             consumer(p, "b/sdp", engine::sdp).operation = a;
             consumer(p, "a/sdp", engine::sdp).operation = number(p, "sum");
           }},
      },
      check);
}

TEST_CASE("a read DMA passes by an operation that does not use it") {
  // A pooling writes what the second SDP layer reads. Only the first one waits for it: that is
  // enough if its own operands keep the read DMA waiting too.
  plan::program_data p;
  p.buffers = {{.name = "in", .memory = plan::memory::input, .size = 8},
               {.name = "pooled", .memory = plan::memory::features, .size = 8},
               {.name = "out", .memory = plan::memory::output, .size = 16},
               {.name = "weights",
                .memory = plan::memory::weights,
                .size = 128,
                .content = std::vector<std::uint8_t>(128)}};
  p.features_size = 8;
  p.weights_size = 128;
  const auto cube = [](std::int32_t buffer, std::uint64_t offset) {
    return layer::packed({8, 1, 1}, bytes{8}, {buffer, offset});
  };
  const layer::surface kernels{.at = {3, 0}, .shape = {8, 1, 1}, .size = 128};
  layer::sdp first{.input = {.shape = {8, 1, 1}}, .output = cube(2, 0)};
  first.x1 = {.alu = true, .mode = layer::sdp_mode::per_kernel, .operands = kernels};
  p.tasks.push_back(
      {.operations = {{.layer = {"pool", layer::pdp{.input = cube(0, 0), .output = cube(1, 0)}}},
                      {.layer = {"conv", layer::convolution{.input = cube(0, 0),
                                                            .weights = kernels,
                                                            .output = {8, 1, 1}}}},
                      {.layer = {"first", first}},
                      {.layer = {"second",
                                 layer::sdp{.input = cube(1, 0), .output = cube(2, 8)}}}}});
  auto& all = p.tasks[0].operations;
  constexpr auto sdp = plan::index(engine::sdp);
  all[0].consumers[sdp] = {2, event::completed};
  all[1].consumers[sdp] = {2, event::programmed};
  all[2].consumers[sdp] = {3, event::programmed};
  all[2].fused_parent = {1, event::enabled};
  all[1].dependency_count = all[3].dependency_count = 1;
  all[2].dependency_count = 2;
  CHECK(plan::validate(p, nv_small::spec).empty());
  std::get<layer::sdp>(all[2].layer.what).x1 = {};
  CHECK(example::reported(plan::validate(p, nv_small::spec),
                          "'second': it reads memory that 'pool' writes"));
}

TEST_CASE("a third operation is not programmed before the first has completed") {
  // Three poolings in a chain; the first waits for an SDP layer that waits for the third.
  plan::program_data p;
  for (int i = 0; i < 4; ++i)
    p.buffers.push_back({.name = "cube",
                         .memory = i == 3 ? plan::memory::output : plan::memory::input,
                         .size = 32});
  const auto cube = [](std::int32_t buffer, std::uint64_t offset) {
    return layer::packed({8, 1, 1}, bytes{8}, {buffer, offset});
  };
  plan::task t;
  for (std::int16_t i = 0; i < 3; ++i) {
    const auto to = cube(3, 8 * static_cast<std::uint64_t>(i));
    t.operations.push_back(
        {.layer = {text("pool", i), layer::pdp{.input = cube(i, 0), .output = to}}});
    if (i < 2)
      t.operations.back().consumers[plan::index(engine::pdp)] = {static_cast<std::int16_t>(i + 1),
                                                                 event::programmed};
  }
  t.operations.push_back(
      {.layer = {"sdp", layer::sdp{.input = cube(0, 0), .output = cube(3, 24)}}});
  t.operations[1].dependency_count = t.operations[2].dependency_count = 1;
  p.tasks.push_back(t);
  CHECK(plan::validate(p, nv_small::spec).empty());

  auto& all = p.tasks[0].operations;
  all[3].consumers[plan::index(engine::pdp)] = {0, event::completed};
  all[0].dependency_count = 1;
  CHECK(plan::validate(p, nv_small::spec).empty());
  all[2].consumers[plan::index(engine::sdp)] = {3, event::programmed};
  all[3].dependency_count = 1;
  const auto found = plan::validate(p, nv_small::spec);
  CHECK(example::reported(found, "'pool2': it never gets a register group"));
  CHECK(example::reported(found, "'sdp': it never receives the events it waits for"));
  CHECK(example::reported(found, "wait for each other in a circle"));
}
