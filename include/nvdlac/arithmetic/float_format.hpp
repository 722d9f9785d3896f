// SPDX-License-Identifier: Apache-2.0
#pragma once
// NVDLA's floating-point arithmetic, on bits: fp16, fp17 and fp32 of SDP, PDP and CDP (nvdla/hw,
// cmod/hls/include/nvdla_float.h). It differs from IEEE 754 in what follows.
// - No operation makes an infinity: what is too large becomes the largest finite value. An
//   infinity as operand is a number like others, of the exponent that its bits say.
// - Only fp16 has denormal numbers. In fp17 and fp32, and in every sum and product, exponent 0
//   has the hidden one too, unless the fraction is 0; results below the least normal are zeros.
// - A NaN keeps its sign and the low bits of its fraction through everything.
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <nvdlac/base/version.hpp>

namespace nvdlac::arithmetic {

template <int E, int M>
struct float_format {
  static constexpr int exponent_bits = E, fraction_bits = M;
  static constexpr int bias = (1 << (E - 1)) - 1, top_exponent = (1 << E) - 1;
  static constexpr std::uint32_t hidden = 1u << M, sign_bit = 1u << (E + M);
  static constexpr bool has_denormals = E == 5;

  std::uint32_t bits = 0;  // those above 1 + E + M are 0

  constexpr bool operator==(const float_format&) const = default;
  constexpr std::uint32_t sign() const { return bits & sign_bit; }
  constexpr std::uint32_t magnitude() const { return bits & (sign_bit - 1); }
  constexpr std::uint32_t fraction() const { return bits & (hidden - 1); }
  constexpr int exponent() const { return static_cast<int>(magnitude() >> M); }
  constexpr bool is_nan() const { return magnitude() > (std::uint32_t{top_exponent} << M); }
  constexpr bool is_infinite() const { return magnitude() == std::uint32_t{top_exponent} << M; }
  constexpr bool is_zero() const { return magnitude() == 0; }
  constexpr float_format operator-() const { return {bits ^ sign_bit}; }

  // The fraction under its hidden one, as sums and products take it.
  constexpr std::uint32_t significand() const { return is_zero() ? 0 : fraction() | hidden; }

  // From a sign (0 or sign_bit), an exponent field and a fraction.
  static constexpr float_format of(std::uint32_t sign, int exponent, std::uint32_t fraction) {
    return {sign | static_cast<std::uint32_t>(exponent) << M | fraction};
  }
  static constexpr float_format largest(std::uint32_t sign) {
    return of(sign, top_exponent - 1, hidden - 1);
  }
};

using fp16 = float_format<5, 10>;
using fp17 = float_format<6, 10>;
using fp32 = float_format<8, 23>;

namespace floating {

// The place of the leading one; m > 0.
constexpr int top_bit(std::uint64_t m) { return 63 - std::countl_zero(m); }

// m / 2^drop, rounded to nearest, ties to even; drop < 63.
constexpr std::uint64_t round_even(std::uint64_t m, int drop) {
  if (drop <= 0) return m << -drop;
  const auto kept = m >> drop, guard = m >> (drop - 1) & 1;
  const bool rest = (m & ((std::uint64_t{1} << (drop - 1)) - 1)) != 0;
  return kept + (guard & (rest || (kept & 1) != 0));
}

// The number m * 2^(exponent - bias - point), m's leading one at bit `point`, rounded to F. The
// hidden one of the rounded fraction adds 1 to the exponent field.
template <typename F>
constexpr F pack(std::uint32_t sign, int exponent, std::uint64_t m, int point) {
  const auto rounded = static_cast<std::uint32_t>(round_even(m, point - F::fraction_bits));
  if (rounded >> F::fraction_bits == 1) return F::of(sign, exponent, rounded - F::hidden);
  return exponent < F::top_exponent - 1 ? F::of(sign, exponent + 1, 0) : F::largest(sign);
}

template <typename F>
constexpr bool is_normal(F x) {
  return static_cast<unsigned>(x.exponent() - 1) < static_cast<unsigned>(F::top_exponent - 1);
}

template <int E, int M>
constexpr float_format<E, M> add_exact(float_format<E, M> a, float_format<E, M> b) {
  using F = float_format<E, M>;
  if (a.is_nan()) return a;
  if (b.is_nan()) return b;
  if (a.magnitude() < b.magnitude()) std::swap(a, b);
  // Two bits more than the fraction below the larger operand: the result is exact, or what is
  // lost cannot change its rounding.
  constexpr int extra = M + 2, point = M + extra;
  const int distance = a.exponent() - b.exponent();
  const auto large = std::uint64_t{a.significand()} << extra;
  const auto small = distance > point ? 0 : (std::uint64_t{b.significand()} << extra) >> distance;
  const auto sum = a.sign() == b.sign() ? large + small : large - small;
  if (sum == 0) return {a.sign()};
  const int top = top_bit(sum), exponent = a.exponent() + top - point;
  if (exponent <= 0) return {a.sign()};
  if (top > point && exponent >= F::top_exponent) return F::largest(a.sign());
  return pack<F>(a.sign(), exponent, sum, top);
}

template <int E, int M>
constexpr float_format<E, M> mul_exact(float_format<E, M> a, float_format<E, M> b) {
  using F = float_format<E, M>;
  if (a.is_nan()) return a;
  if (b.is_nan()) return b;
  const auto sign = a.sign() ^ b.sign();
  const auto product = std::uint64_t{a.significand()} * b.significand();
  int exponent = a.exponent() + b.exponent() - F::bias;
  if (product == 0 || exponent < 0) return {sign};
  if (exponent >= F::top_exponent) return F::largest(sign);
  const int top = top_bit(product);
  exponent += top - 2 * M;
  if (exponent >= F::top_exponent) return F::largest(sign);
  const auto rounded = pack<F>(sign, exponent, product, top);
  return rounded.exponent() == 0 ? F{sign} : rounded;
}

// A quick way for normal fp32 operands: the sum or product of doubles is exact enough that only the
// rounding to float shows. (Never in float: a compiler may fuse float operations.) The result holds
// where it is finite and above the least exponent, into which IEEE 754 rounds denormal numbers.
inline fp32 of_double(double x) { return {std::bit_cast<std::uint32_t>(static_cast<float>(x))}; }
constexpr bool holds(fp32 x) {
  return static_cast<unsigned>(x.exponent() - 2) < static_cast<unsigned>(fp32::top_exponent - 2);
}
inline double to_double(fp32 x) { return std::bit_cast<float>(x.bits); }

}  // namespace floating

template <int E, int M>
constexpr float_format<E, M> add(float_format<E, M> a, float_format<E, M> b) {
  if constexpr (E == 8)
    if (!std::is_constant_evaluated() && floating::is_normal(a) && floating::is_normal(b)) {
      const auto sum = floating::of_double(floating::to_double(a) + floating::to_double(b));
      if (floating::holds(sum)) return sum;
    }
  return floating::add_exact(a, b);
}

template <int E, int M>
constexpr float_format<E, M> sub(float_format<E, M> a, float_format<E, M> b) {
  return add(a, -b);
}

template <int E, int M>
constexpr float_format<E, M> mul(float_format<E, M> a, float_format<E, M> b) {
  if constexpr (E == 8)
    if (!std::is_constant_evaluated() && floating::is_normal(a) && floating::is_normal(b)) {
      const auto product = floating::of_double(floating::to_double(a) * floating::to_double(b));
      if (floating::holds(product)) return product;
    }
  return floating::mul_exact(a, b);
}

namespace floating {
// By sign and magnitude: -0 is below +0.
template <typename F>
constexpr std::int64_t order(F x) {
  return x.sign() != 0 ? -std::int64_t{x.magnitude()} - 1 : std::int64_t{x.magnitude()};
}
}  // namespace floating

template <int E, int M>
constexpr float_format<E, M> max(float_format<E, M> a, float_format<E, M> b) {
  if (a.is_nan() || b.is_nan()) return a.is_nan() ? a : b;
  return floating::order(a) > floating::order(b) ? a : b;
}

template <int E, int M>
constexpr float_format<E, M> min(float_format<E, M> a, float_format<E, M> b) {
  if (a.is_nan() || b.is_nan()) return a.is_nan() ? a : b;
  return floating::order(a) > floating::order(b) ? b : a;
}

template <int E, int M>
constexpr float_format<E, M> relu(float_format<E, M> x) {
  return x.sign() != 0 && !x.is_nan() ? float_format<E, M>{} : x;
}

namespace floating {

template <typename To, typename From>
constexpr To widen(std::uint32_t sign, From x) {
  constexpr int shift = To::fraction_bits - From::fraction_bits, delta = To::bias - From::bias;
  if (x.is_zero()) return {sign};
  if (x.is_infinite()) return To::largest(sign);
  if (From::has_denormals && x.exponent() == 0) {
    const int zeros = From::fraction_bits - 1 - top_bit(x.fraction());
    const auto leading = x.fraction() << (zeros + 1);
    return To::of(sign, delta - zeros, (leading - From::hidden) << shift);
  }
  return To::of(sign, x.exponent() + delta, x.fraction() << shift);
}

template <typename To, typename From>
constexpr To narrow(std::uint32_t sign, From x) {
  constexpr int shift = From::fraction_bits - To::fraction_bits, delta = From::bias - To::bias;
  const int exponent = x.exponent() - delta;
  if (exponent >= To::top_exponent) return To::largest(sign);
  if (exponent > 0)
    return pack<To>(sign, exponent, x.fraction() | From::hidden, From::fraction_bits);
  if (exponent < -To::fraction_bits) return {sign};
  // At the place of a denormal number, even where it is then no result.
  const auto m = round_even(x.fraction() | From::hidden, shift + 1 - exponent);
  return {m < To::hidden && !To::has_denormals ? sign : sign | static_cast<std::uint32_t>(m)};
}

}  // namespace floating

// To the wider formats exact, to the narrower ones rounded to nearest even.
template <typename To, int E, int M>
constexpr To convert(float_format<E, M> x) {
  if constexpr (std::is_same_v<To, float_format<E, M>>) {
    return x;
  } else {
    const auto sign = x.sign() != 0 ? To::sign_bit : 0u;
    if (x.is_nan()) return To::of(sign, To::top_exponent, x.fraction() & (To::hidden - 1));
    if constexpr (To::exponent_bits > E) return floating::widen<To>(sign, x);
    else return floating::narrow<To>(sign, x);
  }
}

// Rounded half away from zero and saturated to a signed number of `Bits`; a NaN is the least.
template <int Bits, int E, int M>
constexpr std::int32_t to_integer(float_format<E, M> x) {
  constexpr std::int64_t top = (std::int64_t{1} << (Bits - 1)) - 1;
  if (x.is_nan()) return static_cast<std::int32_t>(-top - 1);
  const int power = x.exponent() - float_format<E, M>::bias;
  if (power < -1) return 0;
  if (power >= Bits) return static_cast<std::int32_t>(x.sign() != 0 ? -top - 1 : top);
  const auto doubled = (std::uint64_t{x.significand()} << (power + 1)) >> M;  // keeps the half
  const auto rounded = static_cast<std::int64_t>((doubled + 1) >> 1);
  if (rounded > top) return static_cast<std::int32_t>(x.sign() != 0 ? -top - 1 : top);
  return static_cast<std::int32_t>(x.sign() != 0 ? -rounded : rounded);
}

// Rounded to nearest even.
template <typename F>
constexpr F from_integer(std::int64_t x) {
  if (x == 0) return {};
  const auto sign = x < 0 ? F::sign_bit : 0u;
  const auto m = x < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(x)
                       : static_cast<std::uint64_t>(x);
  const int top = floating::top_bit(m), exponent = F::bias + top;
  if (exponent >= F::top_exponent) return F::largest(sign);
  return floating::pack<F>(sign, exponent, m, top);
}

// x / 2^Width for x < 2^Width, rounded to nearest even; below the least normal number it is 0.
template <typename F, int Width>
constexpr F from_fraction(std::uint64_t x) {
  if (x == 0) return {};
  const int top = floating::top_bit(x), exponent = F::bias + top - Width;
  if (exponent < 0) return {};
  const auto rounded = floating::pack<F>(0, exponent, x, top);
  return rounded.exponent() == 0 ? F{} : rounded;
}

}  // namespace nvdlac::arithmetic
