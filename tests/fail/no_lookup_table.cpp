// SPDX-License-Identifier: Apache-2.0
// EXPECT: "probability"
// EXPECT: unsupported<net::activation, nv_small, lower::reason::no_lookup_table>
// MEANS: SDP looks functions such as the logistic one up in a table; this configuration has none.
// REMEDY: Use a function that needs no table, such as clipping or hard sigmoid, or a configuration
// REMEDY: with `sdp_lut`.
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/runs_on.hpp>

using namespace nvdlac::net;

#ifdef FIXED
constexpr network features{input{{8, 6, 6}}, node{"probability", clip{0, 1}}};
#else
constexpr network features{input{{8, 6, 6}},
                           node{"probability", activation{.function = function::sigmoid}}};
#endif
static_assert(nvdlac::runs_on<nvdlac::nv_small>(features));
