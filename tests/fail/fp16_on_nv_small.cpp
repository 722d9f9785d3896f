// SPDX-License-Identifier: Apache-2.0
// EXPECT: "the network"
// EXPECT: type<hw::precision::fp16>, nv_small, lower::reason::precision_is_not_in_the_hardware>
// MEANS: The configuration has no arithmetic of this data type.
// REMEDY: Compile the network for int8, which every configuration has, or choose one whose
// REMEDY: `data_types` have the type.
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/runs_on.hpp>

using namespace nvdlac::net;

constexpr network net{input{{3, 8, 8}}, convolution{.kernels = 4, .window = square{.kernel = 3}}};
#ifdef FIXED
static_assert(nvdlac::runs_on<nvdlac::nv_small, nvdlac::hw::precision::int8>(net));
#else
static_assert(nvdlac::runs_on<nvdlac::nv_small, nvdlac::hw::precision::fp16>(net));
#endif
