// SPDX-License-Identifier: Apache-2.0
// Random networks of real numbers, with outputs in the middle, through the whole toolkit: the
// simulator computes what the integer network says, output by output. What the integers are worth
// beside float, quant/near_float.cpp judges.
#include <doctest/doctest.h>

#include <cstdint>
#include <span>

#include "pipeline.hpp"
#include "random_network.hpp"

using namespace nvdlac;

namespace {

void check(const cli::target& t, std::uint64_t seed, hw::precision p) {
  CAPTURE(t.name());
  CAPTURE(seed);
  CAPTURE(std::string(hw::name_of(p)));
  const auto g = random_network::make(seed, t.spec().sdp_lut);
  const auto samples = random_network::samples(g, seed, 2);
  const auto r = networks::run_on(t, g, std::span<const sample>(samples), samples[1],
                                  {.precision = p});
  REQUIRE(r.simulated.size() == g.outputs().size());
  CHECK((r.simulated == r.exact));
}

}  // namespace

TEST_CASE("random networks on the simulator are their integer networks, output by output") {
  for (std::uint64_t seed = 1000; seed < 1030; ++seed) {
    check(hardware<nv_small>(), seed, hw::precision::int8);
    if (seed % 3 == 0) check(hardware<nv_full>(), seed, hw::precision::int8);
    if (seed % 3 == 1) check(hardware<nv_full>(), seed, hw::precision::int16);
    if (seed % 3 == 2) check(hardware<nv_full>(), seed, hw::precision::fp16);
  }
}
