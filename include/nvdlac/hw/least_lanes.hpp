// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <nvdlac/base/version.hpp>

namespace nvdlac::hw {

// The fewest channels of int8 that an atom has, and the fewest channels and kernels that a step of
// the MACs takes, in any legal configuration (validate.hpp): what is decided before the
// configuration is known counts in these.
inline constexpr std::int32_t least_lanes = 8;

}  // namespace nvdlac::hw
