// SPDX-License-Identifier: Apache-2.0
// EXPECT: unsupported<nvdlac::net::convolution, nvdlac::nv_full, nvdlac::lower::reason::kernel_above_32x32>
#include <nvdlac/hw/nv_full.hpp>
#include <nvdlac/lower/runs_on.hpp>

using namespace nvdlac::net;

#ifdef FIXED
constexpr int size = 32;
#else
constexpr int size = 33;
#endif
constexpr network net{input{{1, 40, 40}}, convolution{.window = square{.kernel = size}}};
static_assert(nvdlac::runs_on<nvdlac::nv_full>(net));
