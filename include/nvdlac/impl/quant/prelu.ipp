// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/quant/multipliers.hpp>
#include <nvdlac/quant/prelu.hpp>
#include <nvdlac/quant/real_form.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL shared_slopes share_slopes(std::span<const float> slope) {
  double top = 0;
  for (const float s : slope) top = std::max(top, std::fabs(static_cast<double>(s)));
  if (!(top <= 32767)) throw error(text("its largest slope is ", top, ", which is above 32767"));
  const int shift = top > 0 ? shift_for(top) : 0;
  shared_slopes result{.shift = static_cast<std::uint8_t>(shift)};
  for (const float s : slope)
    result.values.push_back(round16(std::ldexp(static_cast<double>(s), shift)));
  if (std::all_of(result.values.begin(), result.values.end(),
                  [&](auto v) { return v == result.values[0]; }))
    result.values.resize(1);
  return result;
}

NVDLAC_IMPL quantised::prelu quantise_prelu(std::span<const float> slope, double in_scale,
                                            double out_scale) {
  auto shared = share_slopes(slope);
  return {.multiplier = 1 << 14,
          .slope = std::move(shared.values),
          .shift = shared.shift,
          .out = nearest_converter(std::ldexp(in_scale / out_scale, -14))};
}

NVDLAC_IMPL quantised::prelu real_prelu(std::span<const float> slope) {
  return {.multiplier = hw::one(hw::precision::fp16), .slope = half_bits_of(slope, "slope")};
}

NVDLAC_IMPL void join_prelu(quantised::convolution& op, std::span<const float> slope,
                            std::int32_t zero) {
  auto shared = share_slopes(slope);
  op.slope = std::move(shared.values);
  op.slope_shift = shared.shift;
  op.out.shift = std::min<std::uint8_t>(op.shift, 8);
  op.shift = static_cast<std::uint8_t>(op.shift - op.out.shift);
  op.out.offset = -zero * (1 << op.out.shift);
}

}  // namespace nvdlac::quant
