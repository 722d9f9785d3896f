// SPDX-License-Identifier: Apache-2.0
// EXPECT: address.*"SPD.D_OP_ENABLE"
// EXPECT: constraints not satisfied
// MEANS: The register map has no register of this name.
// REMEDY: Names are UNIT.REGISTER, such as SDP.D_OP_ENABLE.
#include <nvdlac/hw/registers.hpp>

#ifdef FIXED
static_assert(nvdlac::hw::address<nvdlac::hw::register_map::full, "SDP.D_OP_ENABLE"> == 0xb038);
#else
static_assert(nvdlac::hw::address<nvdlac::hw::register_map::full, "SPD.D_OP_ENABLE"> == 0xb038);
#endif
