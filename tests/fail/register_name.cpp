// SPDX-License-Identifier: Apache-2.0
// EXPECT: unit_dot_register<
// EXPECT: SPD\.D_OP_ENABLE
#include <nvdlac/hw/registers.hpp>

#ifdef FIXED
static_assert(nvdlac::hw::address<nvdlac::hw::register_map::full, "SDP.D_OP_ENABLE"> == 0xb038);
#else
static_assert(nvdlac::hw::address<nvdlac::hw::register_map::full, "SPD.D_OP_ENABLE"> == 0xb038);
#endif
