// SPDX-License-Identifier: Apache-2.0
// EXPECT: value_does_not_fit_the_field
#include <nvdlac/hw/registers.hpp>

// The number of CBUF banks has five bits in the small map and four in the full one.
#ifdef FIXED
constexpr auto map = nvdlac::hw::register_map::small;
#else
constexpr auto map = nvdlac::hw::register_map::full;
#endif
constexpr auto word = nvdlac::hw::field_of<map, "CDMA.D_BANK.DATA_BANK">.insert(16);
