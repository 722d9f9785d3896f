// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/impl/sim/sdp/portable.hpp>
#include <nvdlac/impl/sim/sdp/widest.hpp>
#include <nvdlac/sim/sdp/stage.hpp>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace nvdlac::sim {

// Pairs of doubles.
namespace packed {

#if defined(__x86_64__) && defined(__GNUC__)

using reals = __m128d;
inline reals load(const double* from) { return _mm_loadu_pd(from); }
inline reals load(const std::int32_t* from) {
  return _mm_cvtepi32_pd(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
}
inline reals both(double x) { return _mm_set1_pd(x); }
inline reals smaller(reals a, reals b) { return _mm_min_pd(a, b); }
inline reals larger(reals a, reals b) { return _mm_max_pd(a, b); }
// `yes` where x >= 0, else `no`.
inline reals choose(reals x, reals yes, reals no) {
  const auto mask = _mm_cmpge_pd(x, _mm_setzero_pd());
  return _mm_or_pd(_mm_and_pd(mask, yes), _mm_andnot_pd(mask, no));
}
// Half away from zero, then from `low` to `high`, which are integers of 32 bits.
inline void store_rounded(reals x, reals low, reals high, std::int32_t* to) {
  x = _mm_add_pd(x, _mm_or_pd(_mm_and_pd(x, both(-0.0)), both(0.5)));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to),
                   _mm_cvttpd_epi32(smaller(larger(x, low), high)));
}

#else

using reals = std::array<double, 2>;
inline reals operator+(reals a, reals b) { return {a[0] + b[0], a[1] + b[1]}; }
inline reals operator*(reals a, reals b) { return {a[0] * b[0], a[1] * b[1]}; }
inline reals load(const double* from) { return {from[0], from[1]}; }
inline reals load(const std::int32_t* from) {
  return {static_cast<double>(from[0]), static_cast<double>(from[1])};
}
inline reals both(double x) { return {x, x}; }
inline reals smaller(reals a, reals b) { return {std::min(a[0], b[0]), std::min(a[1], b[1])}; }
inline reals larger(reals a, reals b) { return {std::max(a[0], b[0]), std::max(a[1], b[1])}; }
inline reals choose(reals x, reals yes, reals no) {
  return {x[0] >= 0 ? yes[0] : no[0], x[1] >= 0 ? yes[1] : no[1]};
}
inline void store_rounded(reals x, reals low, reals high, std::int32_t* to) {
  const auto half = reals{std::copysign(0.5, x[0]), std::copysign(0.5, x[1])};
  x = smaller(larger(x + half, low), high);
  to[0] = static_cast<std::int32_t>(x[0]);
  to[1] = static_cast<std::int32_t>(x[1]);
}

#endif

}  // namespace packed

using sdp_stage_function = void(const std::int32_t* from, std::int32_t* to, sdp_stream operand,
                                sdp_stream scale, sdp_range range);

template <alu_algorithm Alu, bool Prelu>
void sdp_stage_2(const std::int32_t* from, std::int32_t* to, sdp_stream operand, sdp_stream scale,
                 sdp_range range) {
  using namespace packed;
  const auto low = both(range.low), high = both(range.high);
  const std::size_t o_step = operand.constant ? 0 : 2, k_step = scale.constant ? 0 : 2;
  for (std::size_t i = 0; i < sdp_block;
       i += 2, operand.data += o_step, scale.data += k_step) {
    auto x = load(from + i);
    const auto o = load(operand.data);
    auto k = load(scale.data);
    if constexpr (Alu == alu_algorithm::sum) x = x + o;
    if constexpr (Alu == alu_algorithm::max) x = larger(x, o);
    if constexpr (Alu == alu_algorithm::min) x = smaller(x, o);
    if constexpr (Prelu) k = choose(x, both(1), k);
    store_rounded(x * k, low, high, to + i);
  }
}

#if defined(__x86_64__) && defined(__GNUC__)

template <alu_algorithm Alu, bool Prelu>
[[gnu::target("avx2")]] void sdp_stage_4(const std::int32_t* from, std::int32_t* to,
                                         sdp_stream operand, sdp_stream scale, sdp_range range) {
  const auto low = _mm256_set1_pd(range.low), high = _mm256_set1_pd(range.high);
  const auto sign = _mm256_set1_pd(-0.0), half = _mm256_set1_pd(0.5);
  const std::size_t o_step = operand.constant ? 0 : 4, k_step = scale.constant ? 0 : 4;
  for (std::size_t i = 0; i < sdp_block;
       i += 4, operand.data += o_step, scale.data += k_step) {
    auto x = _mm256_cvtepi32_pd(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
    const auto o = _mm256_loadu_pd(operand.data);
    auto k = _mm256_loadu_pd(scale.data);
    if constexpr (Alu == alu_algorithm::sum) x = _mm256_add_pd(x, o);
    if constexpr (Alu == alu_algorithm::max) x = _mm256_max_pd(x, o);
    if constexpr (Alu == alu_algorithm::min) x = _mm256_min_pd(x, o);
    if constexpr (Prelu)
      k = _mm256_blendv_pd(k, _mm256_set1_pd(1),
                           _mm256_cmp_pd(x, _mm256_setzero_pd(), _CMP_GE_OQ));
    x = _mm256_mul_pd(x, k);
    x = _mm256_add_pd(x, _mm256_or_pd(_mm256_and_pd(x, sign), half));
    x = _mm256_min_pd(_mm256_max_pd(x, low), high);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), _mm256_cvttpd_epi32(x));
  }
}

template <alu_algorithm Alu, bool Prelu>
sdp_stage_function* fastest_sdp_stage() {
  return has_avx2() ? sdp_stage_4<Alu, Prelu> : sdp_stage_2<Alu, Prelu>;
}

#else

template <alu_algorithm Alu, bool Prelu>
sdp_stage_function* fastest_sdp_stage() {
  return sdp_stage_2<Alu, Prelu>;
}

#endif

// The function of `of` for an algorithm.
template <class Ways>
sdp_stage_function* sdp_stage_of(alu_algorithm alu, bool prelu, Ways of) {
  using enum alu_algorithm;
  const auto with = [&]<alu_algorithm Alu>() -> sdp_stage_function* {
    return prelu ? of.template operator()<Alu, true>() : of.template operator()<Alu, false>();
  };
  if (alu == max) return with.template operator()<max>();
  if (alu == min) return with.template operator()<min>();
  return with.template operator()<sum>();
}

NVDLAC_IMPL void sdp_stage(alu_algorithm alu, bool prelu, const std::int32_t* from,
                           std::int32_t* to, sdp_stream operand, sdp_stream scale,
                           sdp_range range) {
  sdp_stage_of(alu, prelu, []<alu_algorithm Alu, bool Prelu>() {
    return fastest_sdp_stage<Alu, Prelu>();
  })(from, to, operand, scale, range);
}

NVDLAC_IMPL void sdp_stage_portable(alu_algorithm alu, bool prelu, const std::int32_t* from,
                                    std::int32_t* to, sdp_stream operand, sdp_stream scale,
                                    sdp_range range) {
  sdp_stage_of(alu, prelu, []<alu_algorithm Alu, bool Prelu>() -> sdp_stage_function* {
    return sdp_stage_2<Alu, Prelu>;
  })(from, to, operand, scale, range);
}

inline void sdp_product_2(std::int32_t* v, const std::int32_t* operands, double power,
                          bool prelu) {
  using namespace packed;
  const auto low = both(INT32_MIN), high = both(INT32_MAX), one = both(1);
  for (std::size_t i = 0; i < sdp_block; i += 2) {
    const auto x = load(v + i), k = load(operands + i) * both(power);
    store_rounded(x * (prelu ? choose(x, one, k) : k), low, high, v + i);
  }
}

#if defined(__x86_64__) && defined(__GNUC__)

[[gnu::target("avx2")]] inline void sdp_product_4(std::int32_t* v, const std::int32_t* operands,
                                                  double power, bool prelu) {
  const auto low = _mm256_set1_pd(INT32_MIN), high = _mm256_set1_pd(INT32_MAX);
  const auto sign = _mm256_set1_pd(-0.0), half = _mm256_set1_pd(0.5);
  const auto factor = _mm256_set1_pd(power);
  const auto passes = _mm_set1_epi32(prelu ? -1 : 0);
  for (std::size_t i = 0; i < sdp_block; i += 4) {
    const auto x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(v + i));
    const auto k = _mm_loadu_si128(reinterpret_cast<const __m128i*>(operands + i));
    auto y = _mm256_mul_pd(_mm256_mul_pd(_mm256_cvtepi32_pd(x), _mm256_cvtepi32_pd(k)), factor);
    y = _mm256_add_pd(y, _mm256_or_pd(_mm256_and_pd(y, sign), half));
    const auto z = _mm256_cvttpd_epi32(_mm256_min_pd(_mm256_max_pd(y, low), high));
    const auto kept = _mm_andnot_si128(_mm_srai_epi32(x, 31), passes);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(v + i), _mm_blendv_epi8(z, x, kept));
  }
}

#endif

NVDLAC_IMPL void sdp_product(std::int32_t* v, const std::int32_t* operands, double power,
                             bool prelu) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (has_avx2()) return sdp_product_4(v, operands, power, prelu);
#endif
  sdp_product_2(v, operands, power, prelu);
}

namespace detail {

[[gnu::always_inline]] inline void scale_loop(const std::int32_t* __restrict from,
                                              double* __restrict to, double factor) {
  for (std::size_t i = 0; i < sdp_block; ++i) {
    const auto x = from[i] * factor;
    const auto above = x > INT32_MIN ? x : INT32_MIN;
    to[i] = above < INT32_MAX ? above : INT32_MAX;
  }
}

}  // namespace detail

NVDLAC_IMPL void sdp_scale_block(const std::int32_t* from, double* to, double factor) {
  on_widest<&detail::scale_loop>(from, to, factor);
}

NVDLAC_IMPL void sdp_convert_block(const converter& c, const std::int32_t* from, std::int32_t* to,
                                   sdp_range range) {
  sdp_stage(alu_algorithm::sum, false, from, to, sdp_constant(-static_cast<double>(c.offset)),
            sdp_constant(c.scale * sdp_power(c.shift)), range);
}

}  // namespace nvdlac::sim
