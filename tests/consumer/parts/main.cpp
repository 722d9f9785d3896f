// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/base/version.hpp>
#include <nvdlac/register_program.hpp>
#ifdef WITH_SIMULATOR
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/runtime/infer.hpp>
#include <nvdlac/runtime/replay.hpp>
static_assert(nvdlac::hw::hardware<nvdlac::nv_small>);
#endif
static_assert(NVDLAC_VERSION >= 100 && !nvdlac::version.empty());

int main() { return nvdlac::step{.address = 4}.address == 4 ? 0 : 1; }
