// SPDX-License-Identifier: Apache-2.0
// EXPECT: illegal<my_soc>
// EXPECT: cbuf_banks must be at most 32, the range of CDMA.D_BANK in the small map
// MEANS: The configuration breaks a rule of the hardware that the sentence tells.
// REMEDY: Change the named members of the spec. `nvdlac configs` shows what the published
// REMEDY: configurations have.
#include <nvdlac/hw/configurations/nv_small.hpp>

struct my_soc {
  static constexpr nvdlac::hw::spec spec = [] {
    auto s = nvdlac::nv_small::spec;
#ifdef FIXED
    s.cbuf_banks = 16;
#else
    s.cbuf_banks = 64;
#endif
    return s;
  }();
};
static_assert(nvdlac::hw::validated<my_soc>);
