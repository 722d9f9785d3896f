// SPDX-License-Identifier: Apache-2.0
// EXPECT: nvdlac: sdp_lut needs the EW unit, so sdp_ew_throughput must not be 0
#include <nvdlac/hw/nv_small.hpp>

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
