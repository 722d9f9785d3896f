// SPDX-License-Identifier: Apache-2.0
// EXPECT: layer_called<.*"norm"
// EXPECT: unsupported<net::lrn, (nvdlac::)?nv_small, lower::reason::lrn_size_is_not_3_5_7_9>
// MEANS: CDP normalises over 3, 5, 7 or 9 channels.
// REMEDY: No configuration does more: normalise over 9 channels, or scale each channel instead.
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/runs_on.hpp>

using namespace nvdlac::net;

constexpr network net{
    input{{16, 8, 8}},
#ifdef FIXED
    node{"norm", lrn{.local_size = 9}},
#else
    node{"norm", lrn{.local_size = 11}},
#endif
};
static_assert(nvdlac::runs_on<nvdlac::nv_small, net>());
