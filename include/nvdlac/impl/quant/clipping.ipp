// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/activation.hpp>
#include <nvdlac/quant/clipping.hpp>
#include <nvdlac/quant/multipliers.hpp>
#include <nvdlac/quant/real_form.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL integer_bounds bounds_of(const net::clip& op, double out_scale, hw::precision p,
                                     std::int32_t zero) {
  const double low = static_cast<double>(op.low), high = static_cast<double>(op.high);
  integer_bounds result;
  if (p == hw::precision::fp16) {  // nothing is beyond its range
    if (low > -65504) result.low = low == 0 ? std::int16_t{0} : half_bits(low, "bound");
    if (high < 65504) result.high = high == 0 ? std::int16_t{0} : half_bits(high, "bound");
    return result;
  }
  const double top = top_of(p);
  const auto step = [&](double bound) {
    return static_cast<std::int16_t>(
        std::clamp(std::round(bound / out_scale) + zero, -top - 1, top));
  };
  if (step(low) > -top - 1) result.low = step(low);
  if (step(high) < top) result.high = step(high);
  return result;
}

NVDLAC_IMPL quantised::clip quantise_clip(integer_bounds bounds, double in_scale,
                                          double out_scale) {
  quantised::clip result{.low = bounds.low, .high = bounds.high};
  const double ratio = in_scale / out_scale;
  if (std::fabs(ratio - 1) < 1e-9) return result;  // but for its rounding
  const auto c = nearest_converter(ratio);
  result.multiplier = c.scale;
  result.shift = c.shift;
  return result;
}

}  // namespace nvdlac::quant
