// SPDX-License-Identifier: Apache-2.0
// EXPECT: "every such layer"
// EXPECT: unsupported<net::lrn, my_soc, lower::reason::no_cdp>
// MEANS: Only CDP normalises across channels, and this configuration has none.
// REMEDY: Give the configuration a `cdp_throughput`, or use a network with batch normalisation,
// REMEDY: which runs everywhere.
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/runs_on.hpp>

// The user's own configuration.
struct my_soc {
  static constexpr nvdlac::hw::spec spec = [] {
    auto s = nvdlac::nv_small::spec;
#ifndef FIXED
    s.cdp_throughput = 0;
#endif
    return s;
  }();
};
static_assert(nvdlac::runs_on<nvdlac::net::lrn, my_soc>());
