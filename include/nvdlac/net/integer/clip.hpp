// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>

#include <nvdlac/fixed.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net::integer {

// y = min(max(saturate<32>(round_shift(x * multiplier, shift)), low), high)
struct clip {
  static constexpr arity inputs{1, 1};

  std::int16_t multiplier = 1;
  std::uint8_t shift = 0;  // 0..63
  std::int8_t low = -128, high = 127;

  constexpr std::int8_t finish(std::int8_t x) const {
    const auto y = saturate<32>(round_shift(std::int64_t{x} * multiplier, shift));
    return static_cast<std::int8_t>(
        std::min(std::max(y, std::int64_t{low}), std::int64_t{high}));
  }

  constexpr fitting fit(std::span<const shape> in) const {
    if (shift > 63) return {rule::shift_above_its_range, "shift", {63}};
    return in[0];
  }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  int8_tensor evaluate(std::span<const int8_tensor* const> in) const {
    int8_tensor y = *in[0];
    infer(shapes_of(in));
    for (auto& v : y.values) v = finish(v);
    return y;
  }
};
static_assert(operation<clip>);

}  // namespace nvdlac::net::integer
