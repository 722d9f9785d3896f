// SPDX-License-Identifier: Apache-2.0
#pragma once
#if defined(__x86_64__) && defined(__GNUC__)
#include <nvdlac/sim/kernels/dot_avx2.hpp>

namespace nvdlac::sim {

// vpdpbusd: four products of unsigned and signed bytes, added without saturation.
struct vnni {
  static constexpr std::string_view name = "avx512_vnni";
  static constexpr std::size_t element_bytes = 1, pixels = 16;
  static constexpr bool rows = false;

  [[gnu::target("avx2")]] static void spread(const std::int8_t* from, std::size_t n, void* to) {
    auto* elements = static_cast<std::uint8_t*>(to);
    std::size_t i = 0;
    for (; i + 32 <= n; i += 32)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(elements + i),
                          _mm256_xor_si256(avx2::load(from + i), _mm256_set1_epi8(-128)));
    for (; i < n; ++i) elements[i] = static_cast<std::uint8_t>(from[i] + 128);
  }

  template <dot_input Input, std::size_t Pixels>
  [[gnu::target("avx2,avx512f,avx512vl,avx512vnni")]] static void dot(
      const std::uint8_t* x, std::size_t stride, const dot_operands& d, std::int32_t* out,
      std::size_t out_stride) {
    __m256i sums[Pixels];
    const auto bias = avx2::load(d.bias);
#pragma GCC unroll 16
    for (auto& s : sums) s = bias;
    const auto* w = d.weights;
    for (const auto offset : d.offsets) {
      const auto* at = x + offset;
      const auto weights = avx2::load((w++)->bytes.data());
#pragma GCC unroll 16
      for (std::size_t p = 0; p < Pixels; ++p)
        sums[p] = _mm256_dpbusd_epi32(sums[p], input<Input>(at + p * stride), weights);
    }
#pragma GCC unroll 16
    for (std::size_t p = 0; p < Pixels; ++p)
      avx2::store_rounded(sums[p], d.truncate, out + p * out_stride);
  }

  template <dot_input Input>
  [[gnu::target("avx2")]] static __m256i input(const std::uint8_t* from) {
    if constexpr (Input == dot_input::common) return avx2::four_bytes(from);
    else return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
  }
};

// With vpshrdd, which shifts the next pixel into those that went before.
struct vnni_vbmi2 : vnni {
  static constexpr std::string_view name = "avx512_vnni_vbmi2";
  static constexpr bool rows = true;

  template <std::size_t Pixels>
  [[gnu::target("avx2,avx512f,avx512vl,avx512vnni,avx512vbmi2")]] static void row(
      const std::uint8_t* x, std::size_t stride, const dot_operands& d, std::int32_t* out,
      std::size_t out_stride) {
    __m256i sums[Pixels];
    const auto bias = avx2::load(d.bias);
#pragma GCC unroll 16
    for (auto& s : sums) s = bias;
    for (std::size_t i = 0; i < d.offsets.size(); ++i) {
      const auto* at = x + d.offsets[i];
      const auto weights = avx2::load(d.weights[i].bytes.data());
      // Two chains of shifts, of the first and the second half of the pixels.
      constexpr auto half = (Pixels + 1) / 2;
      auto one = _mm256_setzero_si256(), two = one;
      for (auto n = d.neighbours[i]; n > 1; --n, at += stride) {
        one = _mm256_shrdi_epi32(one, input<dot_input::own>(at), 8);
        if constexpr (half < Pixels)
          two = _mm256_shrdi_epi32(two, input<dot_input::own>(at + half * stride), 8);
      }
#pragma GCC unroll 8
      for (std::size_t p = 0; p < half; ++p) {
        one = _mm256_shrdi_epi32(one, input<dot_input::own>(at + p * stride), 8);
        sums[p] = _mm256_dpbusd_epi32(sums[p], one, weights);
        if (half + p >= Pixels) break;
        two = _mm256_shrdi_epi32(two, input<dot_input::own>(at + (half + p) * stride), 8);
        sums[half + p] = _mm256_dpbusd_epi32(sums[half + p], two, weights);
      }
    }
    const auto half_unit = avx2::half_of(d.truncate);
    const auto shift = _mm_cvtsi32_si128(d.truncate);
#pragma GCC unroll 16
    for (std::size_t p = 0; p < Pixels; ++p)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + p * out_stride),
                          avx2::rounded(sums[p], half_unit, shift));
  }
};

}  // namespace nvdlac::sim
#endif
