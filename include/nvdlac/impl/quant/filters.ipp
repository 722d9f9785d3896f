// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/quant/filters.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL operand_unit unit_of_operand(double step, double out_scale, double top) {
  const bool wide = top > 127;
  step = std::max(step, std::ldexp(out_scale, wide ? -15 : -16));
  int shift = 0;
  while (shift < (wide ? 15 : 24) && std::ldexp(step, -shift) > std::ldexp(out_scale, -8)) ++shift;
  return {static_cast<std::uint8_t>(shift), std::ldexp(step, -shift)};
}

}  // namespace nvdlac::quant
