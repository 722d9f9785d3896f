// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/impl/sim/sdp/portable.hpp>
#include <nvdlac/impl/sim/sdp/widest.hpp>
#include <nvdlac/sim/sdp/output.hpp>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace nvdlac::sim {

namespace detail {

template <class T, sdp_conversion How>
void convert_plain(const std::int32_t* v, T* to, sdp_narrow_converter c) {
  constexpr std::int32_t low = std::numeric_limits<T>::min(),
                         high = std::numeric_limits<T>::max();
  for (std::size_t i = 0; i < sdp_block; ++i)
    to[i] = static_cast<T>(std::clamp(c.operator()<How>(v[i]), low, high));
}

#if defined(__x86_64__) && defined(__GNUC__)

template <sdp_conversion How>
[[gnu::target("avx2")]] inline __m256i converted(const std::int32_t* from,
                                                 const sdp_narrow_converter& c) {
  auto x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  if constexpr (How == sdp_conversion::saturate) return x;
  if constexpr (How == sdp_conversion::clamp)
    x = _mm256_min_epi32(_mm256_max_epi32(x, _mm256_set1_epi32(c.least)),
                         _mm256_set1_epi32(c.most));
  x = _mm256_sub_epi32(x, _mm256_set1_epi32(c.offset));
  x = _mm256_mullo_epi32(x, _mm256_set1_epi32(c.scale));
  const auto below_zero =
      _mm256_and_si256(_mm256_srai_epi32(x, 31), _mm256_set1_epi32(c.round.below_zero));
  x = _mm256_add_epi32(_mm256_add_epi32(x, _mm256_set1_epi32(c.round.half)), below_zero);
  return _mm256_sra_epi32(x, _mm_cvtsi32_si128(c.round.shift));
}

// Packing saturates, within each half of a vector.
template <class T, sdp_conversion How>
[[gnu::target("avx2")]] void convert_avx2(const std::int32_t* v, T* to, sdp_narrow_converter c) {
  for (std::size_t i = 0; i < sdp_block; i += 32 / sizeof(T)) {
    auto x = _mm256_packs_epi32(converted<How>(v + i, c), converted<How>(v + i + 8, c));
    if constexpr (sizeof(T) == 1) {
      const auto y =
          _mm256_packs_epi32(converted<How>(v + i + 16, c), converted<How>(v + i + 24, c));
      x = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(x, y),
                                      _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    } else {
      x = _mm256_permute4x64_epi64(x, 0xd8);
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), x);
  }
}

#endif

template <class T, sdp_conversion How>
void convert_block(const std::int32_t* v, T* to, const sdp_narrow_converter& c) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (has_avx2()) return convert_avx2<T, How>(v, to, c);
#endif
  convert_plain<T, How>(v, to, c);
}

}  // namespace detail

template <class T>
void sdp_convert_narrow(const sdp_narrow_converter& c, sdp_conversion how, const std::int32_t* v,
                        T* to) {
  using enum sdp_conversion;
  if (how == saturate) detail::convert_block<T, saturate>(v, to, c);
  else if (how == multiply) detail::convert_block<T, multiply>(v, to, c);
  else detail::convert_block<T, clamp>(v, to, c);
}

template <class T>
void sdp_convert_narrow_portable(const sdp_narrow_converter& c, sdp_conversion how,
                                 const std::int32_t* v, T* to) {
  using enum sdp_conversion;
  if (how == saturate) detail::convert_plain<T, saturate>(v, to, c);
  else if (how == multiply) detail::convert_plain<T, multiply>(v, to, c);
  else detail::convert_plain<T, clamp>(v, to, c);
}

#ifdef NVDLAC_COMPILED
template void sdp_convert_narrow(const sdp_narrow_converter&, sdp_conversion, const std::int32_t*,
                                 std::int8_t*);
template void sdp_convert_narrow(const sdp_narrow_converter&, sdp_conversion, const std::int32_t*,
                                 std::int16_t*);
template void sdp_convert_narrow_portable(const sdp_narrow_converter&, sdp_conversion,
                                          const std::int32_t*, std::int8_t*);
template void sdp_convert_narrow_portable(const sdp_narrow_converter&, sdp_conversion,
                                          const std::int32_t*, std::int16_t*);
#endif

}  // namespace nvdlac::sim
