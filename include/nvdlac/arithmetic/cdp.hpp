// SPDX-License-Identifier: Apache-2.0
#pragma once
// The arithmetic of CDP around its lookup table, one element at a time.
#include <nvdlac/arithmetic/cdp_lut.hpp>

namespace nvdlac::arithmetic {

// (x - offset) * scale / 2^shift of CDP's input and output converters.
struct cdp_converter {
  std::int64_t offset = 0, scale = 1;
  int shift = 0;
  constexpr bool operator==(const cdp_converter&) const = default;
};

// The input converter: 9 bits for int8, 17 for int16.
template <int Bits>
constexpr std::int32_t cdp_input(const cdp_converter& c, std::int64_t x) {
  return static_cast<std::int32_t>(
      saturate<Bits + 1>(round_shift((x - c.offset) * c.scale, c.shift)));
}

struct cdp_result {
  std::int16_t value = 0;
  bool saturated = false;  // as D_OUT_SATURATION counts it
  constexpr bool operator==(const cdp_result&) const = default;
};

// The output converter. A value is counted as saturated if it lies more than 1 outside.
template <int Bits>
constexpr cdp_result cdp_output(const cdp_converter& c, std::int64_t r) {
  constexpr std::int64_t top = std::int64_t{1} << (Bits - 1);
  const auto product = (r - c.offset) * c.scale;
  const auto whole = product >> c.shift;
  // round_shift without a branch on the sign.
  const auto half = c.shift == 0 ? 0 : (std::int64_t{1} << (c.shift - 1)) - (product < 0);
  return {static_cast<std::int16_t>(saturate<Bits>((product + half) >> c.shift)),
          whole > top || whole < -top - 1};
}

// The sum of fp32 squares around `centre`, `reach` to both sides, in the order of the hardware.
constexpr fp32 cdp_sum(const fp32* centre, int reach) {
  auto sum = add(add(centre[-1], centre[1]), centre[0]);
  for (int i = 2; i <= reach; ++i) sum = add(sum, add(centre[-i], centre[i]));
  return sum;
}

// The product of an fp16 element and its table value. Without it NaNs pass the table by.
constexpr fp16 cdp_product(fp17 x, fp17 table, bool bypass) {
  if (bypass) return convert<fp16>(x.is_nan() ? x : table);
  return convert<fp16>(mul(x, table));
}

}  // namespace nvdlac::arithmetic
