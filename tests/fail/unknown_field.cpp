// SPDX-License-Identifier: Apache-2.0
// EXPECT: field_of.*"CDMA.D_BANK.DATA_BANKS"
// EXPECT: constraints not satisfied
// MEANS: The register map of this configuration has no field of this name.
// REMEDY: Names are UNIT.REGISTER.FIELD as in the specification of the hardware, or UNIT.REGISTER
// REMEDY: if the register has one field. include/nvdlac/hw/registers_small.hpp and
// REMEDY: registers_full.hpp list them.
#include <nvdlac/hw/registers.hpp>

#ifdef FIXED
static_assert(nvdlac::hw::field_of<nvdlac::hw::register_map::small, "CDMA.D_BANK.DATA_BANK">
                  .width() == 5);
#else
static_assert(nvdlac::hw::field_of<nvdlac::hw::register_map::small, "CDMA.D_BANK.DATA_BANKS">
                  .width() == 5);
#endif
