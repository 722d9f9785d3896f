// SPDX-License-Identifier: Apache-2.0
// Sessions on devices that are not the simulator's own: here boards of the test, with a simulated
// NVDLA behind their registers.
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <typeinfo>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/runtime/any_device.hpp>
#include <nvdlac/runtime/session.hpp>

#include "emit/example.hpp"
#include "hardware.hpp"
#include "problem_of.hpp"

using namespace nvdlac;
using namespace std::chrono_literals;

namespace {

struct circumstances {
  std::uint64_t memory = 0x9000'0000;  // where it begins
  bool ends = true;                    // what is enabled ends
  bool resets = true;
  bool in_step = true;                 // the units of an engine stand at one register group
};

// The device in twenty lines that docs/board.md shows.
struct board {
  explicit board(circumstances c = {}) : are(c), next(c.memory) {}

  emit::dma_address allocate(std::uint64_t size, bool) {
    const auto at = next;
    next = align_up(next + size, std::uint64_t{4096});
    return {at, true};
  }
  void load(const emit::dma_address& at, std::span<const std::uint8_t> bytes) {
    chip->dram().write(at.address, bytes);
  }
  void fetch(const emit::dma_address& at, std::span<std::uint8_t> bytes) {
    chip->dram().read(at.address, bytes);
  }
  std::uint32_t read(std::uint32_t address) {
    const auto& pointer = *hw::find(hw::register_map::small, "CSC.S_POINTER");
    const auto value = chip->read(address);
    return are.in_step || address != pointer.address ? value : value ^ 1U << 16;
  }
  void write(std::uint32_t address, std::uint32_t value) {
    const auto& enable = *hw::find(hw::register_map::small, "CSC.D_OP_ENABLE");
    if (are.ends || address != enable.address) chip->write(address, value);
  }
  bool wait(std::chrono::milliseconds) { return chip->interrupt(); }
  void reset() {
    if (!are.resets) throw error("the board has no reset");
    chip->reset();
  }

  circumstances are;
  std::uint64_t next;
  std::shared_ptr<sim::device<nv_small>> chip = std::make_shared<sim::device<nv_small>>();
};
static_assert(runtime::register_device<board> && !runtime::task_device<board>);

// A driver that runs whole tasks: it notes what it was given, and what its memory held then.
struct driver {
  emit::dma_address allocate(std::uint64_t size, bool) {
    const auto at = next;
    next += align_up(size, std::uint64_t{4096});
    return {at, true};
  }
  void load(const emit::dma_address& at, std::span<const std::uint8_t> bytes) {
    memory->write(at.address, bytes);
  }
  void fetch(const emit::dma_address& at, std::span<std::uint8_t> bytes) {
    memory->read(at.address, bytes);
  }
  void submit(std::span<const emit::dma_address> addresses, std::chrono::milliseconds) {
    submitted->emplace_back(addresses.begin(), addresses.end());
    for (const auto& a : addresses) {
      std::vector<std::uint8_t> first(4);
      memory->read(a.address, first);
      seen->push_back(first);
      memory->fill(a.address, 4, 0);
    }
  }

  std::uint64_t next = 0x1000;
  std::shared_ptr<sim::memory> memory = std::make_shared<sim::memory>();
  std::shared_ptr<std::vector<std::vector<emit::dma_address>>> submitted =
      std::make_shared<std::vector<std::vector<emit::dma_address>>>();
  std::shared_ptr<std::vector<std::vector<std::uint8_t>>> seen =
      std::make_shared<std::vector<std::vector<std::uint8_t>>>();
};
static_assert(runtime::task_device<driver> && !runtime::register_device<driver>);

using on_board = runtime::session<nv_small, board>;

emit::loadable_image image() {
  static const auto bytes = emit::loadable(example::digits<nv_small>());
  return emit::read_loadable(bytes, {});
}

std::vector<quantised::feed> input(unsigned seed) {
  const net::shape s{8, 6, 6};
  const auto bytes = example::noise(s.size(), seed);
  return {net::int8_tensor{s, {bytes.begin(), bytes.end()}}};
}

std::vector<net::any_tensor> simulated(unsigned seed) {
  runtime::session<nv_small> s(image());
  return s.infer_any(input(seed));
}

std::string failure(on_board& s) {
  try {
    (void)s.infer_any(input(1));
  } catch (const error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

// A device of either kind with a record of what is written, as a user wraps one to look at it.
struct watched {
  bool takes_tasks() const { return of.takes_tasks(); }
  emit::dma_address allocate(std::uint64_t size, bool dram) { return of.allocate(size, dram); }
  void load(const emit::dma_address& at, std::span<const std::uint8_t> bytes) {
    of.load(at, bytes);
  }
  void fetch(const emit::dma_address& at, std::span<std::uint8_t> bytes) { of.fetch(at, bytes); }
  std::uint32_t read(std::uint32_t address) { return of.read(address); }
  void write(std::uint32_t address, std::uint32_t value) { ++writes; of.write(address, value); }
  bool wait(std::chrono::milliseconds time) { return of.wait(time); }
  void reset() { of.reset(); }
  void submit(std::span<const emit::dma_address> at, std::chrono::milliseconds time) {
    of.submit(at, time);
  }

  runtime::any_device of;
  int writes = 0;
};
static_assert(runtime::task_device<watched> && runtime::register_device<watched>);

TEST_CASE("a device of both kinds says itself which it is") {
  runtime::session<nv_small, watched> s(image(), watched{runtime::any_device(board{})});
  CHECK(s.infer_any(input(1)) == simulated(1));
  CHECK(s.device().writes > 0);
}

TEST_CASE("a device of any kind is given as what it is, and as nothing else") {
  runtime::any_device held{board{}};
  CHECK_NOTHROW(held.get<board>());
  CHECK_THROWS_AS(held.get<driver>(), std::bad_cast);
}

TEST_CASE("a board of the user's own computes what the simulator does") {
  on_board s(image(), board{});
  for (unsigned seed = 0; seed < 5; ++seed)
    CHECK(s.infer_any(input(seed)) == simulated(seed));
  CHECK(s.program().inputs[0].address >= circumstances{}.memory);
}

TEST_CASE("so does one that only run time knows") {
  const auto s = hardware<nv_small>().run_on(board{}, image(), 1s);
  CHECK(s->infer_any(input(3)) == simulated(3));
  CHECK_THROWS_WITH_AS(s->on_layer({}), doctest::Contains("by the simulator only"), error);
}

TEST_CASE("a device without mapped memory has its inputs packed") {
  on_board s(image(), board{});
  CHECK(s.input_memory(0).empty());
  CHECK_THROWS_WITH_AS(s.run_in_place(), doctest::Contains("pack, run and unpack"), error);
  CHECK(hardware<nv_small>().run_on(board{}, image(), 1s)->output_memory(0).empty());
}

TEST_CASE("a session goes on where another has left the register groups") {
  board b;
  const auto chip = b.chip;
  // One layer of every engine and two of the first leave some of them at group 1.
  on_board first(image(), b);
  (void)first.infer_any(input(1));
  const auto at = *hw::find(hw::register_map::small, "PDP.S_POINTER");
  CHECK((chip->read(at.address) >> 16) == 1);
  on_board second(image(), b);
  CHECK(second.infer_any(input(2)) == simulated(2));
}

TEST_CASE("a busy device is refused and left alone, and so are units at different groups") {
  board b;
  b.chip->write(hw::find(hw::register_map::small, "PDP.D_OP_ENABLE")->address, 1);
  CHECK_THROWS_WITH_AS(on_board(image(), b), doctest::Contains("NVDLA is busy (PDP)"), error);
  CHECK(b.chip->dram().pages_in_use() == 0);
  CHECK_THROWS_WITH_AS(on_board(image(), board({.in_step = false})),
                       doctest::Contains("CSC stand at different register groups"), error);
}

TEST_CASE("cubes that layers have written are seen while the board goes on") {
  on_board s(image(), board{});
  runtime::session<nv_small> right(image());
  std::vector<std::vector<std::uint8_t>> given, wanted;
  s.on_cube([&](const auto&, auto bytes) { given.emplace_back(bytes.begin(), bytes.end()); });
  right.on_cube([&](const auto&, auto bytes) { wanted.emplace_back(bytes.begin(), bytes.end()); });
  CHECK(s.infer_any(input(4)) == right.infer_any(input(4)));
  CHECK(given.size() == 4);
  CHECK(given == wanted);
}

TEST_CASE("a layer that does not end is named, with the units that wait") {
  on_board hangs(image(), board({.ends = false}), host::standard(), 10ms);
  CHECK(has(failure(hangs), "'conv1': is enabled and never ends; waiting units: "));
  CHECK(has(failure(hangs), "'conv1'"));  // it was reset, and fails again
}

TEST_CASE("a device that failed and cannot be reset is not used again") {
  on_board s(image(), board({.ends = false, .resets = false}), host::standard(), 10ms);
  CHECK(has(failure(s), "never ends"));
  CHECK(has(failure(s), "the device is not usable since a run failed: the board has no reset"));
}

TEST_CASE("memory beyond the addresses of the configuration is refused") {
  CHECK_THROWS_WITH_AS(on_board(image(), board({.memory = 0xffff'f000})),
                       doctest::Contains("is beyond the 32 bits of address"), error);
}

TEST_CASE("a driver of tasks gets their addresses, and a dependency graph that is whole") {
  driver d;
  runtime::session<nv_small, driver> s(image(), d);
  (void)s.infer_any(input(1));
  const auto first = *d.seen;
  d.seen->clear();
  (void)s.infer_any(input(1));
  REQUIRE(d.submitted->size() == 2);
  const auto& task = s.program().tasks.at(0);
  CHECK(d.submitted->at(0) == task.places);
  std::size_t graphs = 0;
  for (std::size_t i = 0; i < task.places.size(); ++i)
    if (task.places[i] == task.graph.at) {
      CHECK(first.at(i) == d.seen->at(i));
      ++graphs;
    }
  CHECK(graphs == 1);
}
