// SPDX-License-Identifier: Apache-2.0
// EXPECT: unsupported<nvdlac::net::lrn, nvdlac::nv_small, nvdlac::lower::reason::lrn_size_is_not_3_5_7_9>
#include <nvdlac/hw/nv_small.hpp>
#include <nvdlac/lower/runs_on.hpp>

using namespace nvdlac::net;

// No configuration normalises over 11 channels, and nvdlac lowers LRN for none yet: the right
// network scales each channel instead.
constexpr network net{
    input{{16, 8, 8}},
#ifdef FIXED
    node{"norm", scale{}},
#else
    node{"norm", lrn{.local_size = 11}},
#endif
};
static_assert(nvdlac::runs_on<nvdlac::nv_small>(net));
