// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>

#include <nvdlac/arithmetic/fp16_mac.hpp>

#if defined(__x86_64__) && defined(__GNUC__)
#include <array>
#include <cstring>

// The sum of a pass in AVX2, eight pairs side by side, in the vectors and builtins of g++ and
// clang: <immintrin.h> would cost the compiler more than all of arithmetic/.
namespace nvdlac::arithmetic::avx2 {

inline constexpr std::size_t lane_count = 8;
using lanes [[gnu::vector_size(32)]] = std::uint32_t;
using signed_lanes [[gnu::vector_size(32)]] = std::int32_t;

[[gnu::target("avx2"), gnu::always_inline]] inline lanes shifted(lanes x, lanes by) {
  return lanes(__builtin_ia32_psrlv8si(signed_lanes(x), signed_lanes(by)));  // 0 from 32 on
}

// At most eight fp16 numbers; zeros beyond them.
[[gnu::target("avx2"), gnu::always_inline]] inline lanes loaded(
    std::span<const std::uint16_t> bits) {
  using halves [[gnu::vector_size(16)]] = std::uint16_t;
  halves x{};
  if (bits.size() >= lane_count) std::memcpy(&x, bits.data(), sizeof x);
  else std::memcpy(&x, bits.data(), bits.size_bytes());
  return __builtin_convertvector(x, lanes);
}

[[gnu::target("avx2"), gnu::always_inline]] inline bool any(lanes x) {
  using words [[gnu::vector_size(32)]] = long long;
  return __builtin_ia32_ptestz256(words(x), words(x)) == 0;
}

// fp16_operand of eight numbers, with four times the exponent. A zero's is so low that its product
// is shifted out.
struct operands {
  lanes significands, exponents;
};
inline constexpr int exponent_of_zero = -64;

[[gnu::target("avx2"), gnu::always_inline]] inline operands decoded(lanes bits) {
  const lanes exponents = bits >> 10 & 31;
  const lanes denormal = lanes(exponents == 0);  // -1 where it is
  const lanes significands = ((bits & 0x3ff) | (~denormal & 0x400)) << ((exponents & 3) - denormal);
  return {significands, (exponents & 28) | (lanes(significands == 0) &
                                            static_cast<std::uint32_t>(exponent_of_zero))};
}

struct carry_save {
  lanes sum, carry;
};

[[gnu::target("avx2"), gnu::always_inline]] inline carry_save plus(const carry_save& a, lanes x) {
  const lanes half = a.sum ^ a.carry, majority = (a.sum & a.carry) | (half & x);
  return {half ^ x, majority + majority};
}

// The digit of each Booth code, with -1 beside it in the high half where it is negative.
alignas(32) inline constexpr std::array<std::uint32_t, 8> booth_digits{
    0, 1, 1, 2, 0xffff'fffe, 0xffff'ffff, 0xffff'ffff, 0};

// The partial product I. `data` has a 1 in the high half.
template <int I>
[[gnu::target("avx2"), gnu::always_inline]] inline lanes partial(lanes data, lanes codes) {
  using halves [[gnu::vector_size(32)]] = short;
  signed_lanes digits;
  std::memcpy(&digits, booth_digits.data(), sizeof digits);
  const auto digit = __builtin_ia32_permvarsi256(digits, signed_lanes(codes >> (2 * I)));
  return (lanes(__builtin_ia32_pmaddwd256(halves(data), halves(digit))) + 0x10000) << (2 * I);
}

// truncated_product of eight pairs; codes: the weights' Booth codes, inverted where the product is
// negative.
[[gnu::target("avx2"), gnu::always_inline]] inline lanes truncated_products(lanes data, lanes codes,
                                                                            lanes shifts) {
  const lanes ones = codes >> 2 & ~(codes & codes >> 1);  // bit 2i: digit i is negative
  const lanes x = data | 0x10000;
  carry_save low{partial<0>(x, codes), partial<1>(x, codes) | (ones & 1)};
  low = plus(low, partial<2>(x, codes) | (ones & 4));
  low = plus(low, partial<3>(x, codes) | (ones & 0x10));
  low = plus(low, ones & 0x40);
  carry_save high{partial<4>(x, codes), partial<5>(x, codes) | (ones & 0x100)};
  high = plus(high, partial<6>(x, codes) | (ones & 0x400));
  high = plus(high, partial<7>(x, codes) | (ones & 0x1000));
  high = plus(high, ones & 0x4000);
  const auto all = plus(plus(low, high.sum), high.carry);
  return shifted(all.sum, shifts) + shifted(all.carry, shifts) -
         shifted(lanes{} + booth_bias, shifts);
}

// sum_of_products
[[gnu::target("avx2")]] inline fp16_pass sum_of_products(std::span<const std::uint16_t> data,
                                                         std::span<const std::uint16_t> weights) {
  struct {
    lanes data, codes, exponents;
  } pairs[64 / lane_count];
  signed_lanes top{};
  lanes nan{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < data.size(); i += lane_count, ++count) {
    const lanes d = loaded(data.subspan(i)), w = loaded(weights.subspan(i));
    nan |= lanes((d & 0x7fff) > 0x7c00) | lanes((w & 0x7fff) > 0x7c00);
    const auto x = decoded(d), y = decoded(w);
    const lanes negative = -((d ^ w) >> 15);
    pairs[count] = {x.significands, y.significands << 1 ^ negative, x.exponents + y.exponents};
    const auto exponents = signed_lanes(pairs[count].exponents);
    top = exponents > top ? exponents : top;
  }
  if (any(nan)) return arithmetic::sum_of_products(data, weights);
  fp16_pass pass;
  for (std::size_t i = 0; i < lane_count; ++i) pass.exponent = std::max(pass.exponent, top[i]);
  lanes sums{};  // of at most 8 products below 2^28
  for (std::size_t i = 0; i < count; ++i)
    sums += truncated_products(pairs[i].data, pairs[i].codes,
                               static_cast<std::uint32_t>(pass.exponent) - pairs[i].exponents);
  for (std::size_t i = 0; i < lane_count; ++i)
    pass.mantissa += static_cast<std::int32_t>(sums[i]);
  return pass;
}

}  // namespace nvdlac::arithmetic::avx2

#endif

namespace nvdlac::arithmetic {

// sum_of_products in the fastest way of this processor.
inline fp16_pass quick_sum_of_products(std::span<const std::uint16_t> data,
                                       std::span<const std::uint16_t> weights) {
#if defined(__x86_64__) && defined(__GNUC__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  if (has_avx2) return avx2::sum_of_products(data, weights);
#endif
  return sum_of_products(data, weights);
}

}  // namespace nvdlac::arithmetic
