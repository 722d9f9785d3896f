// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/arithmetic/fp16_mac.hpp>
#include <nvdlac/arithmetic/winograd.hpp>
#include <nvdlac/base/fields.hpp>
#include <nvdlac/base/fixed.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/sliding_sums.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/bundle.hpp>
#include <nvdlac/quantised/numbers.hpp>
#include <nvdlac/quantised/pointwise.hpp>
#include <nvdlac/quantised/winograd.hpp>

namespace nvdlac::quantised {

// Traits of a configuration that show in sums of fp16, which rounds: the channels that a MAC cell
// adds at once, and those of an atom. By default those of nv_full.
struct mac_order {
  std::int32_t channels = 64, lanes = 16;
};
constexpr mac_order order_of(const hw::spec& s) {
  return {static_cast<std::int32_t>(s.mac_atomic_c),
          static_cast<std::int32_t>(s.memory_atom / hw::element_bytes(hw::precision::fp16))};
}

// In which order CSC takes what a kernel of fp16 covers of an image: a step has the channels of
// neighbouring columns, and those of some lines.
struct image_order {
  std::int32_t channels = 0;  // of a column in memory; 0: it reads no image
  std::int32_t lines = 1;     // of a step
  static constexpr void fields(auto&& field) {
    field("channels", &image_order::channels);
    field("lines", &image_order::lines);
  }

  constexpr bool is_used() const { return channels != 0; }
  constexpr bool operator==(const image_order&) const = default;
};

// The sums of a convolution in int16 and in fp16, output by output.

namespace detail {

// A tap of all kernels of one group: channels [first, first + count) of one column of one line.
struct tap {
  std::int32_t first, count, line, column;
  bool ends_step = true;  // the last one of those that the MACs take at once
};

// The taps in the order of CSC: blocks of `order.channels` channels of the bundle in which the
// group's channels begin at `start`, then lines, then columns.
std::vector<tap> taps_of(const net::window& w, std::int32_t channels, std::int32_t start,
                         std::int32_t block);
// The taps of an image: blocks of the channels of all columns, then lines. An order of more than a
// block in several lines is an `error`.
std::vector<tap> taps_of_image(const net::window& w, std::int32_t channels, image_order image,
                               std::int32_t block);

}  // namespace detail

// store(k, position, sum) for every kernel and every position y * out.w + x. `add(sum, data,
// weights)` adds the products of one step; both are as many elements of 16 bits.
template <class Sum, class Element, class Add, class Store>
void wide_sums(const net::window& w, const net::tensor<Element>& x, net::shape out,
               std::int32_t groups, const std::int16_t* weights, mac_order order,
               image_order image, std::int16_t pad, const Add& add, const Store& store) {
  const std::int32_t channels = x.shape.c / groups, kernels = out.c / groups;
  const std::int32_t bundle = groups_per_bundle(groups, channels, kernels, order.lanes);
  const auto depth = static_cast<std::size_t>(channels) * static_cast<std::size_t>(w.kernel_h) *
                     static_cast<std::size_t>(w.kernel_w);
  std::vector<std::int16_t> data(depth), ordered(depth * static_cast<std::size_t>(kernels));
  for (std::int32_t group = 0; group < groups; ++group) {
    const auto taps =
        image.is_used() ? detail::taps_of_image(w, channels, image, order.channels)
                        : detail::taps_of(w, channels, group % bundle * channels, order.channels);
    auto* to = ordered.data();
    for (std::int32_t k = 0; k < kernels; ++k)
      for (const auto& t : taps)
        for (std::int32_t c = t.first; c < t.first + t.count; ++c)
          *to++ = weights[((std::int64_t{group * kernels + k} * channels + c) * w.kernel_h +
                           t.line) * w.kernel_w + t.column];
    for (std::int32_t position = 0; position < out.h * out.w; ++position) {
      const std::int32_t top = position / out.w * w.stride_h - w.pad_top;
      const std::int32_t left = position % out.w * w.stride_w - w.pad_left;
      auto* here = data.data();
      for (const auto& t : taps) {
        const std::int32_t row = top + t.line * w.dilation_h;
        const std::int32_t column = left + t.column * w.dilation_w;
        const bool inside =
            row >= 0 && row < x.shape.h && column >= 0 && column < x.shape.w;
        for (std::int32_t c = t.first; c < t.first + t.count; ++c)
          *here++ = inside ? std::bit_cast<std::int16_t>(x.at(group * channels + c, row, column))
                           : pad;
      }
      const auto* kernel = ordered.data();
      for (std::int32_t k = 0; k < kernels; ++k) {
        Sum sum{};
        const auto* from = data.data();
        std::size_t n = 0;
        for (const auto& t : taps) {
          n += static_cast<std::size_t>(t.count);
          if (!t.ends_step) continue;
          add(sum, std::span(from, n), std::span(kernel, n));
          from += n;
          kernel += std::exchange(n, 0);
        }
        store(static_cast<std::size_t>(group * kernels + k), static_cast<std::size_t>(position),
              sum);
      }
    }
  }
}

// One step in int16: the sum of a kernel that fits the convolution buffer has at most 48 bits.
void add_products(std::int64_t& sum, std::span<const std::int16_t> data,
                  std::span<const std::int16_t> weights);
// One step in fp16: one pass of the MAC cell, then the accumulator.
void add_products(arithmetic::fp16_accumulator& sum, std::span<const std::int16_t> data,
                  std::span<const std::int16_t> weights);

// SDP's X1 behind CACC: a = saturate<32>(round_shift(sum, truncate));
// b = (a + (bias[k] << bias_shift)) * multiplier[k];
// y = relu(saturate<32>(round_shift(b, shift)))
// X2: y = sloped(y, slope[k], slope_shift), or min(max(y, low), high); or, where there is a second
// input z, y = relu(saturate<32>(f(y, z << operand_shift))), and X1 has no ReLU: f is the sum, the
// maximum, the minimum, or the product, which shifts nothing
// y = saturate<8>(out(y))
// A fully connected layer is a convolution whose window covers its whole input.
// The padding consists of `pad`, which is the number that stands for 0.
// CACC saturates `sum` to 34 bits, which no kernel that fits the convolution buffer can reach.
// Where `winograd` is set, the sums are those of Winograd's mode, of weights that are transformed.
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
  std::int16_t pad = 0;               // in integers
  bool relu = false;
  net::constants<std::int16_t> slope{};  // [kernels], one for all, or empty: none
  std::uint8_t slope_shift = 0;       // 0..63
  std::int16_t low = no_low, high = no_high;  // without slopes; one of them
  net::combination with_second = net::combination::sum;
  std::uint8_t operand_shift = 0;     // of the second input, in integers, 0..24
  converter out{};                    // in integers
  image_order image{};                // of fp16
  bool winograd = false;              // weights are [kernels][C][4][4] for the window of 3x3
  std::uint8_t input_truncate = 0;    // of the transformed input, in integers, 0..2
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
    field("with_second", &convolution::with_second);
    field("operand_shift", &convolution::operand_shift);
    field("out", &convolution::out);
    field("image", &convolution::image);
    field("winograd", &convolution::winograd);
    field("input_truncate", &convolution::input_truncate);
  }

  // The accumulated sum of kernel k, and the element of the second input if there is one, as an
  // output value.
  constexpr net::half finish(const arithmetic::fp16_accumulator& sum, std::size_t k,
                             std::optional<net::half> operand = {}) const {
    const auto biased = arithmetic::add(sum.result(), widened(bias[k]));
    auto y = arithmetic::mul(biased, widened(multiplier[k]));
    if (operand) y = joined(y, widened(*operand));
    if (relu) y = arithmetic::relu(y);
    if (!slope.empty()) y = sloped(y, slope[slope.size() == 1 ? 0 : k]);
    return written(bounded(y, low, high), false);
  }
  template <class T = std::int8_t>
  constexpr T finish(std::int64_t sum, std::size_t k, std::optional<T> operand = {}) const {
    const std::int64_t a = saturate<32>(round_shift(saturate<48>(sum), truncate));
    const std::int64_t biased = a + (std::int64_t{bias[k]} << bias_shift);
    std::int64_t y = saturate<32>(round_shift(biased * multiplier[k], shift));
    if (operand) y = joined(y, std::int64_t{*operand});
    if (relu) y = std::max<std::int64_t>(y, 0);
    if (!slope.empty()) y = sloped(y, slope[slope.size() == 1 ? 0 : k], slope_shift);
    return written<T>(bounded(y, low, high), false, out);
  }

  constexpr net::fitting fit(std::span<const net::shape> in) const {
    if (bias_shift > 16) return {net::rule::shift_above_its_range, "bias shift", {16}};
    if (truncate > 16) return {net::rule::shift_above_its_range, "truncation", {16}};
    if (shift > 63) return {net::rule::shift_above_its_range, "shift", {63}};
    if (slope_shift > 63) return {net::rule::shift_above_its_range, "slope shift", {63}};
    if (operand_shift > 24 ||
        (operand_shift > 0 && with_second == net::combination::product))
      return {net::rule::shift_above_its_range, "operand shift", {24}};
    if (out.shift > 63) return {net::rule::shift_above_its_range, "output shift", {63}};
    if (input_truncate > arithmetic::most_input_truncate)
      return {net::rule::shift_above_its_range, "input truncation",
              {arithmetic::most_input_truncate}};
    if (winograd && !is_winograd_window(window, groups)) return net::rule::not_winograd;
    if (image.is_used() && (winograd || groups != 1 || window.dilation_h != 1 ||
                            window.dilation_w != 1 || image.channels < in[0].c || image.lines < 1))
      return net::rule::no_order_of_an_image;
    if ((!slope.empty()) + (low != no_low) + (high != no_high) + (in.size() > 1) > 1)
      return net::rule::more_than_one_of_slope_low_high_and_operand;
    return fit_with_operand(fit_convolution(window, kernels, groups, in[0]), in);
  }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  constexpr std::int64_t weight_count(net::shape in) const {
    if (winograd)
      return net::product({kernels, in.c, static_cast<std::int32_t>(winograd_taps), 1});
    return net::product({kernels, in.c / groups, window.kernel_h, window.kernel_w});
  }
  constexpr std::size_t weights_given() const { return weights.size() + wide_weights.size(); }
  // Joins X1's result and the second input as X2 does: in fp32, and in integers.
  constexpr arithmetic::fp32 joined(arithmetic::fp32 y, arithmetic::fp32 z) const {
    switch (with_second) {
      case net::combination::maximum: return arithmetic::max(y, z);
      case net::combination::minimum: return arithmetic::min(y, z);
      case net::combination::product: return arithmetic::mul(y, z);
      case net::combination::sum: break;
    }
    return arithmetic::add(y, z);
  }
  constexpr std::int64_t joined(std::int64_t y, std::int64_t z) const {
    if (with_second == net::combination::product) return saturate<32>(y * z);
    z <<= operand_shift;
    if (with_second == net::combination::sum) return saturate<32>(y + z);
    z = saturate<32>(z);
    return with_second == net::combination::maximum ? std::max(y, z) : std::min(y, z);
  }
  void check(std::span<const net::shape> in, diagnostics& found, const std::string& layer) const;
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
    const auto store = [&](std::size_t k, std::size_t position, const auto& sum) {
      const auto i = k * area + position;
      if constexpr (is_real<T>) y.values[i] = finish(sum, k, operand(i));
      else y.values[i] = finish<T>(sum, k, operand(i));
    };
    if (winograd) {
      if constexpr (is_real<T>) winograd_sums(window, x, y.shape, wide_weights.data(), store);
      else if constexpr (sizeof(T) == 1)
        winograd_sums(window, x, y.shape, weights.data(), input_truncate, static_cast<T>(pad),
                      store);
      else
        winograd_sums(window, x, y.shape, wide_weights.data(), input_truncate, pad, store);
    } else if constexpr (sizeof(T) == 1) {
      sliding_sums(window, x.shape, x.values.data(), y.shape, groups, weights.data(),
                   [&](std::size_t k, std::size_t position, std::span<const double> sums) {
                     for (const double sum : sums)
                       store(k, position++, static_cast<std::int64_t>(sum));
                   }, static_cast<T>(pad));
    } else {
      using accumulator =
          std::conditional_t<is_real<T>, arithmetic::fp16_accumulator, std::int64_t>;
      wide_sums<accumulator>(
          window, x, y.shape, groups, wide_weights.data(), order, image,
          is_real<T> ? std::int16_t{0} : pad,
          [](accumulator& sum, auto data, auto of) { add_products(sum, data, of); }, store);
    }
    return y;
  }
};
static_assert(net::operation<convolution>);

}  // namespace nvdlac::quantised

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quantised/convolution.ipp>
#endif
