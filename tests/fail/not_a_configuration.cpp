// SPDX-License-Identifier: Apache-2.0
// EXPECT: chip
// EXPECT: requires  hardware<Hw>|constraints not satisfied \[with Hw = chip
// MEANS: The first argument of `runs_on` is a configuration: a type with a member `spec`.
// REMEDY: Name a published configuration or a struct with `static constexpr nvdlac::hw::spec spec`.
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/runs_on.hpp>

using namespace nvdlac::net;

#ifdef FIXED
using chip = nvdlac::nv_small;
#else
struct chip {};
#endif
constexpr network net{input{{3, 8, 8}}, relu{}};
static_assert(nvdlac::runs_on<chip>(net));
