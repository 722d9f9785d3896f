// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/impl.hpp>
#include <nvdlac/sim/conv/cdma_pipeline.hpp>

namespace nvdlac::sim {

NVDLAC_IMPL void check_groups(std::span<const std::uint32_t> sizes,
                              std::span<const std::uint8_t> mask, std::uint64_t elements,
                              std::uint64_t group_elements, std::uint32_t bytes) {
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    const auto first = g * group_elements;
    const auto there = count_ones(mask, first, std::min(group_elements, elements - first)) * bytes;
    require(sizes[g] == there, "CDMA.D_WGS_ADDR_LOW", "the size of kernel group ", g, " is ",
            sizes[g], " bytes, but the mask has ", there, " bytes of weights in it");
  }
}

}  // namespace nvdlac::sim
