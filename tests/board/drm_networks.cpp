// SPDX-License-Identifier: Apache-2.0
// Random networks through the whole toolkit, on a board with the kernel driver: what it computes is
// what the integer network says. board.networks_by_drm has the trained ones.
#include <cstdint>
#include <cstdlib>
#include <span>

#include <doctest/doctest.h>

#include "board/drm.hpp"
#include "networks/pipeline.hpp"
#include "random_network.hpp"

using namespace nvdlac;

namespace {

void check(const cli::target& t, std::uint64_t seed) {
  CAPTURE(t.name());
  CAPTURE(seed);
  const auto g = random_network::make(seed, t.spec().sdp_lut);
  const auto samples = random_network::samples(g, seed, 2);
  const auto tasks = nvdla_shim_tasks();
  const auto r = networks::run_on(t, g, std::span<const sample>(samples), samples[1],
                                  {.host = host::choice::all()});
  CHECK(nvdla_shim_tasks() > tasks);
  CHECK((r.simulated == r.exact));
}

}  // namespace

TEST_CASE("random networks on a board are their integer networks, output by output") {
  const driver_with driver("");
  ::setenv("NVDLAC_TEST_DEVICE", "drm", 1);
  for (std::uint64_t seed = 2000; seed < 2030; ++seed)
    check(seed % 3 == 0 ? hardware<nv_large>() : hardware<nv_small>(), seed);
  CHECK(nvdla_shim_buffers() == 0);
}
