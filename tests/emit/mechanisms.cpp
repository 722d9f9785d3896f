// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>

#include <nvdlac/hw/configurations/nv_full.hpp>

#include "../forced.hpp"
#include "../nightly.hpp"

using namespace nvdlac;

TEST_CASE("random networks with all that nv_full has are exact") {
  forced<nv_full>::uses all;
  for (std::uint64_t seed = 1000; seed < 1000 + drawn(100U); ++seed)
    for (const auto p : {hw::precision::int8, hw::precision::int16, hw::precision::fp16}) {
      const forced<nv_full> f(seed, p, all);
      if (f.is_possible)
        expect_exact_with<nv_full>(f.network, f.schedule, seed, f.beside, winograd_graph::feeds);
    }
  CHECK(all.winograd > occurring(300U));
  CHECK(all.compressed > occurring(300U));
  CHECK(all.in_cvsram > occurring(300U));
}
