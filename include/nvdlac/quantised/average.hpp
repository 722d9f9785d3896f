// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <span>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quantised {

// The mean of each window at a scale of its own, by CONV and SDP: the sum is exact, all weights
// being the same, and rounded once.
// y = saturate<8>(round_shift((sum * weight + (bias << bias_shift)) * multiplier, shift))
// The padding consists of `pad`, which is the number that stands for 0. In int8.
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

  constexpr std::int8_t finish(std::int64_t sum) const {
    const std::int64_t biased = saturate<32>(sum * weight) + (std::int64_t{bias} << bias_shift);
    return written<std::int8_t>(saturate<32>(round_shift(biased * multiplier, shift)), false);
  }

  constexpr net::fitting fit(std::span<const net::shape> in) const {
    if (bias_shift > 16) return {net::rule::shift_above_its_range, "bias shift", {16}};
    if (shift > 63) return {net::rule::shift_above_its_range, "shift", {63}};
    return fit_pool(window, false, in[0]);
  }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  net::int8_tensor evaluate(std::span<const net::int8_tensor* const> in) const {
    const net::int8_tensor& x = *in[0];
    net::int8_tensor y{infer(std::array{x.shape})};
    for (std::int32_t c = 0; c < y.shape.c; ++c)
      for (std::int32_t row = 0; row < y.shape.h; ++row)
        for (std::int32_t column = 0; column < y.shape.w; ++column)
          y.at(c, row, column) =
              finish(sum(x, c, net::pool_span::at(vertical(window), x.shape.h, row),
                         net::pool_span::at(horizontal(window), x.shape.w, column)));
    return y;
  }

 private:
  constexpr std::int64_t sum(const net::int8_tensor& x, std::int32_t c, net::pool_span rows,
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
