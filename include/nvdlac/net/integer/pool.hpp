// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include <nvdlac/fixed.hpp>
#include <nvdlac/hw/pdp_window.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net::integer {

// PDP. Maximum: over the elements of the window inside the input. Average: the window is clipped to
// the input (or, count_include_pad, to the padded input, padding being 0), rows x columns remain;
// y = round_shift(round_shift(sum * (65536 / columns), 16) * (65536 / rows), 16).
struct pool {
  static constexpr arity inputs{1, 1};

  pool_kind kind = pool_kind::maximum;
  net::window window{};  // kernels at most hw::pdp_kernel
  bool ceil = false;
  bool count_include_pad = false;

  constexpr fitting fit(std::span<const shape> in) const {
    if (std::max(window.kernel_h, window.kernel_w) > hw::pdp_kernel)
      return rule::pooling_with_a_window_larger_than_that_of_pdp;
    return fit_pool(window, ceil, in[0]);
  }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  int8_tensor evaluate(std::span<const int8_tensor* const> in) const {
    const int8_tensor& x = *in[0];
    int8_tensor y{infer(std::array{x.shape})};
    for (std::int32_t c = 0; c < y.shape.c; ++c)
      for (std::int32_t oy = 0; oy < y.shape.h; ++oy)
        for (std::int32_t ox = 0; ox < y.shape.w; ++ox)
          y.at(c, oy, ox) = reduce(x, c, pool_span::at(vertical(window), x.shape.h, oy),
                                   pool_span::at(horizontal(window), x.shape.w, ox));
    return y;
  }

 private:
  constexpr std::int8_t reduce(const int8_tensor& x, std::int32_t c, pool_span rows,
                               pool_span columns) const {
    std::int64_t sum = 0, top = -128;
    for (std::int32_t row = rows.begin; row < rows.end; ++row)
      for (std::int32_t column = columns.begin; column < columns.end; ++column) {
        const std::int64_t v = x.at(c, row, column);
        sum += v;
        top = std::max(top, v);
      }
    if (kind == pool_kind::maximum) return static_cast<std::int8_t>(top);
    const auto counted = [&](pool_span s) {
      return count_include_pad ? s.padded : s.end - s.begin;
    };
    const std::int64_t by_columns = round_shift(sum * (65536 / counted(columns)), 16);
    return static_cast<std::int8_t>(round_shift(by_columns * (65536 / counted(rows)), 16));
  }
};
static_assert(operation<pool>);

}  // namespace nvdlac::net::integer
