// SPDX-License-Identifier: Apache-2.0
#pragma once
// Compressed weights: a bit for each element (WMB, the lowest first) says whether it is there;
// those that are not are 0. WGS holds the bytes of each kernel group.
#include <bit>
#include <span>
#include <vector>

#include <nvdlac/sim/rule.hpp>

namespace nvdlac::sim {

// The ones among bits [first, first + count) of `mask`.
constexpr std::uint64_t count_ones(std::span<const std::uint8_t> mask, std::uint64_t first,
                                   std::uint64_t count) {
  std::uint64_t ones = 0;
  for (auto bit = first; bit < first + count;) {
    if (bit % 8 == 0 && first + count - bit >= 8) {
      ones += static_cast<std::uint64_t>(std::popcount(mask[static_cast<std::size_t>(bit / 8)]));
      bit += 8;
    } else {
      ones += mask[static_cast<std::size_t>(bit / 8)] >> (bit % 8) & 1;
      ++bit;
    }
  }
  return ones;
}

// `elements` elements of `bytes` bytes. The mask has a bit for each, `packed` those that are there.
constexpr void decompress_weights(std::span<const std::uint8_t> packed,
                                  std::span<const std::uint8_t> mask, std::uint64_t elements,
                                  std::uint32_t bytes, std::vector<std::uint8_t>& out) {
  out.assign(static_cast<std::size_t>(elements * bytes), 0);
  auto from = packed.begin();
  for (std::size_t i = 0; i < elements; ++i) {
    if ((mask[i / 8] >> (i % 8) & 1) == 0) continue;
    for (std::uint32_t b = 0; b < bytes; ++b) out[i * bytes + b] = *from++;
  }
}

// The sizes of the kernel groups against the mask. `group_elements`: of a whole kernel group.
inline void check_groups(std::span<const std::uint32_t> sizes, std::span<const std::uint8_t> mask,
                         std::uint64_t elements, std::uint64_t group_elements,
                         std::uint32_t bytes) {
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    const auto first = g * group_elements;
    const auto there = count_ones(mask, first, std::min(group_elements, elements - first)) * bytes;
    require(sizes[g] == there, "CDMA.D_WGS_ADDR_LOW", "the size of kernel group ", g, " is ",
            sizes[g], " bytes, but the mask has ", there, " bytes of weights in it");
  }
}

}  // namespace nvdlac::sim
