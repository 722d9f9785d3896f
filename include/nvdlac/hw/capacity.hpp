// SPDX-License-Identifier: Apache-2.0
#pragma once
// The windows that the engines hold at once in their buffers, and read right. Limits of registers
// are in limits.hpp.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <nvdlac/hw/spec.hpp>

namespace nvdlac::hw {

// PDP has a buffer for each line of a window: its fields could tell of more than 8 x 8.
inline constexpr std::int32_t pdp_line_buffers = 8;

// The most columns of output that PDP computes at once: each line buffer has 16 atoms in every
// configuration, and 8, 4, 2 or 1 of them are joined for each of the lines of output that one line
// of input belongs to (bank_merge_num in NV_NVDLA_PDP_CORE_cal2d.v). Wider ones hang the engine.
constexpr std::uint32_t pdp_widest_output(std::uint32_t kernel_height, std::uint32_t stride_y) {
  return pdp_line_buffers * 16 / std::bit_ceil((kernel_height + stride_y - 1) / stride_y);
}

// 1 / n as PDP's reciprocal registers take it: in units of 2^-16, or in fp16 the bits of an fp17.
constexpr std::int32_t pdp_reciprocal(std::int32_t n, precision p = precision::int8) {
  constexpr std::array fp17{0x7c00, 0x7800, 0x7555, 0x7400, 0x7266, 0x7155, 0x7092, 0x7000};
  return p == precision::fp16 ? fp17[static_cast<std::size_t>(n - 1)] : 65536 / n;
}

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

// Whether one step of the MAC array can take so many lines of an image's kernel (CSC's
// post-extension: 1, 2 or 4), each of `line` elements, where neighbouring outputs stand `stride`
// elements of the image apart: the lines are one block of channels, and so are the elements by
// which CSC's shift register of an image advances for a pixel of all lines. Beyond that nv_small's
// RTL computes outputs from other lines.
constexpr bool takes_kernel_lines(const spec& s, std::uint64_t lines, std::uint64_t line,
                                  std::uint64_t stride) {
  if (lines == 1) return true;
  return (lines == 2 || lines == 4) && lines * line <= s.mac_atomic_c &&
         lines * stride <= s.mac_atomic_c;
}

// The most of a kernel of `height` lines.
constexpr std::uint32_t most_kernel_lines(const spec& s, std::uint64_t height, std::uint64_t line,
                                          std::uint64_t stride) {
  std::uint32_t lines = 1;
  while (lines < height && takes_kernel_lines(s, 2 * lines, line, stride)) lines *= 2;
  return lines;
}

}  // namespace nvdlac::hw
