// SPDX-License-Identifier: Apache-2.0
// EXPECT: unsupported<nvdlac::net::convolution, nvdlac::nv_small, nvdlac::lower::reason::kernel_does_not_fit_the_cbuf>
#include <nvdlac/hw/nv_large.hpp>
#include <nvdlac/hw/nv_small.hpp>
#include <nvdlac/lower/runs_on.hpp>

using namespace nvdlac::net;

// One kernel of 32 x 32 x 160 has 160 KiB. The CBUF of nv_small has 128 KiB, that of nv_large 512.
constexpr network net{input{{160, 32, 32}}, convolution{.window = square{.kernel = 32}}};
#ifdef FIXED
static_assert(nvdlac::runs_on<nvdlac::nv_large>(net));
#else
static_assert(nvdlac::runs_on<nvdlac::nv_small>(net));
#endif
