// SPDX-License-Identifier: Apache-2.0
// EXPECT: "DATA_BANK"
// EXPECT: value_does_not_fit_the_field
// MEANS: The value needs more bits than the register field has on this configuration. The same
// MEANS: field can be wider in the other register map.
// REMEDY: Keep the value within `max()` of the field.
#include <nvdlac/hw/registers.hpp>

// The number of CBUF banks has five bits in the small map and four in the full one.
#ifdef FIXED
constexpr auto map = nvdlac::hw::register_map::small;
#else
constexpr auto map = nvdlac::hw::register_map::full;
#endif
constexpr auto word = nvdlac::hw::field_of<map, "CDMA.D_BANK.DATA_BANK">.insert(16);
