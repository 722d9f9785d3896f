// SPDX-License-Identifier: Apache-2.0
// EXPECT: field_of.*"CDMA.D_BANK.DATA_BANKS"
// MEANS: The simulator asks its registers for a field of a name that no register has.
// REMEDY: Names are UNIT.REGISTER.FIELD as in the specification of the hardware, or UNIT.REGISTER
// REMEDY: if the register has one field. include/nvdlac/hw/registers_small.hpp and
// REMEDY: registers_full.hpp list them.
#include <nvdlac/sim/register_file.hpp>

using map = nvdlac::sim::group_view<nvdlac::hw::register_map::small>;

#ifdef FIXED
auto banks(const map& g) { return g.u<"CDMA.D_BANK.DATA_BANK">(); }
#else
auto banks(const map& g) { return g.u<"CDMA.D_BANK.DATA_BANKS">(); }
#endif
