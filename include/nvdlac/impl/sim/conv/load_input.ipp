// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/impl.hpp>
#include <nvdlac/sim/conv/load_input.hpp>

namespace nvdlac::sim {

NVDLAC_IMPL void count_floats(std::span<std::uint8_t> bytes, bool nan_to_zero, std::uint32_t& nans,
                              std::uint32_t& infinities) {
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const fp16 x{static_cast<std::uint32_t>(bytes[i] | bytes[i + 1] << 8)};
    infinities += x.is_infinite();
    if (!x.is_nan()) continue;
    ++nans;
    if (nan_to_zero) bytes[i] = bytes[i + 1] = 0;
  }
}

}  // namespace nvdlac::sim
