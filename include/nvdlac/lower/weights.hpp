// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/net/shape.hpp>

namespace nvdlac::lower {

// The size of a dense kernel: [kernels][channels][height][width].
struct kernel_shape {
  std::int32_t kernels = 1, channels = 1, height = 1, width = 1;

  constexpr std::uint64_t elements() const {  // of one kernel
    return static_cast<std::uint64_t>(channels) * static_cast<std::uint64_t>(height) *
           static_cast<std::uint64_t>(width);
  }
};

// The bytes of packed weights.
constexpr bytes packed_size(const hw::spec& hw, kernel_shape shape,
                            hw::precision p = hw::precision::int8) {
  return hw::weight_bytes(hw, p, static_cast<std::uint64_t>(shape.kernels), shape.elements());
}

// Writes weights in the order in which CDMA reads them: kernel group, block of atomic_c channels
// (the last one shorter), `lines` lines, column, kernel, line of these, channel.
// run(k, c, n, r, s, to) writes the n channels from c on of one kernel's tap; zeros it may leave
// out, because `to`, of packed_size bytes, is 0 before. A run for each tap and not a call for each
// weight: compilers evaluate it too.
template <class Run>
constexpr void pack_weights(const hw::spec& hw, kernel_shape shape, const Run& run,
                            std::uint8_t* to, hw::precision p = hw::precision::int8,
                            std::int32_t lines = 1) {
  const auto group = static_cast<std::int32_t>(hw.kernel_group(p));
  const auto block = static_cast<std::int32_t>(hw.mac_atomic_c);
  for (std::int32_t k0 = 0; k0 < shape.kernels; k0 += group) {
    const std::int32_t last = std::min(k0 + group, shape.kernels);
    for (std::int32_t c0 = 0; c0 < shape.channels; c0 += block) {
      const std::int32_t n = std::min(block, shape.channels - c0);
      for (std::int32_t r0 = 0; r0 < shape.height; r0 += lines)
        for (std::int32_t s = 0; s < shape.width; ++s)
          for (std::int32_t k = k0; k < last; ++k)
            for (std::int32_t r = r0; r < std::min(r0 + lines, shape.height); ++r) {
              run(k, c0, n, r, s, to);
              to += n * static_cast<std::int32_t>(hw::element_bytes(p));
            }
    }
  }
}

}  // namespace nvdlac::lower
