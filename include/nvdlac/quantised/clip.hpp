// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quantised {

// y = min(max(saturate<32>(round_shift(x * multiplier, shift)), low), high), saturated. In fp16 the
// bounds are bits of fp16, and there is no multiplier.
struct clip {
  static constexpr net::arity inputs{1, 1};

  std::int16_t multiplier = 1;
  std::uint8_t shift = 0;  // 0..63
  std::int16_t low = no_low, high = no_high;
  static constexpr void fields(auto&& field) {
    field("multiplier", &clip::multiplier);
    field("shift", &clip::shift);
    field("low", &clip::low);
    field("high", &clip::high);
  }

  template <class T>
  constexpr T finish(T x) const {
    if constexpr (is_real<T>) {
      return written(bounded(widened(x), low, high), false);
    } else {
      const auto y = saturate<32>(round_shift(std::int64_t{x} * multiplier, shift));
      return written<T>(bounded(y, low, high), false);
    }
  }

  constexpr net::fitting fit(std::span<const net::shape> in) const {
    if (shift > 63) return {net::rule::shift_above_its_range, "shift", {63}};
    return in[0];
  }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  template <class T>
  net::tensor<T> evaluate(std::span<const net::tensor<T>* const> in) const {
    net::tensor<T> y = *in[0];
    infer(shapes_of(in));
    for (auto& v : y.values) v = finish(v);
    return y;
  }
};
static_assert(net::operation<clip>);

}  // namespace nvdlac::quantised
