// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/sim/conv/wide_dot.hpp>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace nvdlac::sim {

NVDLAC_IMPL void wide_dot4_portable(const std::int16_t* x, const wide_operands& d,
                                    std::int64_t* sums) {
  for (std::size_t k = 0; k < 4; ++k) {
    const auto* w = d.weights + k * d.step;
    sums[k] = 0;
    for (const auto offset : d.offsets)
      for (std::size_t i = 0; i < d.length; ++i) sums[k] += std::int64_t{x[offset + i]} * *w++;
  }
}

#if defined(__x86_64__) && defined(__GNUC__)

// The sum of one kernel, from pairs of products less 1, which fit 32 bits even for four times
// -32768. Their sum in 32 bits and that of their upper halves say what the sum is: the lower halves
// add up to less than 2^32.
struct wide_lane {
  __m256i all, upper;

  __attribute__((target("avx2"))) void clear() { all = upper = _mm256_setzero_si256(); }
  __attribute__((target("avx2"))) void add(__m256i x, const std::int16_t* w) {
    const auto u = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(w));
    const auto pairs = _mm256_add_epi32(_mm256_madd_epi16(x, u), _mm256_set1_epi32(-1));
    all = _mm256_add_epi32(all, pairs);
    upper = _mm256_add_epi32(upper, _mm256_srai_epi32(pairs, 16));
  }
  __attribute__((target("avx2"))) std::int64_t sum(std::size_t pairs) const {
    std::uint32_t a[8];
    std::int32_t h[8];
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(a), all);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(h), upper);
    auto sum = static_cast<std::int64_t>(pairs);
    for (int i = 0; i < 8; ++i)
      sum += std::int64_t{h[i]} * 65536 + (a[i] - (static_cast<std::uint32_t>(h[i]) << 16));
    return sum;
  }
};

__attribute__((target("avx2"))) inline void wide_dot4_avx2(const std::int16_t* x,
                                                           const wide_operands& d,
                                                           std::int64_t* sums) {
  wide_lane a, b, c, e;  // not an array: compilers keep them in registers
  a.clear();
  b.clear();
  c.clear();
  e.clear();
  const auto* w = d.weights;
  for (const auto offset : d.offsets)
    for (std::size_t i = 0; i < d.length; i += 16, w += 16) {
      const auto v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + offset + i));
      a.add(v, w);
      b.add(v, w + d.step);
      c.add(v, w + 2 * d.step);
      e.add(v, w + 3 * d.step);
    }
  const auto pairs = d.offsets.size() * d.length / 2;
  sums[0] = a.sum(pairs);
  sums[1] = b.sum(pairs);
  sums[2] = c.sum(pairs);
  sums[3] = e.sum(pairs);
}

#endif

NVDLAC_IMPL wide_dot wide_dot4() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx2")) return wide_dot4_avx2;
#endif
  return wide_dot4_portable;
}

}  // namespace nvdlac::sim
