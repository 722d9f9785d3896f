// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

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

// int8 weights in the order in which CDMA reads them: kernel group, block of atomic_c channels (the
// last one shorter), line, column, kernel, channel. weight(k, c, r, s) gives an element.
template <class Weight>
constexpr std::vector<std::uint8_t> pack_weights(const hw::spec& hw, kernel_shape shape,
                                                 Weight weight) {
  const auto group = static_cast<std::int32_t>(hw.kernel_group());
  const auto block = static_cast<std::int32_t>(hw.mac_atomic_c);
  const auto size = hw::weight_bytes(hw, hw::precision::int8,
                                     static_cast<std::uint64_t>(shape.kernels), shape.elements());
  std::vector<std::uint8_t> packed(size.n, std::uint8_t{0});
  std::size_t next = 0;
  for (std::int32_t k0 = 0; k0 < shape.kernels; k0 += group)
    for (std::int32_t c0 = 0; c0 < shape.channels; c0 += block)
      for (std::int32_t r = 0; r < shape.height; ++r)
        for (std::int32_t s = 0; s < shape.width; ++s)
          for (std::int32_t k = k0; k < std::min(k0 + group, shape.kernels); ++k)
            for (std::int32_t c = c0; c < std::min(c0 + block, shape.channels); ++c)
              packed[next++] = static_cast<std::uint8_t>(weight(k, c, r, s));
  return packed;
}

}  // namespace nvdlac::lower
