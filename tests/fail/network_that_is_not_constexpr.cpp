// SPDX-License-Identifier: Apache-2.0
// EXPECT: (value of|non-constexpr variable) 'net'
// MEANS: The compiler judges constants only.
// REMEDY: Write `constexpr` before the network, or ask at run time:
// REMEDY: `lower::reason_of<nv_small>(net)`.
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/runs_on.hpp>

using namespace nvdlac::net;

#ifdef FIXED
constexpr
#endif
network net{input{{3, 8, 8}}, relu{}};
static_assert(nvdlac::runs_on<nvdlac::nv_small>(net));
