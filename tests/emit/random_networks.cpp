// SPDX-License-Identifier: Apache-2.0
// Random networks: the loadable on the simulator, its trace and the exact integer reference agree
// in every byte.
#include <unistd.h>

#include <filesystem>

#include <doctest/doctest.h>

#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/emit/trace.hpp>
#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/sim/replay.hpp>
#include <nvdlac/sim/runtime.hpp>

#include "random_graph.hpp"
#include "scratch.hpp"

using namespace nvdlac;
namespace fs = std::filesystem;

namespace {

template <class Hw>
void expect_agreement(std::uint64_t seed, random_limits limits) {
  INFO(type_name<Hw>() << ", seed " << seed);
  const auto g = random_graph::make(seed, limits);
  const auto program = plan::make_program<Hw>(lower::lower<Hw>(g, "random"));
  const auto bytes = emit::loadable(program);
  sim::runtime<Hw> runtime(bytes);
  std::vector<std::vector<std::uint8_t>> memories;
  for (std::uint64_t input = 0; input < 3; ++input) {
    const auto feeds = random_graph::feeds(g, 10 * seed + input);
    CHECK(runtime.infer(feeds) == net::integer::evaluate(g, feeds));
    memories.clear();
    for (std::size_t i = 0; i < feeds.size(); ++i) memories.push_back(runtime.pack(i, feeds[i]));
  }
  // On a fresh memory, as the trace's reader has it.
  const auto record = sim::runtime<Hw>(bytes).record(memories);
  CHECK(record.outputs == runtime.run(memories));
  const scratch dir;
  emit::write_files(dir.path, emit::trace(program, record, "net"));
  for (const auto& d : sim::replay<Hw>(dir.path / "net.nvtrace"))
    FAIL_CHECK("line " << d.line << ": " << d.what);
}

void everywhere(std::uint64_t seed, random_limits limits) {
  expect_agreement<nv_small>(seed, limits);
  expect_agreement<nv_small_256>(seed, limits);
  expect_agreement<nv_medium_512>(seed, limits);
  expect_agreement<nv_large>(seed, limits);
  expect_agreement<nv_full>(seed, limits);
}

}  // namespace

TEST_CASE("loadable, trace and reference agree") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) everywhere(seed, {});
}

TEST_CASE("loadable, trace and reference agree where layers must be split") {
  for (std::uint64_t seed = 0; seed < 3; ++seed)
    everywhere(seed, {.layers = 4, .channels = 200, .side = 60});
}
