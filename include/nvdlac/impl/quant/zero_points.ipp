// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/quant/zero_points.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL std::int32_t zero_of_range(double below) {
  return -128 + static_cast<std::int32_t>(std::ceil(255 * below / (1 + below) * (1 - 1e-12)));
}

}  // namespace nvdlac::quant
