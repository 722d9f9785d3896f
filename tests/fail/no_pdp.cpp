// SPDX-License-Identifier: Apache-2.0
// EXPECT: "every such layer"
// EXPECT: unsupported<net::pool, my_soc, lower::reason::no_pdp>
// MEANS: Only PDP pools, and this configuration has none.
// REMEDY: Give the configuration a `pdp_throughput`, or replace the pooling by a convolution with a
// REMEDY: stride.
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/runs_on.hpp>

// The user's own configuration.
struct my_soc {
  static constexpr nvdlac::hw::spec spec = [] {
    auto s = nvdlac::nv_small::spec;
#ifndef FIXED
    s.pdp_throughput = 0;
#endif
    return s;
  }();
};
static_assert(nvdlac::runs_on<nvdlac::net::pool, my_soc>());
