// SPDX-License-Identifier: Apache-2.0
// EXPECT: illegal<my_soc>
// EXPECT: sdp_lut needs the EW unit, so sdp_ew_throughput must not be 0
// MEANS: Two members of the configuration contradict each other: the look-up table is a part of
// MEANS: SDP's element-wise unit.
// REMEDY: Give the configuration the unit, or take the table from it.
#include <nvdlac/hw/configurations/nv_small.hpp>

struct my_soc {
  static constexpr nvdlac::hw::spec spec = [] {
    auto s = nvdlac::nv_small::spec;
    s.sdp_lut = true;
#ifdef FIXED
    s.sdp_ew_throughput = 1;
#endif
    return s;
  }();
};
static_assert(nvdlac::hw::validated<my_soc>);
