// SPDX-License-Identifier: Apache-2.0
// EXPECT: value_of_the_field
// EXPECT: "ADD"
#include <nvdlac/hw/registers.hpp>

using nvdlac::hw::register_map;
#ifdef FIXED
static_assert(nvdlac::hw::value_of<register_map::small, "SDP.D_DP_BS_CFG.BS_ALU_ALGO", "SUM"> == 2);
#else
static_assert(nvdlac::hw::value_of<register_map::small, "SDP.D_DP_BS_CFG.BS_ALU_ALGO", "ADD"> == 2);
#endif
