// SPDX-License-Identifier: Apache-2.0
// EXPECT: unsupported<nvdlac::net::pool, nvdlac::nv_small, nvdlac::lower::reason::average_window_above_8x8>
#include <nvdlac/hw/nv_small.hpp>
#include <nvdlac/lower/runs_on.hpp>

using namespace nvdlac::net;

#ifdef FIXED
constexpr int size = 8;
#else
constexpr int size = 9;
#endif
constexpr network net{
    input{{4, 20, 20}},
    pool{.kind = pool_kind::average, .window = square{.kernel = size}},
};
static_assert(nvdlac::runs_on<nvdlac::nv_small>(net));
