// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>

#include <nvdlac/base/version.hpp>

namespace nvdlac::quantised {

// Groups of a convolution that are computed together, so that each bundle starts and ends on an
// atom of `lanes` channels, of input and of output.
constexpr std::int32_t groups_per_bundle(std::int32_t groups, std::int32_t channels_of_group,
                                         std::int32_t kernels_of_group, std::int32_t lanes) {
  const auto needed = [&](std::int32_t each) { return lanes / std::gcd(lanes, each); };
  return std::min(groups, std::lcm(needed(channels_of_group), needed(kernels_of_group)));
}

}  // namespace nvdlac::quantised
