// SPDX-License-Identifier: Apache-2.0
// A bit that a board writes wrongly is found: layer, element and cause.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/compile_options.hpp>
#include <nvdlac/emit/loadable_bytes.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/runtime/drm.hpp>
#include <nvdlac/runtime/session.hpp>
#include <nvdlac/runtime/uio.hpp>
#include <nvdlac/verify/locate.hpp>

#include "board/drm.hpp"
#include "hardware.hpp"
#include "random_graph.hpp"
#include "simulated_board.hpp"

using namespace nvdlac;

namespace {

// Whether the byte is one of the tensor's atoms behind its last channel; of int8 on nv_small.
bool is_behind_channels(const verification::run_tensor& t, std::uint64_t address) {
  constexpr std::uint64_t atom = 8;
  if (t.input || address < t.address || address - t.address >= t.bytes.size()) return false;
  const auto offset = address - t.address;
  const auto channel = offset / t.surface.surface_stride * atom + offset % atom;
  return std::cmp_greater_equal(channel, t.surface.shape.c);
}

// A board behind UIO, and one with the kernel driver, of which a bit of a layer's memory is wrong.
struct by_uio {
  using device = runtime::uio;
  static device open() { return runtime::uio("uio0"); }

  by_uio(std::size_t layer, std::size_t byte, std::size_t bit)
      : board("nv_small", text("flip=", layer, ':', byte, ':', bit)) {}
  std::uint64_t flipped() const { return board.state().flipped; }

  simulated_board board;
};
struct by_drm {
  using device = runtime::drm;
  static device open() { return runtime::drm(); }

  by_drm(std::size_t layer, std::size_t byte, std::size_t bit)
      : driver(text("flip:", layer, ':', byte, ':', bit)) {}
  // The driver gives a program its first buffers in the order and at the places of nvdlac's own.
  static std::uint64_t flipped() { return nvdla_shim_flipped(); }

  driver_with driver;
};

template <class Board>
void check_random_bits() {
  const auto& chip = hardware<nv_small>();
  std::mt19937 random(44);
  const auto draw = [&](std::size_t below) { return random() % std::max<std::size_t>(below, 1); };
  int located = 0, unseen = 0;
  for (unsigned seed = 1; located + unseen < 200; ++seed) {
    const auto network = random_graph::make(seed, {.layers = 5, .side = 8});
    const auto program = chip.build(network, {});
    const auto bytes = emit::loadable_bytes(program, chip.name(), chip.spec());
    const auto image = emit::read_loadable(bytes, {});
    const auto loaded = runtime::load(image, chip.spec());
    std::size_t layers = 0;
    for (const auto& t : loaded.tasks)
      layers += static_cast<std::size_t>(std::ranges::count_if(t.layers, [](const auto& l) {
        return !layer::on_host(l.what) && !layer::takes_on_the_fly(l.what);
      }));
    if (layers == 0) continue;
    const auto feeds = random_graph::feeds(network, seed);
    const Board board{draw(layers), draw(4096), draw(8)};
    CAPTURE(seed);
    runtime::session<nv_small> simulator(image);
    runtime::session<nv_small, typename Board::device> device(image, Board::open());
    const auto found = verification::locate(simulator, device, feeds, chip.spec().atom());
    const auto address = board.flipped();
    REQUIRE(address != 0);
    // The bit is flipped once, so that the next run tells where the tensors stand.
    const auto right = verification::tensors_of_run(device, feeds);
    CHECK(!verification::locate(simulator, device, feeds, chip.spec().atom()).first);
    if (!found.first) {  // lanes behind the last channel are nobody's
      ++unseen;
      continue;
    }
    ++located;
    // Layers end in another order there than on the simulator.
    const auto at = std::ranges::find_if(
        right, [&](const auto& t) { return t.file + ".bin" == found.first->file; });
    REQUIRE(at != right.end());
    const auto& tensor = *at;
    // A copy of whole atoms takes along what stands behind the last channel of another layer.
    if (address - tensor.address >= tensor.bytes.size()) {
      CHECK(std::ranges::any_of(right,
                                [&](const auto& t) { return is_behind_channels(t, address); }));
      continue;
    }
    CHECK(tensor.layer == found.first->layer);
    CHECK(found.first->count == 1);
    CHECK(address >= tensor.address);
    CHECK(address - tensor.address < tensor.bytes.size());
    CHECK(has(found.first->cause, "one bit differs"));
  }
  MESSAGE(located << " located, " << unseen << " in bytes that nobody reads");
  CHECK(located > 100);
}

}  // namespace

TEST_CASE("of random networks, layers and bits the first wrong layer is named") {
  {
    const simulated_board board;
    if (!board) return;
  }
  check_random_bits<by_uio>();
}

TEST_CASE("and so it is where a driver runs whole tasks") { check_random_bits<by_drm>(); }
