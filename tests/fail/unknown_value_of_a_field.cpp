// SPDX-License-Identifier: Apache-2.0
// EXPECT: value_of.*"ADD"
// EXPECT: constraints not satisfied
// MEANS: The field exists but has no enumerated value of this name.
// REMEDY: Take one of the names that stand beside the field in
// REMEDY: include/nvdlac/hw/registers_small.hpp or registers_full.hpp.
#include <nvdlac/hw/registers.hpp>

using nvdlac::hw::register_map;
#ifdef FIXED
static_assert(nvdlac::hw::value_of<register_map::small, "SDP.D_DP_BS_CFG.BS_ALU_ALGO", "SUM"> == 2);
#else
static_assert(nvdlac::hw::value_of<register_map::small, "SDP.D_DP_BS_CFG.BS_ALU_ALGO", "ADD"> == 2);
#endif
