// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators of two tensors of one shape, which SDP computes element by element.
#include <algorithm>
#include <cstdint>
#include <span>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/net/elementwise.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/numbers.hpp>
#include <nvdlac/quantised/pointwise.hpp>

namespace nvdlac::quantised {

// SDP takes its second input as operands of X1 or X2: one for each element of the first input, or
// one for each of its channels.
constexpr net::fitting fit_operand(std::span<const net::shape> in) {
  const net::fitting found = fit_elementwise(in);
  if (found.ok() && found.shape != in[0])
    return {net::rule::inputs_of_different_shapes,
            {in[0].c, in[0].h, in[0].w, in[1].c, in[1].h, in[1].w}};
  return found;
}

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

// y = saturate<8>(out(relu(a * b))), inputs a, b; in int16 saturate<16>, in fp16 relu(a * b).
struct multiply {
  static constexpr net::arity inputs{2, 2};

  bool relu = false;
  converter out{};
  static constexpr void fields(auto&& field) {
    field("relu", &multiply::relu);
    field("out", &multiply::out);
  }

  template <class T>
  constexpr T finish(T a, T b) const {
    if constexpr (is_real<T>) return written(arithmetic::mul(widened(a), widened(b)), relu);
    else return written<T>(std::int64_t{a} * b, relu, out);
  }

  constexpr net::fitting fit(std::span<const net::shape> in) const { return fit_operand(in); }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  template <class T>
  net::tensor<T> evaluate(std::span<const net::tensor<T>* const> in) const {
    return combined(infer(shapes_of(in)), *in[0], *in[1], [&](T a, T b) { return finish(a, b); });
  }
};
static_assert(net::operation<multiply>);

// y = saturate<8>(out(relu(max(a * multiplier, b << operand_shift)))), inputs a, b; or min.
// In int16 saturate<16>; in fp16 relu(max(a * multiplier, b)), the multiplier being bits of fp16.
struct extremum {
  static constexpr net::arity inputs{2, 2};

  net::extremum_kind kind = net::extremum_kind::maximum;
  std::int16_t multiplier = 1;
  std::uint8_t operand_shift = 0;  // 0..24
  bool relu = false;
  converter out{};
  static constexpr void fields(auto&& field) {
    field("kind", &extremum::kind);
    field("multiplier", &extremum::multiplier);
    field("operand_shift", &extremum::operand_shift);
    field("relu", &extremum::relu);
    field("out", &extremum::out);
  }

  template <class T>
  constexpr T finish(T a, T b) const {
    if constexpr (is_real<T>) {
      const auto scaled = arithmetic::mul(widened(a), widened(multiplier));
      return written(kind == net::extremum_kind::maximum ? arithmetic::max(scaled, widened(b))
                                                         : arithmetic::min(scaled, widened(b)),
                     relu);
    } else {
      return finish_whole(a, b);
    }
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

 private:
  template <class T>
  constexpr T finish_whole(T a, T b) const {
    const std::int64_t x = std::int64_t{a} * multiplier;
    const auto o = saturate<32>(std::int64_t{b} << operand_shift);
    const std::int64_t y = kind == net::extremum_kind::maximum ? std::max(x, o) : std::min(x, o);
    return written<T>(y, relu, out);
  }
};
static_assert(net::operation<extremum>);

// y = saturate<8>(out(sloped(a * multiplier, b, shift))), inputs a, b; in int16 saturate<16>. In
// fp16 the multiplier is bits of fp16, and nothing is shifted.
struct elementwise_prelu {
  static constexpr net::arity inputs{2, 2};

  std::int16_t multiplier = 1;
  std::uint8_t shift = 0;  // 0..63
  converter out{};
  static constexpr void fields(auto&& field) {
    field("multiplier", &elementwise_prelu::multiplier);
    field("shift", &elementwise_prelu::shift);
    field("out", &elementwise_prelu::out);
  }

  template <class T>
  constexpr T finish(T a, T b) const {
    if constexpr (is_real<T>) {
      const auto x = arithmetic::mul(widened(a), widened(multiplier));
      return written(x.sign() == 0 ? x : arithmetic::mul(x, widened(b)), false);
    } else {
      return written<T>(sloped(std::int64_t{a} * multiplier, b, shift), false, out);
    }
  }

  constexpr net::fitting fit(std::span<const net::shape> in) const {
    if (shift > 63) return {net::rule::shift_above_its_range, "shift", {63}};
    return fit_operand(in);
  }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  template <class T>
  net::tensor<T> evaluate(std::span<const net::tensor<T>* const> in) const {
    return combined(infer(shapes_of(in)), *in[0], *in[1], [&](T a, T b) { return finish(a, b); });
  }
};
static_assert(net::operation<elementwise_prelu>);

using elementwise_operators = type_list<add, multiply, extremum, elementwise_prelu>;

}  // namespace nvdlac::quantised
