// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <nvdlac/fixed.hpp>
#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/integer/constants.hpp>
#include <nvdlac/net/integer/prelu.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/sliding_sum.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net::integer {

// SDP's X1 behind CACC: a = saturate<32>(round_shift(sum, truncate));
// b = (a + (bias[k] << bias_shift)) * multiplier[k];
// y = relu(saturate<32>(round_shift(b, shift)))
// X2: y = sloped(y, slope[k], slope_shift), or min(max(y, low), high)
// Output converter: saturate<8>(saturate<17>(round_shift(y, out_shift)))
// A fully connected layer is a convolution whose window covers its whole input.
// CACC saturates `sum` to 34 bits, which no kernel that fits the convolution buffer can reach.
struct convolution {
  static constexpr arity inputs{1, 1};

  std::int32_t kernels = 1;
  net::window window{};
  std::int32_t groups = 1;
  constants<std::int8_t> weights{};      // [kernels][C / groups][kernel_h][kernel_w]
  constants<std::int16_t> wide_weights{};  // int16 or bits of fp16, instead of them
  constants<std::int16_t> bias{};        // [kernels]
  std::uint8_t bias_shift = 0;        // 0..16
  constants<std::int16_t> multiplier{};  // [kernels]
  std::uint8_t shift = 0;             // 0..63
  std::uint8_t truncate = 0;          // CACC, 0..16
  bool relu = false;
  constants<std::int16_t> slope{};    // [kernels], one for all, or empty: none
  std::uint8_t slope_shift = 0;       // 0..63
  std::int8_t low = -128, high = 127;  // without slopes; one of them, the other is as it is here
  std::uint8_t out_shift = 0;         // 0..63

  // The accumulated sum of kernel k as an output value.
  constexpr std::int8_t finish(std::int64_t sum, std::size_t k) const {
    const std::int64_t a = saturate<32>(round_shift(sum, truncate));
    const std::int64_t biased = a + (std::int64_t{bias[k]} << bias_shift);
    std::int64_t y = saturate<32>(round_shift(biased * multiplier[k], shift));
    if (relu) y = std::max<std::int64_t>(y, 0);
    if (!slope.empty()) y = sloped(y, slope[slope.size() == 1 ? 0 : k], slope_shift);
    if (low > -128) y = std::max<std::int64_t>(y, low);
    if (high < 127) y = std::min<std::int64_t>(y, high);
    return static_cast<std::int8_t>(saturate<8>(saturate<17>(round_shift(y, out_shift))));
  }

  constexpr fitting fit(std::span<const shape> in) const {
    if (bias_shift > 16) return {rule::shift_above_its_range, "bias shift", {16}};
    if (truncate > 16) return {rule::shift_above_its_range, "truncation", {16}};
    if (shift > 63) return {rule::shift_above_its_range, "shift", {63}};
    if (slope_shift > 63) return {rule::shift_above_its_range, "slope shift", {63}};
    if (out_shift > 63) return {rule::shift_above_its_range, "output shift", {63}};
    if ((!slope.empty()) + (low > -128) + (high < 127) > 1)
      return rule::more_than_one_of_slope_low_and_high;
    return fit_convolution(window, kernels, groups, in[0]);
  }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  constexpr std::int64_t weight_count(shape in) const {
    return product({kernels, in.c / groups, window.kernel_h, window.kernel_w});
  }
  constexpr std::size_t weights_given() const { return weights.size() + wide_weights.size(); }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const {
    if (wide_weights.empty()) check_values(weights, weight_count(in[0]), "weights", found, layer);
    else check_values(wide_weights, weight_count(in[0]), "weights", found, layer);
    check_values(bias, kernels, "bias", found, layer);
    check_values(multiplier, kernels, "multiplier", found, layer);
    if (slope.size() > 1) check_values(slope, kernels, "slope", found, layer);
  }
  constexpr fitting fit_constants(std::span<const shape> in) const {
    return all_of({wide_weights.empty() ? fit_values(weights, weight_count(in[0]), "weights")
                                        : fit_values(wide_weights, weight_count(in[0]), "weights"),
                   fit_values(bias, kernels, "bias"),
                   fit_values(multiplier, kernels, "multiplier"),
                   slope.size() > 1 ? fit_values(slope, kernels, "slope") : in[0]});
  }
  int8_tensor evaluate(std::span<const int8_tensor* const> in) const {
    const int8_tensor& x = *in[0];
    int8_tensor y{infer(std::array{x.shape})};
    fit_constants(std::array{x.shape}).value();
    require_known(weights, "weights");
    require_known(bias, "bias");
    require_known(multiplier, "multiplier");
    require_known(slope, "slope");
    const std::size_t area = y.shape.size() / static_cast<std::size_t>(kernels);
    sliding_sums(window, x.shape, x.values.data(), y.shape, groups, weights.data(),
                 [&](std::size_t k, std::size_t position, double sum) {
                   y.values[k * area + position] = finish(static_cast<std::int64_t>(sum), k);
                 });
    return y;
  }
};
static_assert(operation<convolution>);

}  // namespace nvdlac::net::integer
