// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>

#include <nvdlac/hw/spec.hpp>

namespace nvdlac::quantised {

// What of a configuration shows in the sums of fp16, which rounds: the channels that a MAC cell
// adds at once, and those of an atom. By default those of nv_full.
struct mac_order {
  std::int32_t channels = 64, lanes = 16;
};
constexpr mac_order order_of(const hw::spec& s) {
  return {static_cast<std::int32_t>(s.mac_atomic_c),
          static_cast<std::int32_t>(s.memory_atom / hw::element_bytes(hw::precision::fp16))};
}

// Groups of a convolution that are computed together, so that each bundle starts and ends on an
// atom of `lanes` channels, of input and of output.
constexpr std::int32_t groups_per_bundle(std::int32_t groups, std::int32_t channels_of_group,
                                         std::int32_t kernels_of_group, std::int32_t lanes) {
  const auto needed = [&](std::int32_t each) { return lanes / std::gcd(lanes, each); };
  return std::min(groups, std::lcm(needed(channels_of_group), needed(kernels_of_group)));
}

}  // namespace nvdlac::quantised
