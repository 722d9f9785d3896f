// SPDX-License-Identifier: Apache-2.0
// Random networks on the UIO devices of a board, with caches that are not coherent.
#include <cstdlib>
#include <string>

#include <doctest/doctest.h>

#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>

#include "compiled.hpp"
#include "nightly.hpp"
#include "random_graph.hpp"
#include "simulated_board.hpp"

namespace {

template <class Hw>
void compare(const std::string& board_of) {
  const auto& chip = hardware<Hw>();
  for (unsigned seed = 1; seed <= drawn(60u); ++seed) {
    CAPTURE(seed);
    const auto network = random_graph::make(seed, {.layers = 6, .side = 12});
    const auto feeds = random_graph::feeds(network, seed);
    const auto expected = compiled(chip, network).infer_any(feeds);
    const simulated_board board(board_of, "caches");
    ::setenv("NVDLAC_TEST_DEVICE", "uio", 1);
    {
      compiled on_board(chip, network);
      ::unsetenv("NVDLAC_TEST_DEVICE");
      CHECK(on_board.infer_any(feeds) == expected);
      CHECK(on_board.infer_any(feeds) == expected);
    }
    CHECK(board.state().synced_for_device > 0);
  }
}

}  // namespace

TEST_CASE("random networks compute on the board what they do on the simulator") {
  {
    const simulated_board board;
    if (!board) return;
  }
  compare<nvdlac::nv_small>("nv_small");
  compare<nvdlac::nv_large>("nv_large");
}
