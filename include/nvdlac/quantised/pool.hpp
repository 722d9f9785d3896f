// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that PDP computes.
#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/hw/any_map.hpp>
#include <nvdlac/hw/capacity.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quantised {

// PDP. Maximum and minimum: of the elements of the window inside the input. Average: the window is
// clipped to the input (or, count_include_pad, to the padded input, padding being `pad`), rows x
// columns remain; y = round_shift(round_shift(sum * (65536 / columns), 16) * (65536 / rows), 16).
// In fp16 sums run in fp17, lines from the left and then down, and are multiplied by 1 / columns
// and by 1 / rows.
struct pool {
  static constexpr net::arity inputs{1, 1};

  net::pool_kind kind = net::pool_kind::maximum;
  net::window window{};  // kernels at most hw::any_map.pdp.kernel high and wide
  bool ceil = false;
  bool count_include_pad = false;
  std::int8_t pad = 0;  // of integers alone
  static constexpr void fields(auto&& field) {
    field("kind", &pool::kind);
    field("window", &pool::window);
    field("ceil", &pool::ceil);
    field("count_include_pad", &pool::count_include_pad);
    field("pad", &pool::pad);
  }

  constexpr net::fitting fit(std::span<const net::shape> in) const {
    if (std::max(window.kernel_h, window.kernel_w) > hw::any_map.pdp.kernel)
      return net::rule::pooling_with_a_window_larger_than_that_of_pdp;
    return fit_pool(window, ceil, in[0]);
  }
  constexpr net::fitting fit_in(hw::precision p, net::shape s) const {
    return p == hw::precision::fp16 && pad != 0 ? net::rule::pooling_of_fp16_with_a_padding_value
                                                : net::fitting(s);
  }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  template <class T>
  net::tensor<T> evaluate(std::span<const net::tensor<T>* const> in) const {
    const net::tensor<T>& x = *in[0];
    net::tensor<T> y{infer(std::array{x.shape})};
    fit_in(net::precision_of_type<T>, y.shape).value();
    for (std::int32_t c = 0; c < y.shape.c; ++c)
      for (std::int32_t oy = 0; oy < y.shape.h; ++oy)
        for (std::int32_t ox = 0; ox < y.shape.w; ++ox)
          y.at(c, oy, ox) = reduce(x, c, net::pool_span::at(vertical(window), x.shape.h, oy),
                                   net::pool_span::at(horizontal(window), x.shape.w, ox));
    return y;
  }

 private:
  constexpr std::int32_t counted(net::pool_span s) const {
    return count_include_pad ? s.padded : s.end - s.begin;
  }

  constexpr net::half reduce(const net::fp16_tensor& x, std::int32_t c, net::pool_span rows,
                             net::pool_span columns) const {
    const auto bits = [&](std::int32_t row, std::int32_t column) {
      return fp16{x.at(c, row, column).bits};
    };
    const auto reciprocal = [&](net::pool_span s) {
      return fp17{static_cast<std::uint32_t>(
          hw::pdp_reciprocal(counted(s), hw::precision::fp16))};
    };
    fp16 top = bits(rows.begin, columns.begin), least = top;
    fp17 sum{};
    for (std::int32_t row = rows.begin; row < rows.end; ++row) {
      fp17 line{};
      for (std::int32_t column = columns.begin; column < columns.end; ++column) {
        const fp16 v = bits(row, column);
        top = arithmetic::max(top, v);
        least = arithmetic::min(least, v);
        line = arithmetic::add(line, arithmetic::convert<fp17>(v));
      }
      sum = arithmetic::add(line, sum);
    }
    if (kind == net::pool_kind::average)
      top = arithmetic::convert<fp16>(
          arithmetic::mul(arithmetic::mul(sum, reciprocal(columns)), reciprocal(rows)));
    return {static_cast<std::uint16_t>(kind == net::pool_kind::minimum ? least.bits : top.bits)};
  }

  template <class T>
  constexpr T reduce(const net::tensor<T>& x, std::int32_t c, net::pool_span rows,
                     net::pool_span columns) const {
    std::int64_t sum = 0, top = std::numeric_limits<T>::min();
    std::int64_t least = std::numeric_limits<T>::max();
    for (std::int32_t row = rows.begin; row < rows.end; ++row)
      for (std::int32_t column = columns.begin; column < columns.end; ++column) {
        const std::int64_t v = x.at(c, row, column);
        sum += v;
        top = std::max(top, v);
        least = std::min(least, v);
      }
    if (kind == net::pool_kind::maximum) return static_cast<T>(top);
    if (kind == net::pool_kind::minimum) return static_cast<T>(least);
    sum += pad * (std::int64_t{counted(rows)} * counted(columns) -
                  std::int64_t{rows.end - rows.begin} * (columns.end - columns.begin));
    const std::int64_t by_columns = round_shift(sum * (65536 / counted(columns)), 16);
    return static_cast<T>(round_shift(by_columns * (65536 / counted(rows)), 16));
  }
};
static_assert(net::operation<pool>);

// The mean of each window at a scale of its own, by CONV and SDP: the sum is exact, all weights
// being the same, and rounded once.
// y = saturate<8>(round_shift((sum * weight + (bias << bias_shift)) * multiplier, shift))
// The padding consists of `pad`, which is the number that stands for 0. In int8, and in int16 with
// saturate<16>.
struct average {
  static constexpr net::arity inputs{1, 1};

  net::window window{};  // dilation is 1
  std::int8_t weight = 1;
  std::int16_t bias = 0;
  std::uint8_t bias_shift = 0;  // 0..16
  std::int16_t multiplier = 1;
  std::uint8_t shift = 0;  // 0..63
  std::int8_t pad = 0;
  static constexpr void fields(auto&& field) {
    field("window", &average::window);
    field("weight", &average::weight);
    field("bias", &average::bias);
    field("bias_shift", &average::bias_shift);
    field("multiplier", &average::multiplier);
    field("shift", &average::shift);
    field("pad", &average::pad);
  }

  template <std::signed_integral T = std::int8_t>
  constexpr T finish(std::int64_t sum) const {
    const std::int64_t biased = saturate<32>(sum * weight) + (std::int64_t{bias} << bias_shift);
    return written<T>(saturate<32>(round_shift(biased * multiplier, shift)), false);
  }

  constexpr net::fitting fit(std::span<const net::shape> in) const {
    if (bias_shift > 16) return {net::rule::shift_above_its_range, "bias shift", {16}};
    if (shift > 63) return {net::rule::shift_above_its_range, "shift", {63}};
    return fit_pool(window, false, in[0]);
  }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  net::int8_tensor evaluate(std::span<const net::int8_tensor* const> in) const;
  net::int16_tensor evaluate(std::span<const net::int16_tensor* const> in) const;

 private:
  template <class T>
  net::tensor<T> means(const net::tensor<T>& x) const;
  template <class T>
  constexpr std::int64_t sum(const net::tensor<T>& x, std::int32_t c, net::pool_span rows,
                             net::pool_span columns) const {
    std::int64_t result = 0, inside = 0;
    for (std::int32_t row = rows.begin; row < rows.end; ++row)
      for (std::int32_t column = columns.begin; column < columns.end; ++column, ++inside)
        result += x.at(c, row, column);
    return result + pad * (std::int64_t{window.kernel_h} * window.kernel_w - inside);
  }
};
static_assert(net::operation<average>);

}  // namespace nvdlac::quantised

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quantised/pool.ipp>
#endif
