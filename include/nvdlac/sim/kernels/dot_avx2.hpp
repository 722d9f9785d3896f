// SPDX-License-Identifier: Apache-2.0
#pragma once
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#include <nvdlac/sim/kernels/dot.hpp>

namespace nvdlac::sim {

// vpmaddwd on int16: vpmaddubsw, twice as wide, saturates.
struct avx2 {
  static constexpr std::string_view name = "avx2";
  static constexpr std::size_t element_bytes = 2, pixels = 8;
  static constexpr bool rows = false;

  template <dot_input Input, std::size_t Pixels>
  [[gnu::target("avx2")]] static void dot(const std::uint8_t* x, std::size_t stride,
                                          const dot_operands& d, std::int32_t* out,
                                          std::size_t out_stride) {
    __m256i sums[Pixels];
    const auto bias = load(d.bias);
#pragma GCC unroll 8
    for (auto& s : sums) s = bias;
    const auto* w = d.weights;
    for (const auto offset : d.offsets) {
      const auto* at = x + offset;
      const auto weights = load((w++)->bytes.data());
#pragma GCC unroll 8
      for (std::size_t p = 0; p < Pixels; ++p)
        sums[p] = _mm256_add_epi32(
            sums[p], _mm256_madd_epi16(input<Input>(at + p * stride), weights));
    }
#pragma GCC unroll 8
    for (std::size_t p = 0; p < Pixels; ++p)
      store_rounded(sums[p], d.truncate, out + p * out_stride);
  }

  [[gnu::target("avx2")]] static void spread(const std::int8_t* from, std::size_t n, void* to) {
    auto* elements = static_cast<std::int16_t*>(to);
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(elements + i),
                          _mm256_cvtepi8_epi16(
                              _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
    for (; i < n; ++i) elements[i] = from[i];
  }

  [[gnu::target("avx2")]] static __m256i load(const void* from) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
  }

  [[gnu::target("avx2")]] static __m256i four_bytes(const std::uint8_t* from) {
    std::int32_t bytes;
    std::memcpy(&bytes, from, sizeof bytes);
    return _mm256_set1_epi32(bytes);
  }

  template <dot_input Input>
  [[gnu::target("avx2")]] static __m256i input(const std::uint8_t* from) {
    if constexpr (Input == dot_input::common) return four_bytes(from);
    else return _mm256_cvtepi16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }

  // Shifted, half away from zero; `half` is 0 where `shift` is.
  [[gnu::target("avx2")]] static __m256i rounded(__m256i sum, __m256i half, __m128i shift) {
    const auto magnitude = _mm256_srl_epi32(_mm256_add_epi32(_mm256_abs_epi32(sum), half), shift);
    return _mm256_sign_epi32(magnitude, sum);
  }
  [[gnu::target("avx2")]] static __m256i half_of(int shift) {
    return _mm256_set1_epi32(shift == 0 ? 0 : std::int32_t{1} << (shift - 1));
  }
  // Constants made anew for each sum: hoisted, they cost the sums their registers.
  [[gnu::target("avx2")]] static void store_rounded(__m256i sum, int shift, std::int32_t* to) {
    if (shift != 0) sum = rounded(sum, half_of(shift), _mm_cvtsi32_si128(shift));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), sum);
  }
};

}  // namespace nvdlac::sim
#endif
