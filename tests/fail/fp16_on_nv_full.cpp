// SPDX-License-Identifier: Apache-2.0
// EXPECT: "the network"
// EXPECT: data_type<hw::precision::fp16>, nv_full, lower::reason::precision_is_not_lowered>
// MEANS: The hardware computes in this data type, but nvdlac compiles networks to int8 only.
// REMEDY: Compile the network for int8.
#include <nvdlac/hw/nv_full.hpp>
#include <nvdlac/lower/runs_on.hpp>

using namespace nvdlac::net;

constexpr network net{input{{3, 8, 8}}, convolution{.kernels = 4, .window = square{.kernel = 3}}};
#ifdef FIXED
static_assert(nvdlac::runs_on<nvdlac::nv_full, nvdlac::hw::precision::int8>(net));
#else
static_assert(nvdlac::runs_on<nvdlac::nv_full, nvdlac::hw::precision::fp16>(net));
#endif
