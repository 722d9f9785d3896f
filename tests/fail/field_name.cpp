// SPDX-License-Identifier: Apache-2.0
// EXPECT: unit_dot_register_dot_field
// EXPECT: CDMA\.D_BANK\.DATA_BANKS
#include <nvdlac/hw/registers.hpp>

#ifdef FIXED
static_assert(nvdlac::hw::field_of<nvdlac::hw::register_map::small, "CDMA.D_BANK.DATA_BANK">
                  .width() == 5);
#else
static_assert(nvdlac::hw::field_of<nvdlac::hw::register_map::small, "CDMA.D_BANK.DATA_BANKS">
                  .width() == 5);
#endif
