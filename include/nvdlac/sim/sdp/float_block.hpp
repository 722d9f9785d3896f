// SPDX-License-Identifier: Apache-2.0
#pragma once
// The fp16 side of SDP on whole blocks, for those that hold only zeros and normal numbers: on them
// the hardware computes as IEEE 754 has it, but for the sign of a sum of 0. Each function says
// whether the block was such a one; if not, its result is of no use.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <nvdlac/sim/sdp/stage.hpp>

namespace nvdlac::sim {

using sdp_integers = std::array<std::int32_t, sdp_block>;

namespace detail {

// Of fp32: NaN, infinite or denormal.
constexpr std::int32_t is_odd(std::int32_t bits) {
  const auto magnitude = bits & 0x7fffffff;
  return (magnitude >= 0x7f800000) | ((magnitude < 0x00800000) & (magnitude != 0));
}

inline float real(std::int32_t bits) { return std::bit_cast<float>(bits); }
inline std::int32_t whole(float x) { return std::bit_cast<std::int32_t>(x); }

// f(bits, bits) -> bits, for each pair.
template <class F>
bool quick_block(const sdp_integers& a, const sdp_integers& b, sdp_integers& to, F f) {
  std::int32_t odd = 0;
  for (std::size_t i = 0; i < sdp_block; ++i) to[i] = f(a[i], b[i]);
  for (std::size_t i = 0; i < sdp_block; ++i) odd |= is_odd(a[i]) | is_odd(b[i]) | is_odd(to[i]);
  return odd == 0;
}

}  // namespace detail

inline bool quick_widen(sdp_integers& halves) {
  sdp_integers to;
  std::uint32_t odd = 0;
  for (std::size_t i = 0; i < sdp_block; ++i) {
    const auto x = static_cast<std::uint32_t>(halves[i]), magnitude = x & 0x7fff;
    odd |= (magnitude >= 0x7c00) | ((magnitude < 0x0400) & (magnitude != 0));
    const auto wide = magnitude == 0 ? 0 : (magnitude << 13) + 0x38000000;
    to[i] = static_cast<std::int32_t>(wide | (x & 0x8000) << 16);
  }
  if (odd == 0) halves = to;
  return odd == 0;
}

inline bool quick_narrow(const std::int32_t* v, sdp_integers& halves) {
  std::uint32_t odd = 0;
  for (std::size_t i = 0; i < sdp_block; ++i) {
    const auto x = static_cast<std::uint32_t>(v[i]), magnitude = x & 0x7fffffff;
    odd |= ((magnitude < 0x38800000) & (magnitude != 0)) | (magnitude >= 0x477ff000);
    const auto half = (magnitude + 0x0fff + (magnitude >> 13 & 1)) >> 13;
    halves[i] = static_cast<std::int32_t>((magnitude == 0 ? 0 : half - 0x1c000) | x >> 31 << 15);
  }
  return odd == 0;
}

inline bool quick_add(const sdp_integers& a, const sdp_integers& b, sdp_integers& to) {
  return detail::quick_block(a, b, to, [](std::int32_t x, std::int32_t y) {
    const auto z = detail::whole(detail::real(x) + detail::real(y));
    const auto sign_only = -static_cast<std::int32_t>((z & 0x7fffffff) == 0);
    return (z & ~sign_only) | (x & INT32_MIN & sign_only);
  });
}

inline bool quick_mul(const sdp_integers& a, const sdp_integers& b, bool prelu,
                      sdp_integers& to) {
  const std::int32_t passes = prelu ? -1 : 0;  // what has the sign bit 0
  return detail::quick_block(a, b, to, [passes](std::int32_t x, std::int32_t y) {
    const auto z = detail::whole(detail::real(x) * detail::real(y));
    const auto passed = ~(x >> 31) & passes;
    return (x & passed) | (z & ~passed);
  });
}

}  // namespace nvdlac::sim
