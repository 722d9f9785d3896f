// SPDX-License-Identifier: Apache-2.0
#pragma once
// The inner loop of the int8 convolution in each instruction set.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/sim/kernels/dot.hpp>

namespace nvdlac::sim {

// `Set::dot<Input, Pixels>`, and `Set::row<Pixels>` if it has it, for every number of pixels; `own`
// for up to eight, twice of which make a tile.
template <class Set>
inline constexpr instruction_set instruction_set_of =
    []<std::size_t... P, std::size_t... Q>(std::index_sequence<P...>, std::index_sequence<Q...>) {
      static_assert(Set::pixels <= dot_pixels);
      instruction_set s{Set::name, Set::element_bytes, Set::pixels, Set::rows, &Set::spread,
                        {{{&Set::template dot<dot_input::common, P + 1>...},
                          {&Set::template dot<dot_input::own, Q + 1>...}}}};
      if constexpr (Set::rows) s.dot[2] = {&Set::template row<P + 1>...};
      return s;
    }(std::make_index_sequence<Set::pixels>{}, std::make_index_sequence<dot_pixels / 2>{});

struct portable {
  static constexpr std::string_view name = "portable";
  static constexpr std::size_t element_bytes = 2, pixels = 8;
  static constexpr bool rows = false;

  static void spread(const std::int8_t* from, std::size_t n, void* to) {
    std::copy_n(from, n, static_cast<std::int16_t*>(to));
  }

  template <dot_input Input, std::size_t Pixels>
  static void dot(const std::uint8_t* x, std::size_t stride, const dot_operands& d,
                  std::int32_t* out, std::size_t out_stride) {
    std::int32_t sums[Pixels][dot_kernels]{};
    const auto* w = d.weights;
    for (const auto offset : d.offsets) {
      std::int16_t weights[dot_kernels][2];
      std::memcpy(weights, (w++)->bytes.data(), sizeof weights);
      for (std::size_t p = 0; p < Pixels; ++p) {
        std::int16_t v[Input == dot_input::own ? dot_kernels : 2];
        std::memcpy(v, x + p * stride + offset, sizeof v);
        for (std::size_t k = 0; k < dot_kernels; ++k)
          if constexpr (Input == dot_input::own) sums[p][k] += v[k] * weights[k][0];
          else sums[p][k] += v[0] * weights[k][0] + v[1] * weights[k][1];
      }
    }
    const auto half = d.truncate == 0 ? 0 : std::uint32_t{1} << (d.truncate - 1);
    for (std::size_t p = 0; p < Pixels; ++p)
      for (std::size_t k = 0; k < dot_kernels; ++k) {
        const auto sum = sums[p][k] + d.bias[k];
        const auto magnitude =
            ((sum < 0 ? -static_cast<std::uint32_t>(sum) : static_cast<std::uint32_t>(sum)) +
             half) >> d.truncate;
        out[p * out_stride + k] = static_cast<std::int32_t>(sum < 0 ? -magnitude : magnitude);
      }
  }
};

}  // namespace nvdlac::sim

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

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

#if defined(__x86_64__) && defined(__GNUC__)

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

#if defined(__aarch64__) && defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#include <arm_neon.h>

namespace nvdlac::sim {

// smlal on int16, whose second factor may be one element of a vector: sums stay in registers, of
// which the compiler's vectors of the portable loop load and store those of each pixel for each
// step.
struct neon : portable {
  static constexpr std::string_view name = "neon";

  template <dot_input Input, std::size_t Pixels>
  static void dot(const std::uint8_t* x, std::size_t stride, const dot_operands& d,
                  std::int32_t* out, std::size_t out_stride) {
    int32x4_t low[Pixels], high[Pixels];
#pragma GCC unroll 8
    for (std::size_t p = 0; p < Pixels; ++p) {
      low[p] = vld1q_s32(d.bias);
      high[p] = vld1q_s32(d.bias + 4);
    }
    const auto* w = d.weights;
    for (const auto offset : d.offsets) {
      const auto* at = x + offset;
      const auto weights = vld2q_s16(reinterpret_cast<const std::int16_t*>((w++)->bytes.data()));
#pragma GCC unroll 8
      for (std::size_t p = 0; p < Pixels; ++p)
        add<Input>(low[p], high[p], at + p * stride, weights);
    }
    const auto half = vdupq_n_u32(d.truncate == 0 ? 0 : std::uint32_t{1} << (d.truncate - 1));
    const auto shift = vdupq_n_s32(-d.truncate);
#pragma GCC unroll 8
    for (std::size_t p = 0; p < Pixels; ++p) {
      vst1q_s32(out + p * out_stride, rounded(low[p], half, shift));
      vst1q_s32(out + p * out_stride + 4, rounded(high[p], half, shift));
    }
  }

  template <dot_input Input>
  static void add(int32x4_t& low, int32x4_t& high, const std::uint8_t* from, int16x8x2_t w) {
    if constexpr (Input == dot_input::common) {
      std::int32_t bytes;
      std::memcpy(&bytes, from, sizeof bytes);
      const auto v = vreinterpret_s16_s32(vdup_n_s32(bytes));
      low = vmlal_lane_s16(low, vget_low_s16(w.val[0]), v, 0);
      high = vmlal_high_lane_s16(high, w.val[0], v, 0);
      low = vmlal_lane_s16(low, vget_low_s16(w.val[1]), v, 1);
      high = vmlal_high_lane_s16(high, w.val[1], v, 1);
    } else {
      const auto v = vreinterpretq_s16_u8(vld1q_u8(from));
      low = vmlal_s16(low, vget_low_s16(v), vget_low_s16(w.val[0]));
      high = vmlal_high_s16(high, v, w.val[0]);
    }
  }

  // Shifted by `-shift`, half away from zero.
  static int32x4_t rounded(int32x4_t sum, uint32x4_t half, int32x4_t shift) {
    const auto magnitude = vshlq_u32(vaddq_u32(vreinterpretq_u32_s32(vabsq_s32(sum)), half), shift);
    const auto sign = vshrq_n_s32(sum, 31);
    return vsubq_s32(veorq_s32(vreinterpretq_s32_u32(magnitude), sign), sign);
  }
};

}  // namespace nvdlac::sim
#endif

// RISC-V's vectors, where the compiler's flags have them (-march=rv64gcv): a processor without them
// runs none of what it makes then.
#if defined(__riscv_v_intrinsic) && __riscv_v_min_vlen >= 128
#include <riscv_vector.h>

namespace nvdlac::sim {

// vwmacc on int16, a pixel's number by those of eight kernels. Vectors stand in no arrays: their
// size is the processor's.
struct rvv : portable {
  static constexpr std::string_view name = "rvv";

  template <dot_input Input, std::size_t Pixels>
  static void dot(const std::uint8_t* x, std::size_t stride, const dot_operands& d,
                  std::int32_t* out, std::size_t out_stride) {
    constexpr std::size_t part = Pixels < 4 ? Pixels : 4;
    few_pixels<Input, part>(x, stride, d, out, out_stride);
    if constexpr (Pixels > part)
      dot<Input, Pixels - part>(x + part * stride, stride, d, out + part * out_stride, out_stride);
  }

 private:
  static constexpr std::size_t lanes = dot_kernels;

  // Up to four pixels, whose sums stay in registers.
  template <dot_input Input, std::size_t Pixels>
  static void few_pixels(const std::uint8_t* x, std::size_t stride, const dot_operands& d,
                         std::int32_t* out, std::size_t out_stride) {
    const auto bias = __riscv_vle32_v_i32m2(d.bias, lanes);
    auto sum0 = bias, sum1 = bias, sum2 = bias, sum3 = bias;
    const auto* w = d.weights;
    for (const auto offset : d.offsets) {
      const auto* const pair = reinterpret_cast<const std::int16_t*>((w++)->bytes.data());
      const auto even = __riscv_vlse16_v_i16m1(pair, 4, lanes),
                 odd = __riscv_vlse16_v_i16m1(pair + 1, 4, lanes);
      const auto* at = x + offset;
      sum0 = add<Input>(sum0, at, even, odd);
      if constexpr (Pixels > 1) sum1 = add<Input>(sum1, at + stride, even, odd);
      if constexpr (Pixels > 2) sum2 = add<Input>(sum2, at + 2 * stride, even, odd);
      if constexpr (Pixels > 3) sum3 = add<Input>(sum3, at + 3 * stride, even, odd);
    }
    store_rounded(sum0, d.truncate, out);
    if constexpr (Pixels > 1) store_rounded(sum1, d.truncate, out + out_stride);
    if constexpr (Pixels > 2) store_rounded(sum2, d.truncate, out + 2 * out_stride);
    if constexpr (Pixels > 3) store_rounded(sum3, d.truncate, out + 3 * out_stride);
  }

  template <dot_input Input>
  static vint32m2_t add(vint32m2_t sum, const std::uint8_t* from, vint16m1_t even,
                        vint16m1_t odd) {
    if constexpr (Input == dot_input::common) {
      const auto* const v = reinterpret_cast<const std::int16_t*>(from);
      sum = __riscv_vwmacc_vx_i32m2(sum, v[0], even, lanes);
      return __riscv_vwmacc_vx_i32m2(sum, v[1], odd, lanes);
    } else {
      const auto own = __riscv_vreinterpret_v_u16m1_i16m1(
          __riscv_vreinterpret_v_u8m1_u16m1(__riscv_vle8_v_u8m1(from, 2 * lanes)));
      return __riscv_vwmacc_vv_i32m2(sum, own, even, lanes);
    }
  }

  // Shifted, half away from zero.
  static void store_rounded(vint32m2_t sum, int shift, std::int32_t* to) {
    const auto half = shift == 0 ? 0 : std::uint32_t{1} << (shift - 1);
    const auto absolute = __riscv_vmax_vv_i32m2(sum, __riscv_vneg_v_i32m2(sum, lanes), lanes);
    const auto magnitude = __riscv_vreinterpret_v_u32m2_i32m2(__riscv_vsrl_vx_u32m2(
        __riscv_vadd_vx_u32m2(__riscv_vreinterpret_v_i32m2_u32m2(absolute), half, lanes),
        static_cast<std::size_t>(shift), lanes));
    const auto sign = __riscv_vsra_vx_i32m2(sum, 31, lanes);
    __riscv_vse32_v_i32m2(
        to, __riscv_vsub_vv_i32m2(__riscv_vxor_vv_i32m2(magnitude, sign, lanes), sign, lanes),
        lanes);
  }
};

}  // namespace nvdlac::sim
#endif

namespace nvdlac::sim {

NVDLAC_IMPL const std::vector<const instruction_set*>& instruction_sets() {
  static const auto sets = [] {
    std::vector<const instruction_set*> found;
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vl")) {
      if (__builtin_cpu_supports("avx512vbmi2"))
        found.push_back(&instruction_set_of<vnni_vbmi2>);
      found.push_back(&instruction_set_of<vnni>);
    }
    if (__builtin_cpu_supports("avx2")) found.push_back(&instruction_set_of<avx2>);
#elif defined(__aarch64__) && defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    found.push_back(&instruction_set_of<neon>);
#elif defined(__riscv_v_intrinsic) && __riscv_v_min_vlen >= 128
    found.push_back(&instruction_set_of<rvv>);
#endif
    found.push_back(&instruction_set_of<portable>);
    return found;
  }();
  return sets;
}

}  // namespace nvdlac::sim
