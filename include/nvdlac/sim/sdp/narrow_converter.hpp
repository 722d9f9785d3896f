// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include <nvdlac/sim/sdp/integer_block.hpp>

namespace nvdlac::sim {

// What the output converter must do to numbers of some magnitude.
enum class sdp_conversion {
  saturate,  // nothing but that
  multiply,  // 32 bits hold all products
  clamp,     // they do once numbers so far from the offset that they saturate are brought nearer
  wide       // they do not
};

// The output converter to int8 or int16 in 32 bits.
struct sdp_narrow_converter {
  std::int32_t least = 0, most = 0;  // to which numbers are clamped
  std::int32_t offset = 0, scale = 1;
  sdp_rounding round{0};
  bool clamps = false;  // to `least` and `most` is enough

  constexpr sdp_narrow_converter() = default;
  // `top`: the largest output.
  constexpr sdp_narrow_converter(const converter& c, std::int32_t top)
      : offset(c.offset), scale(c.scale), round(std::min<int>(c.shift, 31)) {
    if (c.shift > 30) return;
    const auto size = sdp_magnitude_of(scale);
    const auto reach = size == 0 ? 0 : ((std::int64_t{top} + 1) << c.shift) / size + 1;
    clamps = sdp_rounding::holds(reach * size, c.shift);
    least = static_cast<std::int32_t>(std::max<std::int64_t>(INT32_MIN, offset - reach));
    most = static_cast<std::int32_t>(std::min<std::int64_t>(INT32_MAX, offset + reach));
  }

  constexpr sdp_conversion conversion(sdp_magnitude in) const {
    using enum sdp_conversion;
    if (offset == 0 && scale == 1 && round.shift == 0) return saturate;
    const auto sum = in + sdp_magnitude_of(offset);
    if (sum <= INT32_MAX && sdp_rounding::holds(sum * sdp_magnitude_of(scale), round.shift))
      return multiply;
    return clamps ? clamp : wide;
  }

  template <sdp_conversion How>
  [[gnu::always_inline]] constexpr std::int32_t operator()(std::int32_t x) const {
    if constexpr (How == sdp_conversion::saturate) return x;
    if constexpr (How == sdp_conversion::clamp) x = std::min(std::max(x, least), most);
    return round((x - offset) * scale);
  }
};

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

// A block to elements T in one of the narrow ways.
template <class T>
void sdp_convert_narrow(const sdp_narrow_converter& c, sdp_conversion how, const std::int32_t* v,
                        T* to) {
  using enum sdp_conversion;
  if (how == saturate) detail::convert_block<T, saturate>(v, to, c);
  else if (how == multiply) detail::convert_block<T, multiply>(v, to, c);
  else detail::convert_block<T, clamp>(v, to, c);
}

}  // namespace nvdlac::sim
