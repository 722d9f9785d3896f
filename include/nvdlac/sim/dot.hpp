// SPDX-License-Identifier: Apache-2.0
#pragma once
// The inner loop of the convolution: dot products of int16 vectors that hold int8 values.
#include <cstddef>
#include <cstdint>
#include <span>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace nvdlac::sim {

// Four kernels times `Pixels` pixels, each over the same segments: segment i begins at
// x[pixel] + offsets[i] and, in kernel k, at weights + k * kernel_step + i * length. `length` and
// `kernel_step` are multiples of 8; sums[pixel * 4 + kernel].
struct dot_operands {
  std::span<const std::size_t> offsets{};
  std::size_t length = 0;
  const std::int16_t* weights = nullptr;  // aligned to 16 bytes
  std::size_t kernel_step = 0;
};

// A 32-bit lane adds up to 65535 pairs of products of at most 2^15; there are 4 lanes.
inline constexpr std::size_t longest_dot = 8 * 65535;
// Sums of all lanes that fit 32 bits.
inline constexpr std::size_t longest_narrow_dot = (std::size_t{1} << 17) - 8;

#ifdef __SSE2__

template <int Pixels>
void dot4(const std::int16_t* const (&x)[Pixels], const dot_operands& d, std::int64_t* sums) {
  __m128i acc[Pixels][4];
  for (auto& a : acc)
    for (auto& v : a) v = _mm_setzero_si128();
  const auto* w = d.weights;
  for (const auto offset : d.offsets) {
    for (std::size_t i = 0; i < d.length; i += 8, w += 8) {
      __m128i v[Pixels];
      for (int p = 0; p < Pixels; ++p)
        v[p] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x[p] + offset + i));
      for (std::size_t k = 0; k < 4; ++k) {
        const auto wk = _mm_load_si128(reinterpret_cast<const __m128i*>(w + k * d.kernel_step));
        for (int p = 0; p < Pixels; ++p)
          acc[p][k] = _mm_add_epi32(acc[p][k], _mm_madd_epi16(v[p], wk));
      }
    }
  }
  const bool narrow = d.offsets.size() * d.length <= longest_narrow_dot;
  for (int p = 0; p < Pixels; ++p) {
    const auto& a = acc[p];
    alignas(16) std::int32_t lanes[4];
    if (narrow) {
      const auto fold = [](__m128i u, __m128i v) {
        return _mm_add_epi32(_mm_unpacklo_epi32(u, v), _mm_unpackhi_epi32(u, v));
      };
      const auto s = fold(fold(a[0], a[2]), fold(a[1], a[3]));
      _mm_store_si128(reinterpret_cast<__m128i*>(lanes), s);
      for (int k = 0; k < 4; ++k) sums[p * 4 + k] = lanes[k];
    } else {
      for (int k = 0; k < 4; ++k) {
        _mm_store_si128(reinterpret_cast<__m128i*>(lanes), a[k]);
        sums[p * 4 + k] = std::int64_t{lanes[0]} + lanes[1] + lanes[2] + lanes[3];
      }
    }
  }
}

#else

template <int Pixels>
void dot4(const std::int16_t* const (&x)[Pixels], const dot_operands& d, std::int64_t* sums) {
  for (std::size_t p = 0; p < Pixels; ++p)
    for (std::size_t k = 0; k < 4; ++k) {
      const auto* w = d.weights + k * d.kernel_step;
      std::int64_t sum = 0;
      for (const auto offset : d.offsets) {
        const auto* v = x[p] + offset;
        std::int32_t part = 0;
        for (std::size_t i = 0; i < d.length; ++i) {
          part += std::int32_t{v[i]} * w[i];
          if (i % 65536 == 65535) sum += part, part = 0;
        }
        sum += part, w += d.length;
      }
      sums[p * 4 + k] = sum;
    }
}

#endif

}  // namespace nvdlac::sim
