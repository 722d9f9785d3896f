// SPDX-License-Identifier: Apache-2.0
#pragma once
// Settings of a simulated board in the environment, words between commas:
//   NVDLAC_SHIM        nv_small | nv_large, what NVDLA is
//                      devices=N      so many, uio0 with udmabuf0, uio1 with udmabuf1, ..
//                      size=BYTES     of each buffer, a multiple of 256 KiB
//                      layer=US       how long a hardware layer takes, 20 microseconds
//                      coherent       the processor's caches see what NVDLA writes
//                      uncached       buffers are mapped without cache, sync-mode 5
//                      older          the driver of the buffers is the older udmabuf
//   NVDLAC_SHIM_FAULT  lost=K         every K-th interrupt does not reach the processor
//                      late=MS        interrupts arrive so long after their bits are set
//                      silent         NVDLA does nothing that it is told
//                      no-interrupt   the device tree names none
//                      short=BYTES    buffers have no more, whatever sysfs says
//                      high           buffers are above 4 GB
//                      unaligned      buffers begin in the middle of a page
//                      caches         lines stay in the cache, or in memory, until they are synced
//                      flip=L:BYTE:BIT  one bit of what the L-th hardware layer has written, from 0
//                      every=N        and so of each N-th layer behind that one
//                      beside         that of flip, only if another layer still runs meanwhile
//                      kill=L         SIGKILL behind that layer
#include <cstdint>
#include <optional>
#include <string>

namespace nvdlac::board {

struct settings {
  bool large = false;
  unsigned devices = 1;
  std::uint64_t size = std::uint64_t{64} << 20;
  std::uint64_t layer = 20;
  bool coherent = false, uncached = false, older = false;

  struct bit {
    std::uint64_t layer = 0, byte = 0, bit = 0;
  };
  std::uint64_t lost = 0, late = 0;
  bool silent = false, no_interrupt = false, high = false, unaligned = false, caches = false;
  std::optional<std::uint64_t> short_of{}, kill{};
  std::optional<bit> flip{};
  bool beside = false;
  std::uint64_t every = 0;

  // A word that means nothing ends the process.
  static settings of_environment();
};

}  // namespace nvdlac::board
