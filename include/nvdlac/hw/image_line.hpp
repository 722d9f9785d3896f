// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

#include <nvdlac/hw/spec.hpp>

namespace nvdlac::hw {

// Whether CSC reads an image right whose kernel has lines of `line` elements (kernel width x
// channels), for outputs of `out_width` columns. CSC takes a line in blocks of mac_atomic_c
// elements, and from block to block advances by a block, to the last one by its rest. It counts the
// blocks to know the last (channel_op_cnt in NV_NVDLA_CSC_dl.v), and goes wrong twice:
// - of a rest of 1 it expects a block too few, so that it advances by 1 to the last block but one;
// - it counts in every cycle of a stripe of a single column, so that it advances by the rest from
//   the second block on. That is harmless while it still ends in the entry of the last block.
constexpr bool reads_image_lines(const spec& s, std::uint64_t line, std::uint64_t out_width) {
  const std::uint64_t block = s.mac_atomic_c, rest = line % block;
  const auto blocks = line / block + (rest != 0);
  if (rest == 0 || blocks <= 2) return true;
  if (rest == 1) return false;
  const auto stripe = std::max<std::uint64_t>(2 * s.mac_atomic_k, block);
  return out_width % stripe != 1 || (blocks - 2) * (block - rest) < block;
}

}  // namespace nvdlac::hw
