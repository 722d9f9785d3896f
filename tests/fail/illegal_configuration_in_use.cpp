// SPDX-License-Identifier: Apache-2.0
// EXPECT: illegal<my_soc>
// EXPECT: sdp_bs_bn_throughput must be a power of two from 1 to 16
// MEANS: The configuration breaks a rule of the hardware that the sentence tells. Whatever takes a
// MEANS: configuration says so: `runs_on`, programs, sessions and NVDLAC_PRODUCT.
// REMEDY: Change the named members of the spec. `static_assert(nvdlac::hw::validated<my_soc>)`
// REMEDY: beside it says the same where it is written.
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/runs_on.hpp>

using namespace nvdlac::net;

struct my_soc {
  static constexpr nvdlac::hw::spec spec = [] {
    auto s = nvdlac::nv_small::spec;
#ifdef FIXED
    s.sdp_bs_bn_throughput = 2;
#else
    s.sdp_bs_bn_throughput = 3;
#endif
    return s;
  }();
};
constexpr network net{input{{3, 8, 8}}, relu{}};
static_assert(nvdlac::runs_on<my_soc>(net));
