// SPDX-License-Identifier: Apache-2.0
#pragma once
// Dot products of vectors of int16 in full width: every sum of int16 products is exact.
#include <cstddef>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace nvdlac::sim {

// Four kernels over one segment of `length` elements, a multiple of 8 below 2^18: weights of kernel
// k begin at w + k * step. Adds to sums[k].
inline void wide_dot4(const std::int16_t* x, const std::int16_t* w, std::size_t step,
                      std::size_t length, std::int64_t* sums) {
#ifdef __SSE2__
  // A pair of products less 1 fits 32 bits, even that of four times -32768; its halves of 16 bits
  // are added apart.
  const auto one = _mm_set1_epi32(-1), low = _mm_set1_epi32(0xffff);
  __m128i lows[4], highs[4];
  for (std::size_t k = 0; k < 4; ++k) lows[k] = highs[k] = _mm_setzero_si128();
  for (std::size_t i = 0; i < length; i += 8) {
    const auto v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i));
    for (std::size_t k = 0; k < 4; ++k) {
      const auto u = _mm_loadu_si128(reinterpret_cast<const __m128i*>(w + k * step + i));
      const auto pairs = _mm_add_epi32(_mm_madd_epi16(v, u), one);
      lows[k] = _mm_add_epi32(lows[k], _mm_and_si128(pairs, low));
      highs[k] = _mm_add_epi32(highs[k], _mm_srai_epi32(pairs, 16));
    }
  }
  for (std::size_t k = 0; k < 4; ++k) {
    std::uint32_t l[4];
    std::int32_t h[4];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(l), lows[k]);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(h), highs[k]);
    std::int64_t sum = static_cast<std::int64_t>(length / 2);
    for (int i = 0; i < 4; ++i) sum += std::int64_t{h[i]} * 65536 + l[i];
    sums[k] += sum;
  }
#else
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t i = 0; i < length; ++i)
      sums[k] += std::int64_t{x[i]} * w[k * step + i];
#endif
}

}  // namespace nvdlac::sim
