// SPDX-License-Identifier: Apache-2.0
// EXPECT: "mean"
// EXPECT: unsupported<net::pool, nv_small, lower::reason::average_window_above_8x8>
// MEANS: PDP sums at most 8 x 8 elements for an average. A larger average is possible only where
// MEANS: one window covers the whole input.
// REMEDY: Pool in two steps, make the window 8 x 8 or smaller, or pool globally.
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
    node{"mean", pool{.kind = pool_kind::average, .window = square{.kernel = size}}},
};
static_assert(nvdlac::runs_on<nvdlac::nv_small>(net));
