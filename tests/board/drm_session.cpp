// SPDX-License-Identifier: Apache-2.0
// Programs over the kernel driver, bit for bit as on the simulator.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/runtime/any_device.hpp>
#include <nvdlac/runtime/drm.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/runtime/pool.hpp>
#include <nvdlac/runtime/session.hpp>
#include <nvdlac/runtime/written_cube.hpp>

#include "board/drm.hpp"
#include "board/resident.hpp"
#include "emit/example.hpp"
#include "hardware.hpp"
#include "verify/small_network.hpp"

using namespace nvdlac;

namespace {

using memories = std::vector<std::vector<std::uint8_t>>;

net::int8_tensor picture(net::shape s, unsigned seed) {
  const auto bytes = example::noise(s.size(), seed);
  return {s, {bytes.begin(), bytes.end()}};
}

void compare(runtime::any_session& board, runtime::any_session& simulated) {
  for (unsigned seed = 0; seed < 3; ++seed) {
    const auto packed =
        simulated.pack({picture(board.inputs().at(0).shape, seed)});
    const auto in = board.input_memory(0);
    REQUIRE(in.size() == packed.at(0).size());
    std::ranges::copy(packed[0], in.begin());
    board.run_in_place();
    const auto expected = simulated.run(packed);
    REQUIRE(!expected.empty());
    for (std::size_t i = 0; i < expected.size(); ++i)
      CHECK(std::ranges::equal(board.output_memory(i), expected[i]));
  }
  for (unsigned seed = 0; seed < 10; ++seed) {
    const std::vector<quantised::feed> inputs{picture(board.inputs().at(0).shape, seed)};
    const auto expected = simulated.record(inputs), found = board.record(inputs);
    CHECK(found.outputs == expected.outputs);
    REQUIRE(found.host.size() == expected.host.size());
    for (std::size_t i = 0; i < found.host.size(); ++i) {
      CHECK(found.host[i].inputs == expected.host[i].inputs);
      CHECK(found.host[i].output == expected.host[i].output);
    }
  }
}

// By a configuration that run time chooses.
template <class Hw>
void compare(const char* config) {
  const driver_with driver("", config);
  const small_network::proof made(hardware<Hw>());
  const auto image = emit::read_loadable(made.bytes);
  compare(*made.on.run_on(runtime::drm(), image, std::chrono::seconds(10)), *made.session);
}

}  // namespace

TEST_CASE("a program of both configurations, its layers of the host included") {
  compare<nv_small>("nv_small");
  compare<nv_large>("nv_large");
  const driver_with driver("");
  const auto image = emit::read_loadable(emit::loadable(example::digits<nv_small>()));
  {
    runtime::session<nv_small, runtime::drm> board(image, runtime::drm());
    compare(board, *hardware<nv_small>().simulate(runtime::load(image, nv_small::spec), {}));
  }
  CHECK(nvdla_shim_buffers() == 0);
}

TEST_CASE("ten thousand inferences take no more memory than the first ones") {
  const driver_with driver("");
  const auto image = emit::read_loadable(emit::loadable(example::digits<nv_small>()));
  runtime::session<nv_small, runtime::drm> board(image, runtime::drm());
  const auto bytes = nvdla_shim_bytes();
  const auto buffers = nvdla_shim_buffers();
  const memories inputs{example::noise(board.inputs().at(0).size, 1)};
  const auto expected = board.run(inputs);
  for (int i = 0; i < 500; ++i) board.run(inputs);
  const auto before = resident_pages();
  for (int i = 0; i < 9'500; ++i)
    if (board.run(inputs) != expected) FAIL("inference " << i << " differs");
  CHECK(resident_pages() <= before + 64);
  CHECK(nvdla_shim_bytes() == bytes);
  CHECK(nvdla_shim_buffers() == buffers);
}

TEST_CASE("two sessions share a device, and a device that is moved is the same one") {
  const driver_with driver("");
  const auto image = emit::read_loadable(emit::loadable(example::digits<nv_small>()));
  runtime::drm first;
  runtime::drm moved = std::move(first);
  runtime::session<nv_small, runtime::drm> one(image, std::move(moved)), two(image, runtime::drm());
  const memories inputs{example::noise(one.inputs().at(0).size, 3)};
  for (int i = 0; i < 20; ++i) CHECK(one.run(inputs) == two.run(inputs));
}

// The cubes by the numbers of their operations: they end in another order there.
std::map<std::pair<std::size_t, std::size_t>, std::vector<std::uint8_t>> cubes_of(
    runtime::any_session& on, const memories& inputs) {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::uint8_t>> cubes;
  on.on_cube([&](const runtime::written_cube& c, std::span<const std::uint8_t> bytes) {
    cubes.insert({{c.task, c.operation}, {bytes.begin(), bytes.end()}});
  });
  on.run(inputs);
  on.on_cube({});
  return cubes;
}

TEST_CASE("what single layers write is seen behind the driver as on the simulator") {
  const driver_with driver("");
  const auto image = emit::read_loadable(emit::loadable(example::digits<nv_small>()));
  runtime::session<nv_small, runtime::drm> board(image, runtime::drm());
  runtime::session<nv_small> simulator(image);
  const memories inputs{example::noise(board.inputs().at(0).size, 4)};
  const auto expected = simulator.run(inputs);
  const auto whole = nvdla_shim_tasks();
  CHECK(board.run(inputs) == expected);
  const auto alone = nvdla_shim_tasks() - whole;
  const auto cubes = cubes_of(simulator, inputs);
  REQUIRE(!cubes.empty());
  const auto buffers = nvdla_shim_buffers();
  CHECK(cubes_of(board, inputs) == cubes);
  CHECK(nvdla_shim_buffers() == buffers + 4);  // descriptors of single layers
  CHECK(cubes_of(board, inputs) == cubes);
  CHECK(nvdla_shim_buffers() == buffers + 4);
  // Behind that, tasks are whole again.
  const auto before = nvdla_shim_tasks();
  CHECK(board.run(inputs) == expected);
  CHECK(nvdla_shim_tasks() == before + alone);
}

TEST_CASE("a pool loads the next run while the driver's task runs") {
  const driver_with driver("");
  const auto image = emit::read_loadable(emit::loadable(example::digits<nv_small>()));
  runtime::session<nv_small> simulator(image);
  std::vector<std::unique_ptr<runtime::any_session>> one;
  one.push_back(std::make_unique<runtime::session<nv_small, runtime::drm>>(image, runtime::drm()));
  const auto shape = simulator.inputs().at(0).shape;
  runtime::pool all(std::move(one));
  CHECK(all.sets(0).count == 2);
  std::vector<std::future<runtime::pool::outputs>> results;
  for (unsigned seed = 0; seed < 50; ++seed) results.push_back(all.run({picture(shape, seed)}));
  for (unsigned seed = 0; seed < 50; ++seed)
    CHECK(results[seed].get() == simulator.infer_any({picture(shape, seed)}));
}
