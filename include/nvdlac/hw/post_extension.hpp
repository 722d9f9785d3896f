// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <nvdlac/hw/spec.hpp>

namespace nvdlac::hw {

// Whether one step of the MAC array can take so many lines of an image's kernel (CSC's
// post-extension: 1, 2 or 4), each of `line` elements, where neighbouring outputs stand `stride`
// elements of the image apart: the lines are one block of channels, and CSC's shift register of an
// image's elements is 64 long.
constexpr bool takes_kernel_lines(const spec& s, std::uint64_t lines, std::uint64_t line,
                                  std::uint64_t stride) {
  if (lines == 1) return true;
  return (lines == 2 || lines == 4) && lines * line <= s.mac_atomic_c && lines * stride <= 64;
}

// The most of a kernel of `height` lines.
constexpr std::uint32_t most_kernel_lines(const spec& s, std::uint64_t height, std::uint64_t line,
                                          std::uint64_t stride) {
  std::uint32_t lines = 1;
  while (lines < height && takes_kernel_lines(s, 2 * lines, line, stride)) lines *= 2;
  return lines;
}

}  // namespace nvdlac::hw
