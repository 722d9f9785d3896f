// SPDX-License-Identifier: Apache-2.0
#pragma once
#if defined(__x86_64__) && defined(__GNUC__)
#include <nvdlac/sim/dot_avx2.hpp>

namespace nvdlac::sim {

// vpdpbusd: four products of unsigned and signed bytes, added without saturation.
struct vnni {
  static constexpr std::string_view name = "avx512_vnni";
  static constexpr std::size_t element_bytes = 1;

  template <dot_input Input, std::size_t Pixels>
  [[gnu::target("avx2,avx512f,avx512vl,avx512vnni")]] static void dot(
      const std::uint8_t* x, std::size_t stride, const dot_operands& d, std::int32_t* out,
      std::size_t out_stride) {
    __m256i sums[Pixels];
    const auto bias = avx2::load(d.bias);
#pragma GCC unroll 8
    for (auto& s : sums) s = bias;
    const auto* w = d.weights;
    for (const auto offset : d.offsets) {
      const auto* at = x + offset;
      const auto weights = avx2::load((w++)->bytes.data());
#pragma GCC unroll 8
      for (std::size_t p = 0; p < Pixels; ++p)
        sums[p] = _mm256_dpbusd_epi32(sums[p], input<Input>(at + p * stride), weights);
    }
#pragma GCC unroll 8
    for (std::size_t p = 0; p < Pixels; ++p)
      avx2::store_rounded(sums[p], d.truncate, out + p * out_stride);
  }

 private:
  template <dot_input Input>
  [[gnu::target("avx2")]] static __m256i input(const std::uint8_t* from) {
    if constexpr (Input == dot_input::common) return avx2::four_bytes(from);
    else return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
  }
};

}  // namespace nvdlac::sim
#endif
