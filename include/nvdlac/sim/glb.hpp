// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace nvdlac::sim {

// GLB's interrupt registers. A done bit is set whether or not it is masked; the mask acts on the
// line.
struct glb {
  std::uint32_t status = 0, mask = 0;

  static constexpr std::uint32_t bits = 0x003f03ff;

  constexpr void raise(std::uint32_t which) { status |= which & bits; }
  constexpr void clear(std::uint32_t which) { status &= ~which; }  // write 1 to clear
  constexpr bool line() const { return (status & ~mask) != 0; }
};

}  // namespace nvdlac::sim
