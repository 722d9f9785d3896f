// SPDX-License-Identifier: Apache-2.0
// The board of examples/bare_metal is a device like any other: a session runs on it.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/emit/registers.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/runtime/device.hpp>
#include <nvdlac/runtime/session.hpp>
#include <nvdlac/runtime/simulated.hpp>

#include "../examples/bare_metal/device.hpp"
#include "emit/example.hpp"

using namespace nvdlac;

static_assert(runtime::register_device<board_device<emit::dma_address>>);
static_assert(board_device<>::interrupt_status ==
              hw::address<nv_small::spec.map, "GLB.S_INTR_STATUS">);

namespace {

struct bare_board {
  static constexpr std::uint64_t memory = 0x9abc'd000;

  runtime::simulated<nv_small> chip{};
  int resets = 0;
};
bare_board& the_bare_board() {
  static bare_board one;
  return one;
}

}  // namespace

// The functions that the board supplies.
extern "C" {

void nvdla_write(std::uint32_t address, std::uint32_t value) {
  the_bare_board().chip.write(address, value);
}
std::uint32_t nvdla_read(std::uint32_t address) { return the_bare_board().chip.read(address); }
void nvdla_reset() {
  ++the_bare_board().resets;
  the_bare_board().chip.reset();
}
std::uint32_t nvdla_wait(std::uint32_t address, std::uint32_t bits) {
  the_bare_board().chip.wait(runtime::default_patience);
  return nvdla_read(address) & bits;
}
std::uint64_t memory_base() { return bare_board::memory; }
void memory_write(std::uint64_t address, const void* from, std::size_t bytes) {
  the_bare_board().chip.load({address, true}, {static_cast<const std::uint8_t*>(from), bytes});
}
void memory_read(std::uint64_t address, void* to, std::size_t bytes) {
  the_bare_board().chip.fetch({address, true}, {static_cast<std::uint8_t*>(to), bytes});
}

}  // extern "C"

TEST_CASE("a session on the board of a firmware does what it does on the simulator") {
  const auto image = emit::read_loadable(emit::loadable(example::digits<nv_small>()));
  runtime::session<nv_small> simulator(image);
  using device = board_device<emit::dma_address>;
  runtime::session<nv_small, device> board(image, device());
  CHECK(board.inputs().at(0).address >= bare_board::memory);
  for (unsigned seed = 0; seed < 10; ++seed) {
    const runtime::any_session::memories inputs{example::noise(board.inputs().at(0).size, seed)};
    CHECK(board.run(inputs) == simulator.run(inputs));
  }
  CHECK(the_bare_board().resets == 0);
  board.device().reset();
  CHECK(the_bare_board().resets == 1);
}
