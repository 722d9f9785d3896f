// SPDX-License-Identifier: Apache-2.0
// EXPECT: unsupported<nvdlac::net::pool, my_soc, nvdlac::lower::reason::no_pdp>
#include <nvdlac/hw/nv_small.hpp>
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
