// SPDX-License-Identifier: Apache-2.0
#pragma once
// CMAC's sum of fp16 products and CACC's accumulator, as the hardware has them (nvdla/hw, branch
// nvdlav1: cmod/cmac/NV_NVDLA_cmac.h and cmod/cacc/NV_NVDLA_cacc.cpp).
//
// A pass multiplies at most 64 pairs. Each product is an integer at the place of the largest
// exponent of the pass, in steps of 4; it is cut there as a sum and a carry, each by itself, so
// that it may be one off the exact product rounded down.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <nvdlac/arithmetic/float_format.hpp>

namespace nvdlac::arithmetic {

// An operand as the multiplier takes it: (-1)^negative * significand * 2^(4 * exponent - 25). The
// low bits of the fp16's exponent are in the significand (14 bits). An infinity is 2^16.
struct fp16_operand {
  bool negative = false;
  int exponent = 0;
  std::uint32_t significand = 0;  // 0: the pair is left out

  constexpr fp16_operand() = default;
  constexpr explicit fp16_operand(std::uint16_t bits) {
    const fp16 x{bits};
    negative = x.sign() != 0;
    exponent = x.exponent() >> 2;
    significand = x.exponent() == 0 ? x.fraction() << 1
                                    : (x.fraction() | fp16::hidden) << (x.exponent() & 3);
  }
};

// A number as the sum of two.
struct carry_save {
  std::uint32_t sum = 0, carry = 0;

  constexpr carry_save plus(std::uint32_t x) const {
    const auto majority = (sum & carry) | (carry & x) | (sum & x);
    return {sum ^ carry ^ x, majority << 1};
  }
};

// All partial products have 2^16 added, so that they are positive; together:
inline constexpr std::uint32_t booth_bias = 0x55550000;

// The product of two significands, cut by 2^shift (a multiple of 4): eight Booth digits of the
// weight, each 0, +-1 or +-2 times the data; a negative one is inverted and a 1 added beside the
// next digit.
constexpr std::int32_t truncated_product(std::uint32_t data, std::uint32_t weight, bool negative,
                                         int shift) {
  if (shift >= 32) return 0;
  std::uint32_t partial[8], one[8];
  const auto codes = negative ? ~(weight << 1) : weight << 1;
  for (int i = 0; i < 8; ++i) {
    const auto code = codes >> (2 * i) & 7;
    const auto x = code == 0 || code == 7 ? 0 : code == 3 || code == 4 ? data << 1 : data;
    one[i] = code >= 4 && code <= 6;
    partial[i] = (one[i] != 0 ? ~x & 0xffff : x | 0x10000) << (2 * i);
    one[i] <<= 2 * i;
  }
  const auto low = carry_save{partial[0], partial[1] | one[0]}.plus(partial[2] | one[1])
                       .plus(partial[3] | one[2]).plus(one[3]);
  const auto high = carry_save{partial[4], partial[5] | one[4]}.plus(partial[6] | one[5])
                        .plus(partial[7] | one[6]).plus(one[7]);
  const auto all = low.plus(high.sum).plus(high.carry);
  return static_cast<std::int32_t>((all.sum >> shift) + (all.carry >> shift) -
                                   (booth_bias >> shift));
}

// The result of a pass: mantissa * 2^(exponent - 50), or the fp16 NaN that it met.
struct fp16_pass {
  int exponent = 0;
  std::int64_t mantissa = 0;  // 38 bits
  std::uint16_t nan = 0;
};

// The first NaN of the weights or, if there is none, of the data. Zeros on the other side do not
// hide it.
constexpr std::uint16_t first_nan(std::span<const std::uint16_t> values) {
  for (const auto v : values)
    if (fp16{v}.is_nan()) return v;
  return 0;
}

// The products of a pass, each at the place of `exponent`.
struct fp16_products {
  int exponent = 0;  // a multiple of 4
  std::int32_t values[64]{};

  constexpr fp16_products(std::span<const std::uint16_t> data,
                          std::span<const std::uint16_t> weights) {
    for (std::size_t i = 0; i < data.size(); ++i) {
      const fp16_operand d(data[i]), w(weights[i]);
      if (d.significand == 0 || w.significand == 0) continue;
      exponent = std::max(exponent, 4 * (d.exponent + w.exponent));
    }
    for (std::size_t i = 0; i < data.size(); ++i) {
      const fp16_operand d(data[i]), w(weights[i]);
      if (d.significand == 0 || w.significand == 0) continue;
      values[i] = truncated_product(d.significand, w.significand, d.negative != w.negative,
                                    exponent - 4 * (d.exponent + w.exponent));
    }
  }
};

// The pass over equally many data and weights, at most 64.
constexpr fp16_pass sum_of_products(std::span<const std::uint16_t> data,
                                    std::span<const std::uint16_t> weights) {
  fp16_pass pass;
  pass.nan = first_nan(weights);
  if (pass.nan == 0) pass.nan = first_nan(data);
  if (pass.nan != 0) return pass;
  const fp16_products products(data, weights);
  pass.exponent = products.exponent;
  for (const auto p : products.values) pass.mantissa += p;
  return pass;
}

// CACC's accumulator: mantissa * 2^(exponent - 101), the mantissa in 40 bits.
class fp16_accumulator {
 public:
  constexpr void add(const fp16_pass& pass) {
    if (nan_ != 0) return;
    if (pass.nan != 0) nan_ = pass.nan;
    else if (pass.mantissa != 0) add(pass.mantissa, pass.exponent);
  }

  constexpr std::int64_t mantissa() const { return mantissa_; }
  constexpr int exponent() const { return exponent_; }

  // Rounded half away from zero. A NaN has its fraction in the low bits.
  constexpr fp32 result() const {
    if (nan_ != 0) return convert<fp32>(fp16{nan_});
    if (mantissa_ == 0) return {};
    const auto sign = mantissa_ < 0 ? fp32::sign_bit : 0u;
    const auto m = static_cast<std::uint64_t>(mantissa_ < 0 ? -mantissa_ : mantissa_);
    const int top = floating::top_bit(m);  // 38, or 39 for the least number
    const auto rounded = ((m >> (top - 24)) + 1) >> 1;
    const int exponent = exponent_ + 63 + top - 38;  // the hidden one adds 1
    return {sign | ((static_cast<std::uint32_t>(exponent) << 23) +
                    static_cast<std::uint32_t>(rounded))};
  }

 private:
  static constexpr int width = 40;

  constexpr void add(std::int64_t mantissa, int exponent) {
    const int free = free_bits(mantissa, 38);
    std::int64_t x = mantissa_, y = mantissa * (std::int64_t{4} << free);
    int ex = mantissa_ == 0 ? 0 : exponent_, ey = exponent - free + 49;
    if (ex < ey) {
      std::swap(x, y);
      std::swap(ex, ey);
    }
    const int distance = ex - ey;
    std::uint64_t out = 0;  // what the shift loses, from bit 39 down
    if (distance > width) y = 0;
    else out = (static_cast<std::uint64_t>(y) << (width - distance)) & low(width);
    y >>= distance > width ? width : distance;
    auto sum = x + y;
    bool up = false;
    if (free_bits(sum, width + 1) == 0) {  // does not fit
      const bool guard = (sum & 1) != 0;
      sum >>= 1;
      ++ex;
      up = guard && (sum >= 0 || out != 0);
    } else {
      const int n = free_bits(sum, width);
      sum = sum * (std::int64_t{1} << n) + static_cast<std::int64_t>(out >> (width - n));
      out = out << n & low(width);
      ex -= n;
      up = out >> (width - 1) != 0 && (sum >= 0 || (out & low(width - 1)) != 0);
    }
    sum += up;
    if (free_bits(sum, width + 1) == 0) {
      sum >>= 1;
      ++ex;
    }
    mantissa_ = sum;
    exponent_ = sum == 0 ? 0 : ex;
  }

  static constexpr std::uint64_t low(int bits) { return (std::uint64_t{1} << bits) - 1; }
  // How far a number of so many bits can be shifted to the left.
  static constexpr int free_bits(std::int64_t x, int bits) {
    const auto changes = static_cast<std::uint64_t>(x ^ (x >> 63));
    return bits - 2 - (changes == 0 ? -1 : floating::top_bit(changes));
  }

  int exponent_ = 0;
  std::int64_t mantissa_ = 0;
  std::uint16_t nan_ = 0;
};

}  // namespace nvdlac::arithmetic

#if defined(__x86_64__) && defined(__GNUC__)

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
template <int Digit>
[[gnu::target("avx2"), gnu::always_inline]] inline lanes partial(lanes data, lanes codes) {
  using halves [[gnu::vector_size(32)]] = short;
  signed_lanes digits;
  std::memcpy(&digits, booth_digits.data(), sizeof digits);
  const auto digit = __builtin_ia32_permvarsi256(digits, signed_lanes(codes >> (2 * Digit)));
  return (lanes(__builtin_ia32_pmaddwd256(halves(data), halves(digit))) + 0x10000) << (2 * Digit);
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
