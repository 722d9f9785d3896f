// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/sim/kernels/fp16_lanes.hpp>

namespace nvdlac::sim {

// For any machine.
namespace fp16_portable {

inline void top_exponents(fp16_way::pairs data, const fp16_weights* weights, std::uint8_t* tops) {
  std::fill_n(tops, fp16_lane_count, least_exponent);
  for (const auto& d : data)
    for (std::size_t k = 0; k < fp16_lane_count; ++k)
      tops[k] = std::max(tops[k], static_cast<std::uint8_t>(weights[d.index].exponents[k] +
                                                            d.exponent));
}

inline void sum(fp16_way::pairs data, const fp16_weights* weights, const std::uint8_t* tops,
                std::int32_t* sums) {
  std::fill_n(sums, fp16_lane_count, 0);
  for (const auto& d : data) {
    const std::uint32_t x = d.significand;
    const std::uint32_t digit[8]{0x10000,         0x10000 | x, 0x10000 | x, 0x10000 | x << 1,
                                 0xffff ^ x << 1, 0xffff ^ x,  0xffff ^ x,  0x10000};
    const auto& w = weights[d.index];
    for (std::size_t k = 0; k < fp16_lane_count; ++k) {
      const int shift = tops[k] - w.exponents[k] - d.exponent;
      if (shift >= 32) continue;
      const auto c = static_cast<std::uint32_t>(w.codes[k] ^ d.sign);
      const auto one = (c >> 2) & ~(c & (c >> 1));
      const auto partial = [&](int i) { return digit[c >> (2 * i) & 7] << (2 * i); };
      const auto low = carry_save{partial(0), partial(1) | (one & 1)}
                           .plus(partial(2) | (one & 4)).plus(partial(3) | (one & 0x10))
                           .plus(one & 0x40);
      const auto high = carry_save{partial(4), partial(5) | (one & 0x100)}
                            .plus(partial(6) | (one & 0x400)).plus(partial(7) | (one & 0x1000))
                            .plus(one & 0x4000);
      const auto all = low.plus(high.sum).plus(high.carry);
      sums[k] += static_cast<std::int32_t>((all.sum >> shift) + (all.carry >> shift) -
                                           (booth_bias >> shift));
    }
  }
}

inline void accumulate(fp16_way::pairs data, const fp16_weights* weights, double* accumulators) {
  std::uint8_t tops[fp16_lane_count];
  top_exponents(data, weights, tops);
  std::int64_t sums[fp16_lane_count]{};
  for (std::size_t i = 0; i < data.size(); i += fp16_narrow_sum) {
    std::int32_t part[fp16_lane_count];
    sum(data.subspan(i, std::min(fp16_narrow_sum, data.size() - i)), weights, tops, part);
    for (std::size_t k = 0; k < fp16_lane_count; ++k) sums[k] += part[k];
  }
  for (std::size_t k = 0; k < fp16_lane_count; ++k)
    accumulators[k] = fp16_accumulated(accumulators[k],
                                       fp16_pass_value(sums[k], tops[k] - least_exponent));
}

inline constexpr fp16_way way{accumulate, top_exponents, sum};

}  // namespace fp16_portable

}  // namespace nvdlac::sim

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

// The pass of fp16_lanes.hpp in AVX2. The Booth digits of 8 weights pick their partial products
// from a register that holds those of the data element.
namespace nvdlac::sim::fp16_avx2 {

// The value of each Booth code, and what its partial product has besides: the bias, and -1 where
// the digit is negative.
alignas(32) inline constexpr std::int32_t booth_digits[8]{0, 1, 1, 2, 0xfffe, 0xffff, 0xffff, 0};
alignas(32) inline constexpr std::int32_t booth_offsets[8]{0x10000, 0x10000, 0x10000, 0x10000,
                                                           0xffff,  0xffff,  0xffff,  0x10000};

// The largest exponent of each lane.
[[gnu::target("avx2"), gnu::always_inline]] inline __m128i tops_of(fp16_way::pairs data,
                                                                    const fp16_weights* weights) {
  __m128i top = _mm_set1_epi8(least_exponent);
  for (const auto& d : data) {
    const auto e = _mm_load_si128(
        reinterpret_cast<const __m128i*>(weights[d.index].exponents));
    top = _mm_max_epu8(top, _mm_add_epi8(e, _mm_set1_epi8(static_cast<char>(d.exponent))));
  }
  return top;
}

struct carry_save {
  __m256i sum, carry;
};

[[gnu::target("avx2"), gnu::always_inline]] inline void plus(carry_save& a, __m256i x) {
  const auto half = _mm256_xor_si256(a.sum, a.carry);
  const auto majority = _mm256_or_si256(_mm256_and_si256(a.sum, a.carry),
                                        _mm256_and_si256(half, x));
  a.sum = _mm256_xor_si256(half, x);
  a.carry = _mm256_add_epi32(majority, majority);
}

[[gnu::target("avx2"), gnu::always_inline]] inline __m256i masked(__m256i x, int bits) {
  return _mm256_and_si256(x, _mm256_set1_epi32(bits));
}

template <int Digit>
[[gnu::target("avx2"), gnu::always_inline]] inline __m256i partial(__m256i digits, __m256i codes) {
  const auto picked = _mm256_permutevar8x32_epi32(digits, _mm256_srli_epi32(codes, 2 * Digit));
  return _mm256_slli_epi32(picked, 2 * Digit);
}

template <int Digit>
[[gnu::target("avx2"), gnu::always_inline]] inline __m256i partial(__m256i digits, __m256i codes,
                                                                   __m256i ones) {
  return _mm256_or_si256(partial<Digit>(digits, codes), masked(ones, 1 << (2 * Digit - 2)));
}

// The products of one data element with 8 weights.
[[gnu::target("avx2"), gnu::always_inline]] inline __m256i products(
    const fp16_datum& d, const std::int16_t* weights, __m256i shift) {
  const auto x = _mm256_set1_epi32(std::bit_cast<std::int32_t>(
      static_cast<std::uint32_t>(d.significand) | static_cast<std::uint32_t>(d.sign) << 16));
  const auto digits = _mm256_add_epi32(
      _mm256_madd_epi16(x, _mm256_load_si256(reinterpret_cast<const __m256i*>(booth_digits))),
      _mm256_load_si256(reinterpret_cast<const __m256i*>(booth_offsets)));
  const auto codes = _mm256_xor_si256(
      _mm256_cvtepi16_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(weights))),
      _mm256_srai_epi32(x, 16));
  const auto ones = _mm256_andnot_si256(
      _mm256_and_si256(codes, _mm256_srli_epi32(codes, 1)), _mm256_srli_epi32(codes, 2));
  carry_save low{partial<0>(digits, codes), partial<1>(digits, codes, ones)};
  plus(low, partial<2>(digits, codes, ones));
  plus(low, partial<3>(digits, codes, ones));
  plus(low, masked(ones, 0x40));
  carry_save high{partial<4>(digits, codes), partial<5>(digits, codes, ones)};
  plus(high, partial<6>(digits, codes, ones));
  plus(high, partial<7>(digits, codes, ones));
  plus(high, masked(ones, 0x4000));
  plus(low, high.sum);
  plus(low, high.carry);
  const auto cut = _mm256_add_epi32(_mm256_srlv_epi32(low.sum, shift),
                                    _mm256_srlv_epi32(low.carry, shift));
  return _mm256_sub_epi32(
      cut, _mm256_srlv_epi32(_mm256_set1_epi32(static_cast<int>(booth_bias)), shift));
}

// fp16_accumulated for 4 lanes.
[[gnu::target("avx2"), gnu::always_inline]] inline void add_pass(double* accumulators,
                                                                        __m256i mantissa,
                                                                        __m128i exponents) {
  // An integer below 2^51 in the low bits of 1.5 * 2^52.
  const auto magic = _mm256_set1_pd(0x1.8p52);
  const auto value = _mm256_sub_pd(
      _mm256_castsi256_pd(_mm256_add_epi64(mantissa, _mm256_castpd_si256(magic))), magic);
  const auto scale = _mm256_slli_epi64(
      _mm256_add_epi64(_mm256_cvtepu8_epi64(exponents),
                       _mm256_set1_epi64x(1023 - 50 - least_exponent)), 52);
  const auto a = _mm256_loadu_pd(accumulators);
  const auto b = _mm256_mul_pd(value, _mm256_castsi256_pd(scale));
  const auto sum = _mm256_add_pd(a, b), part = _mm256_sub_pd(sum, a);
  const auto lost = _mm256_add_pd(_mm256_sub_pd(a, _mm256_sub_pd(sum, part)),
                                  _mm256_sub_pd(b, part));
  const auto against = _mm256_srli_epi64(
      _mm256_castpd_si256(_mm256_and_pd(
          _mm256_xor_pd(lost, sum), _mm256_cmp_pd(lost, _mm256_setzero_pd(), _CMP_NEQ_OQ))), 63);
  const auto bits = _mm256_sub_epi64(_mm256_castpd_si256(sum), against);
  const auto rounded = _mm256_andnot_si256(
      _mm256_set1_epi64x(0x3fff), _mm256_add_epi64(bits, _mm256_set1_epi64x(0x2000)));
  _mm256_storeu_pd(accumulators, _mm256_castsi256_pd(rounded));
}

// The sums of data [i, end) in 8 lanes, from `first`.
[[gnu::target("avx2"), gnu::always_inline]] inline __m256i sum_of(
    fp16_way::pairs data, std::size_t i, std::size_t end, const fp16_weights* weights,
    std::size_t first, __m128i tops) {
  auto sum = _mm256_setzero_si256();
  for (; i < end; ++i) {
    const auto& d = data[i];
    const auto& w = weights[d.index];
    const auto exponents = _mm_add_epi8(
        _mm_loadl_epi64(reinterpret_cast<const __m128i*>(w.exponents + first)),
        _mm_set1_epi8(static_cast<char>(d.exponent)));
    const auto shift = _mm256_cvtepu8_epi32(_mm_sub_epi8(tops, exponents));
    sum = _mm256_add_epi32(sum, products(d, w.codes + first, shift));
  }
  return sum;
}

[[gnu::target("avx2")]] inline void accumulate(fp16_way::pairs data, const fp16_weights* weights,
                                               double* accumulators) {
  const auto all = tops_of(data, weights);
  for (std::size_t first = 0; first < fp16_lane_count; first += 8) {
    const auto tops = first == 0 ? all : _mm_srli_si128(all, 8);
    auto low = _mm256_setzero_si256(), high = low;
    for (std::size_t i = 0; i < data.size(); i += fp16_narrow_sum) {
      const auto sum = sum_of(data, i, std::min(data.size(), i + fp16_narrow_sum), weights, first,
                              tops);
      low = _mm256_add_epi64(low, _mm256_cvtepi32_epi64(_mm256_castsi256_si128(sum)));
      high = _mm256_add_epi64(high, _mm256_cvtepi32_epi64(_mm256_extracti128_si256(sum, 1)));
    }
    add_pass(accumulators + first, low, tops);
    add_pass(accumulators + first + 4, high, _mm_srli_si128(tops, 4));
  }
}

[[gnu::target("avx2")]] inline void top_exponents(fp16_way::pairs data,
                                                  const fp16_weights* weights,
                                                  std::uint8_t* tops) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(tops), tops_of(data, weights));
}

[[gnu::target("avx2")]] inline void sum(fp16_way::pairs data, const fp16_weights* weights,
                                        const std::uint8_t* tops, std::int32_t* sums) {
  for (std::size_t first = 0; first < fp16_lane_count; first += 8)
    _mm256_storeu_si256(
        reinterpret_cast<__m256i*>(sums + first),
        sum_of(data, 0, data.size(), weights, first,
               _mm_loadl_epi64(reinterpret_cast<const __m128i*>(tops + first))));
}

inline constexpr fp16_way way{accumulate, top_exponents, sum};

}  // namespace nvdlac::sim::fp16_avx2

#endif

namespace nvdlac::sim {

NVDLAC_IMPL const std::vector<fp16_way>& fp16_ways() {
  static const auto ways = [] {
    std::vector<fp16_way> found;
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2")) found.push_back(fp16_avx2::way);
#endif
    found.push_back(fp16_portable::way);
    return found;
  }();
  return ways;
}

}  // namespace nvdlac::sim
