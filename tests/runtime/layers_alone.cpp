// SPDX-License-Identifier: Apache-2.0
// Programs whose hardware layers run one at a time. That they do is seen by
// tests/board/commands.cpp, on a board that errs where two run at once.
#include <doctest/doctest.h>

#include <nvdlac/compile_options.hpp>
#include <nvdlac/emit/loadable_bytes.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/runtime/session.hpp>

#include "hardware.hpp"
#include "random_graph.hpp"

using namespace nvdlac;

namespace {

template <class Hw>
void check_random_networks(unsigned first, unsigned count) {
  const auto& chip = hardware<Hw>();
  for (unsigned seed = first; seed < first + count; ++seed) {
    CAPTURE(seed);
    const auto network = random_graph::make(seed, {.layers = 12, .side = 8});
    const auto image = emit::read_loadable(
        emit::loadable_bytes(chip.build(network, {}), chip.name(), chip.spec()), {});
    runtime::session<Hw> session(image);
    const auto feeds = random_graph::feeds(network, seed);
    const auto expected = session.infer_any(feeds);
    REQUIRE(session.run_layers_alone(true));
    CHECK(session.infer_any(feeds) == expected);
    CHECK(session.infer_any(feeds) == expected);
    REQUIRE(session.run_layers_alone(false));
    CHECK(session.infer_any(feeds) == expected);
  }
}

}  // namespace

TEST_CASE("layers that run one at a time compute what they do beside each other") {
  check_random_networks<nv_small>(1, 80);
  check_random_networks<nv_large>(100, 40);
  check_random_networks<nv_full>(200, 40);
}
