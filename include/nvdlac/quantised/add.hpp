// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/elementwise.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quantised {

// y = saturate<8>(out(relu(saturate<32>(a * multiplier + (b << operand_shift))))), inputs a, b; in
// int16 saturate<16>; in fp16 relu(a * multiplier + b), the multiplier being bits of fp16.
struct add {
  static constexpr net::arity inputs{2, 2};

  std::int16_t multiplier = 1;
  std::uint8_t operand_shift = 0;  // 0..24
  bool relu = false;
  converter out{};
  static constexpr void fields(auto&& field) {
    field("multiplier", &add::multiplier);
    field("operand_shift", &add::operand_shift);
    field("relu", &add::relu);
    field("out", &add::out);
  }

  template <class T>
  constexpr T finish(T a, T b) const {
    if constexpr (is_real<T>)
      return written(
          arithmetic::add(arithmetic::mul(widened(a), widened(multiplier)), widened(b)), relu);
    else
      return written<T>(
          saturate<32>(std::int64_t{a} * multiplier + (std::int64_t{b} << operand_shift)), relu,
          out);
  }

  constexpr net::fitting fit(std::span<const net::shape> in) const {
    if (operand_shift > 24) return {net::rule::shift_above_its_range, "operand shift", {24}};
    return fit_operand(in);
  }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  template <class T>
  net::tensor<T> evaluate(std::span<const net::tensor<T>* const> in) const {
    return combined(infer(shapes_of(in)), *in[0], *in[1], [&](T a, T b) { return finish(a, b); });
  }
};
static_assert(net::operation<add>);

}  // namespace nvdlac::quantised
