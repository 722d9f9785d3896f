// SPDX-License-Identifier: Apache-2.0
#pragma once
// The read jump of CSC. Of a line of an image it takes, for each output, the bytes that the kernel
// covers, in blocks of an entry of the CBUF. From one output to the next it keeps the rest of the
// entry that it has read, but not where they stand further apart than an entry: there it reads both
// entries in which a block lies at once (sc2buf_dat_rd_next1_en in NV_NVDLA_CSC_dl.v, in
// configurations whose entry is smaller than the longest step of an image, 8 pixels of 4 bytes).
// The first of the two it finds by counting down from the second. Where that is entry 0, the first
// is the last one of the data banks; the RTL takes the last one of the bank behind them instead
// (dat_req_addr_minus1_wrap), in which there are weights. So an output is wrong whose block has its
// first bytes at the end of the data banks and its last ones at their beginning.
#include <algorithm>
#include <cstdint>

#include <nvdlac/hw/spec.hpp>

namespace nvdlac::hw {

// How CSC reads a line of an image, in bytes as they stand in the CBUF: windows of `kernel` bytes,
// `step` bytes apart, as many as there are columns of output. The line begins with its padding, and
// with an entry.
struct image_windows {
  std::uint64_t kernel = 1, step = 1, count = 1;
};

// Whether it jumps: whether a block may begin within an entry of which CSC keeps nothing.
constexpr bool jumps(const spec& s, const image_windows& w) {
  return w.step > s.cbuf_entry && w.step % s.cbuf_entry != 0;
}

// Whether a block lies on both sides of entry `entry` of the line: blocks are counted from the
// begin of a window, so those of a window that begins within an entry all lie in two.
constexpr bool jumps_to(const spec& s, const image_windows& w, std::uint64_t entry) {
  const std::uint64_t border = entry * s.cbuf_entry;
  if (entry == 0 || !jumps(s, w)) return false;
  const auto first = border < w.kernel ? 0 : (border - w.kernel) / w.step + 1;
  const auto end = std::min(w.count, (border - 1) / w.step + 1);
  for (auto n = first; n < end; ++n)
    if (n * w.step % s.cbuf_entry != 0) return true;
  return false;
}

}  // namespace nvdlac::hw
