// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <nvdlac/base/fields.hpp>
#include <nvdlac/base/fixed.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/sliding.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/numbers.hpp>
#include <nvdlac/quantised/prelu.hpp>
#include <nvdlac/quantised/wide_sums.hpp>

namespace nvdlac::quantised {

// SDP's X1 behind CACC: a = saturate<32>(round_shift(sum, truncate));
// b = (a + (bias[k] << bias_shift)) * multiplier[k];
// y = relu(saturate<32>(round_shift(b, shift)))
// X2: y = sloped(y, slope[k], slope_shift), or min(max(y, low), high); or, where there is a second
// input z, y = relu(saturate<32>(y + (z << operand_shift))), and X1 has no ReLU
// y = saturate<8>(out(y))
// A fully connected layer is a convolution whose window covers its whole input.
// The padding consists of `pad`, which is the number that stands for 0.
// CACC saturates `sum` to 34 bits, which no kernel that fits the convolution buffer can reach.
// In int16 these are 48 bits, and y = saturate<16>. In fp16 X1 gives
// relu((sum + bias[k]) * multiplier[k]) in fp32; all operands are bits of fp16, nothing is shifted.
struct convolution {
  static constexpr net::arity inputs{1, 2};

  std::int32_t kernels = 1;
  net::window window{};
  std::int32_t groups = 1;
  net::constants<std::int8_t> weights{};        // [kernels][C / groups][kernel_h][kernel_w]
  net::constants<std::int16_t> wide_weights{};  // int16 or bits of fp16, instead of them
  net::constants<std::int16_t> bias{};          // [kernels]
  std::uint8_t bias_shift = 0;        // 0..16
  net::constants<std::int16_t> multiplier{};  // [kernels]
  std::uint8_t shift = 0;             // 0..63
  std::uint8_t truncate = 0;          // CACC, 0..16
  std::int8_t pad = 0;                // in int8
  bool relu = false;
  net::constants<std::int16_t> slope{};  // [kernels], one for all, or empty: none
  std::uint8_t slope_shift = 0;       // 0..63
  std::int16_t low = no_low, high = no_high;  // without slopes; one of them
  std::uint8_t operand_shift = 0;     // of the second input, in integers, 0..24
  converter out{};                    // in integers
  static constexpr void fields(auto&& field) {
    field("kernels", &convolution::kernels);
    field("window", &convolution::window);
    field("groups", &convolution::groups);
    field("weights", &convolution::weights, kept_apart);
    field("wide_weights", &convolution::wide_weights, kept_apart);
    field("bias", &convolution::bias);
    field("bias_shift", &convolution::bias_shift);
    field("multiplier", &convolution::multiplier);
    field("shift", &convolution::shift);
    field("truncate", &convolution::truncate);
    field("pad", &convolution::pad);
    field("relu", &convolution::relu);
    field("slope", &convolution::slope);
    field("slope_shift", &convolution::slope_shift);
    field("low", &convolution::low);
    field("high", &convolution::high);
    field("operand_shift", &convolution::operand_shift);
    field("out", &convolution::out);
  }

  // The accumulated sum of kernel k, and the element of the second input if there is one, as an
  // output value.
  constexpr net::half finish(const arithmetic::fp16_accumulator& sum, std::size_t k,
                             std::optional<net::half> operand = {}) const {
    const auto biased = arithmetic::add(sum.result(), widened(bias[k]));
    auto y = arithmetic::mul(biased, widened(multiplier[k]));
    if (operand) y = arithmetic::add(y, widened(*operand));
    if (relu) y = arithmetic::relu(y);
    if (!slope.empty()) y = sloped(y, slope[slope.size() == 1 ? 0 : k]);
    return written(bounded(y, low, high), false);
  }
  template <class T = std::int8_t>
  constexpr T finish(std::int64_t sum, std::size_t k, std::optional<T> operand = {}) const {
    const std::int64_t a = saturate<32>(round_shift(saturate<48>(sum), truncate));
    const std::int64_t biased = a + (std::int64_t{bias[k]} << bias_shift);
    std::int64_t y = saturate<32>(round_shift(biased * multiplier[k], shift));
    if (operand) y = saturate<32>(y + (std::int64_t{*operand} << operand_shift));
    if (relu) y = std::max<std::int64_t>(y, 0);
    if (!slope.empty()) y = sloped(y, slope[slope.size() == 1 ? 0 : k], slope_shift);
    return written<T>(bounded(y, low, high), false, out);
  }

  constexpr net::fitting fit(std::span<const net::shape> in) const {
    if (bias_shift > 16) return {net::rule::shift_above_its_range, "bias shift", {16}};
    if (truncate > 16) return {net::rule::shift_above_its_range, "truncation", {16}};
    if (shift > 63) return {net::rule::shift_above_its_range, "shift", {63}};
    if (slope_shift > 63) return {net::rule::shift_above_its_range, "slope shift", {63}};
    if (operand_shift > 24) return {net::rule::shift_above_its_range, "operand shift", {24}};
    if (out.shift > 63) return {net::rule::shift_above_its_range, "output shift", {63}};
    if ((!slope.empty()) + (low != no_low) + (high != no_high) + (in.size() > 1) > 1)
      return net::rule::more_than_one_of_slope_low_high_and_operand;
    return fit_with_operand(fit_convolution(window, kernels, groups, in[0]), in);
  }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  constexpr std::int64_t weight_count(net::shape in) const {
    return net::product({kernels, in.c / groups, window.kernel_h, window.kernel_w});
  }
  constexpr std::size_t weights_given() const { return weights.size() + wide_weights.size(); }
  void check(std::span<const net::shape> in, diagnostics& found, const std::string& layer) const {
    if (wide_weights.empty()) check_values(weights, weight_count(in[0]), "weights", found, layer);
    else check_values(wide_weights, weight_count(in[0]), "weights", found, layer);
    check_values(bias, kernels, "bias", found, layer);
    check_values(multiplier, kernels, "multiplier", found, layer);
    if (slope.size() > 1) check_values(slope, kernels, "slope", found, layer);
  }
  constexpr net::fitting fit_constants(std::span<const net::shape> in) const {
    return net::all_of(
        {wide_weights.empty() ? fit_values(weights, weight_count(in[0]), "weights")
                              : fit_values(wide_weights, weight_count(in[0]), "weights"),
         fit_values(bias, kernels, "bias"), fit_values(multiplier, kernels, "multiplier"),
         slope.size() > 1 ? fit_values(slope, kernels, "slope") : in[0]});
  }
  template <class T>
  net::tensor<T> evaluate(std::span<const net::tensor<T>* const> in, mac_order order = {}) const {
    const net::tensor<T>& x = *in[0];
    net::tensor<T> y{infer(shapes_of(in))};
    const auto operand = [&](std::size_t i) {
      return in.size() > 1 ? std::optional(in[1]->values[i]) : std::nullopt;
    };
    fit_constants(std::array{x.shape}).value();
    require_known(weights, "weights");
    require_known(wide_weights, "weights");
    if (wide_weights.empty() != (sizeof(T) == 1))
      throw error("a convolution has weights of another precision than its tensor");
    require_known(bias, "bias");
    require_known(multiplier, "multiplier");
    require_known(slope, "slope");
    const std::size_t area = y.shape.size() / static_cast<std::size_t>(kernels);
    if constexpr (sizeof(T) == 1) {
      sliding_sums(window, x.shape, x.values.data(), y.shape, groups, weights.data(),
                   [&](std::size_t k, std::size_t position, std::span<const double> sums) {
                     for (auto i = k * area + position; const double sum : sums) {
                       y.values[i] = finish(static_cast<std::int64_t>(sum), k, operand(i));
                       ++i;
                     }
                   }, pad);
    } else {
      using accumulator =
          std::conditional_t<is_real<T>, arithmetic::fp16_accumulator, std::int64_t>;
      wide_sums<accumulator>(
          window, x, y.shape, groups, wide_weights.data(), order,
          [](accumulator& sum, auto data, auto of) { add_products(sum, data, of); },
          [&](std::size_t k, std::size_t position, const accumulator& sum) {
            const auto i = k * area + position;
            if constexpr (is_real<T>) y.values[i] = finish(sum, k, operand(i));
            else y.values[i] = finish<T>(sum, k, operand(i));
          });
    }
    return y;
  }
};
static_assert(net::operation<convolution>);

}  // namespace nvdlac::quantised
