// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/sim/conv/image_lines.hpp>

namespace nvdlac::sim {

NVDLAC_IMPL void check_image_lines(const hw::spec& hw, const convolution& c, const cdma_layer& l,
                                   std::uint64_t begin, std::uint64_t ring) {
  if (!l.pixel) return;
  const std::uint64_t element = hw::element_bytes(c.precision), entry = hw.cbuf_entry;
  const auto step = std::uint64_t{c.stride_x} * c.channels * element;
  const auto kernel = std::uint64_t{c.kernel_width} * c.channels * element;
  if (step <= entry || step % entry == 0) return;
  // The outputs of a line that have a block with bytes before and behind `border`.
  const auto is_read_across = [&](std::uint64_t border) {
    for (std::uint64_t x = 0; x < c.out_width && x * step < border; ++x) {
      const auto before = border - x * step;  // bytes of the kernel's line
      if (before < kernel && before % entry != 0) return true;
    }
    return false;
  };
  const auto is_used = [&](std::uint64_t line) {
    for (std::uint64_t y = 0; y < c.out_height; ++y) {
      const auto top = y * c.stride_y;
      if (line + c.pad_top >= top && line + c.pad_top < top + c.kernel_height) return true;
    }
    return false;
  };
  for (std::uint64_t line = 0; line < l.height; ++line) {
    const auto at = (begin + line * l.entries) % ring;
    require(at + l.entries <= ring || !is_used(line) || !is_read_across((ring - at) * entry),
            "CSC.D_BANK.DATA_BANK", "line ", line, " of the image, from entry ", at,
            " on, lies across the end of the data banks, which have ", ring,
            ": with steps of ", step, " bytes CSC reads it from the bank behind them");
  }
}

}  // namespace nvdlac::sim
