// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <nvdlac/arithmetic/cdp.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/sim/cdp/finish.hpp>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace nvdlac::sim {

NVDLAC_IMPL void cdp_squares_portable(const std::uint8_t* x, const std::int32_t* converted,
                                      std::int32_t* values, std::int32_t* squares, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = converted[x[i]];
    squares[i] = values[i] * values[i];
  }
}

NVDLAC_IMPL void cdp_sums_portable(const std::int32_t* squares, std::int32_t* sums, std::size_t n,
                                   std::ptrdiff_t reach) {
  for (std::size_t c = 0; c < n; c += 8, squares += 8) {
    std::array<std::int32_t, 8> sum{};
    for (auto j = -reach; j <= reach; ++j)
      for (std::ptrdiff_t i = 0; i < 8; ++i) sum[static_cast<std::size_t>(i)] += squares[i + j];
    std::copy_n(sum.begin(), 8, sums + c);
  }
}

NVDLAC_IMPL std::size_t cdp_finish_portable(const cdp_finish& f, std::size_t from,
                                            cdp_finish_counts& counts) {
  for (; from < f.count; from += 8) {
    for (std::size_t i = from; i < from + 8; ++i)
      if (f.entries[f.sums[i]] == f.unknown) return from;
    for (std::size_t i = from; i < from + 8; ++i) {
      const auto entry = f.entries[f.sums[i]];
      ++counts.kinds[static_cast<std::size_t>(entry >> 16)];
      const std::int64_t table = static_cast<std::int16_t>(entry);
      const auto r = cdp_output<8>(f.output, f.product_bypass ? table : table * f.values[i]);
      counts.saturations += r.saturated;
      f.results[i] = static_cast<std::uint8_t>(r.value);
    }
  }
  return from;
}

#if defined(__x86_64__) && defined(__GNUC__)

[[gnu::target("avx2")]] inline void cdp_squares_avx2(const std::uint8_t* x,
                                                     const std::int32_t* converted,
                                                     std::int32_t* values, std::int32_t* squares,
                                                     std::size_t n) {
  for (std::size_t i = 0; i < n; i += 8) {
    const auto at =
        _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(x + i)));
    const auto v = _mm256_i32gather_epi32(converted, at, 4);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(values + i), v);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(squares + i), _mm256_mullo_epi32(v, v));
  }
}

[[gnu::target("avx2")]] inline void cdp_sums_avx2(const std::int32_t* squares, std::int32_t* sums,
                                                  std::size_t n, std::ptrdiff_t reach) {
  for (std::size_t c = 0; c < n; c += 8, squares += 8) {
    auto sum = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(squares));
    for (std::ptrdiff_t j = 1; j <= reach; ++j) {
      const auto low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(squares - j));
      const auto high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(squares + j));
      sum = _mm256_add_epi32(sum, _mm256_add_epi32(low, high));
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums + c), sum);
  }
}

// Four results from products. Doubles hold the converter's 42 bits, with the half that rounding
// adds.
[[gnu::target("avx2"), gnu::always_inline]] inline __m128i cdp_output_4(__m128i product,
                                                                        __m256d offset,
                                                                        __m256d scale,
                                                                        unsigned& saturated) {
  const auto half = _mm256_set1_pd(0.5), sign = _mm256_set1_pd(-0.0);
  const auto x = _mm256_mul_pd(_mm256_sub_pd(_mm256_cvtepi32_pd(product), offset), scale);
  const auto beyond = _mm256_or_pd(_mm256_cmp_pd(x, _mm256_set1_pd(129), _CMP_GE_OQ),
                                   _mm256_cmp_pd(x, _mm256_set1_pd(-129), _CMP_LT_OQ));
  saturated += static_cast<unsigned>(
      __builtin_popcount(static_cast<unsigned>(_mm256_movemask_pd(beyond))));
  const auto rounded = _mm256_add_pd(x, _mm256_or_pd(_mm256_and_pd(x, sign), half));
  return _mm256_cvttpd_epi32(
      _mm256_min_pd(_mm256_max_pd(rounded, _mm256_set1_pd(-128)), _mm256_set1_pd(127)));
}

// Adds up eight counters that count down.
[[gnu::target("avx2")]] inline std::uint64_t cdp_count_8(__m256i counters) {
  std::array<std::int32_t, 8> n;
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(n.data()), counters);
  std::int64_t sum = 0;
  for (const auto v : n) sum -= v;
  return static_cast<std::uint64_t>(sum);
}

[[gnu::target("avx2")]] inline std::size_t cdp_finish_avx2(const cdp_finish& f, std::size_t from,
                                                           cdp_finish_counts& counts) {
  const auto shift = static_cast<double>(std::uint64_t{1} << f.output.shift);
  const auto offset = _mm256_set1_pd(static_cast<double>(f.output.offset));
  const auto scale = _mm256_set1_pd(static_cast<double>(f.output.scale) / shift);
  auto underflows = _mm256_setzero_si256(), overflows = underflows, hybrids = underflows,
       le_hits = underflows;
  unsigned saturated = 0;
  const auto begin = from;
  for (; from < f.count; from += 8) {
    const auto at = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(f.sums + from));
    const auto entry = _mm256_i32gather_epi32(f.entries, at, 4);
    if (_mm256_movemask_epi8(_mm256_cmpeq_epi32(entry, _mm256_set1_epi32(f.unknown))) != 0) break;
    const auto kind = _mm256_srai_epi32(entry, 16);
    underflows = _mm256_add_epi32(underflows, _mm256_cmpeq_epi32(kind, _mm256_setzero_si256()));
    overflows = _mm256_add_epi32(overflows, _mm256_cmpeq_epi32(kind, _mm256_set1_epi32(1)));
    hybrids = _mm256_add_epi32(hybrids, _mm256_cmpeq_epi32(kind, _mm256_set1_epi32(2)));
    le_hits = _mm256_add_epi32(le_hits, _mm256_cmpeq_epi32(kind, _mm256_set1_epi32(3)));
    auto product = _mm256_srai_epi32(_mm256_slli_epi32(entry, 16), 16);
    if (!f.product_bypass)
      product = _mm256_mullo_epi32(
          product, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(f.values + from)));
    const auto low = cdp_output_4(_mm256_castsi256_si128(product), offset, scale, saturated);
    const auto high =
        cdp_output_4(_mm256_extracti128_si256(product, 1), offset, scale, saturated);
    const auto words = _mm_packs_epi32(low, high);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(f.results + from), _mm_packs_epi16(words, words));
  }
  const std::array<std::uint64_t, 4> n{cdp_count_8(underflows), cdp_count_8(overflows),
                                       cdp_count_8(hybrids), cdp_count_8(le_hits)};
  for (std::size_t k = 0; k < n.size(); ++k) counts.kinds[k] += n[k];
  counts.kinds[4] += from - begin - (n[0] + n[1] + n[2] + n[3]);
  counts.saturations += saturated;
  return from;
}

#endif

NVDLAC_IMPL cdp_way fastest_cdp_way() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx2")) return {cdp_squares_avx2, cdp_sums_avx2, cdp_finish_avx2};
#endif
  return {};
}

}  // namespace nvdlac::sim
