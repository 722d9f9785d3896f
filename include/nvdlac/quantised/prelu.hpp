// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quantised {

// The slope of negative numbers: saturate<32>(round_shift(x * slope, shift)).
constexpr std::int64_t sloped(std::int64_t x, std::int16_t slope, int shift) {
  return x >= 0 ? x : saturate<32>(round_shift(x * slope, shift));
}

constexpr fp32 sloped(fp32 x, std::int16_t slope) {
  return x.sign() == 0 ? x : arithmetic::mul(x, widened(slope));
}

// y = saturate<8>(out(sloped(x * multiplier, slope[c], shift))); in int16 saturate<16>. In fp16
// multiplier and slopes are bits of fp16, and nothing is shifted.
struct prelu {
  static constexpr net::arity inputs{1, 1};

  std::int16_t multiplier = 1;
  net::constants<std::int16_t> slope{};  // [C] or one for all
  std::uint8_t shift = 0;           // 0..63
  converter out{};
  static constexpr void fields(auto&& field) {
    field("multiplier", &prelu::multiplier);
    field("slope", &prelu::slope);
    field("shift", &prelu::shift);
    field("out", &prelu::out);
  }

  template <class T>
  constexpr T finish(T x, std::size_t channel) const {
    const auto of_channel = slope[slope.size() == 1 ? 0 : channel];
    if constexpr (is_real<T>)
      return written(sloped(arithmetic::mul(widened(x), widened(multiplier)), of_channel), false);
    else
      return written<T>(sloped(std::int64_t{x} * multiplier, of_channel, shift), false, out);
  }

  constexpr net::fitting fit(std::span<const net::shape> in) const {
    if (shift > 63) return {net::rule::shift_above_its_range, "shift", {63}};
    return in[0];
  }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  void check(std::span<const net::shape> in, diagnostics& found, const std::string& layer) const {
    check_values(slope, slope.size() == 1 ? 1 : in[0].c, "slope", found, layer);
  }
  constexpr net::fitting fit_constants(std::span<const net::shape> in) const {
    return fit_values(slope, slope.size() == 1 ? 1 : in[0].c, "slope");
  }
  template <class T>
  net::tensor<T> evaluate(std::span<const net::tensor<T>* const> in) const {
    net::tensor<T> y = *in[0];
    infer(shapes_of(in));
    fit_constants(std::array{y.shape}).value();
    require_known(slope, "slope");
    const std::size_t area = y.values.size() / static_cast<std::size_t>(y.shape.c);
    for (std::size_t i = 0; i < y.values.size(); ++i) y.values[i] = finish(y.values[i], i / area);
    return y;
  }
};
static_assert(net::operation<prelu>);

}  // namespace nvdlac::quantised
