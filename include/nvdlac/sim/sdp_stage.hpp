// SPDX-License-Identifier: Apache-2.0
#pragma once
// The arithmetic of SDP's integer sub-units on blocks of elements, in pairs of doubles. All
// products but those of Y with large multipliers are below 2^52: doubles hold them exactly, with
// the half that rounding adds.
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>

#include <nvdlac/sim/sdp_arithmetic.hpp>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace nvdlac::sim {

inline constexpr std::size_t sdp_block = 256;  // elements, a multiple of the lanes of any surface

// An operand for each element of a block, or (step 0) two of the same for all.
struct sdp_stream {
  const double* data = nullptr;
  std::size_t step = 2;
};

namespace packed {

using reals [[gnu::vector_size(16)]] = double;
using longs [[gnu::vector_size(16)]] = std::int64_t;
using words [[gnu::vector_size(8)]] = std::int32_t;

inline reals load(const double* from) {
  reals v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
inline reals load(const std::int32_t* from) {
  words v;
  std::memcpy(&v, from, sizeof v);
  return __builtin_convertvector(v, reals);
}

#ifdef __SSE2__
inline reals smaller(reals a, reals b) { return _mm_min_pd(a, b); }
inline reals larger(reals a, reals b) { return _mm_max_pd(a, b); }
#else
inline reals smaller(reals a, reals b) { return reals{std::min(a[0], b[0]), std::min(a[1], b[1])}; }
inline reals larger(reals a, reals b) { return reals{std::max(a[0], b[0]), std::max(a[1], b[1])}; }
#endif

// Half away from zero, then from `low` to `high`, which are integers of 32 bits.
inline words round(reals x, reals low, reals high) {
  constexpr longs sign{INT64_MIN, INT64_MIN};
  constexpr auto half = std::bit_cast<std::int64_t>(0.5);
  x += std::bit_cast<reals>((std::bit_cast<longs>(x) & sign) | longs{half, half});
  return __builtin_convertvector(smaller(larger(x, low), high), words);
}

inline reals choose(longs mask, reals a, reals b) {
  return std::bit_cast<reals>((std::bit_cast<longs>(a) & mask) |
                              (std::bit_cast<longs>(b) & ~mask));
}

}  // namespace packed

struct sdp_range {
  double low = INT32_MIN, high = INT32_MAX;
};

// to = (from alu operand) * scale, rounded and clamped, where a scale is a multiplier / 2^shift.
// With PReLU, numbers of 0 and above are not scaled.
template <alu_algorithm Alu, bool Prelu>
void sdp_stage(const std::int32_t* from, std::int32_t* to, sdp_stream operand, sdp_stream scale,
               sdp_range range) {
  using namespace packed;
  const reals low{range.low, range.low}, high{range.high, range.high};
  for (std::size_t i = 0; i < sdp_block;
       i += 2, operand.data += operand.step, scale.data += scale.step) {
    auto x = load(from + i);
    const auto o = load(operand.data);
    auto k = load(scale.data);
    if constexpr (Alu == alu_algorithm::sum) x += o;
    if constexpr (Alu == alu_algorithm::max) x = larger(x, o);
    if constexpr (Alu == alu_algorithm::min) x = smaller(x, o);
    if constexpr (Prelu) k = choose(std::bit_cast<longs>(x >= reals{}), reals{1, 1}, k);
    const auto y = round(x * k, low, high);
    std::memcpy(to + i, &y, sizeof y);
  }
}

inline void sdp_stage(alu_algorithm alu, bool prelu, const std::int32_t* from, std::int32_t* to,
                      sdp_stream operand, sdp_stream scale, sdp_range range) {
  using enum alu_algorithm;
  const auto run = alu == max   ? prelu ? sdp_stage<max, true> : sdp_stage<max, false>
                   : alu == min ? prelu ? sdp_stage<min, true> : sdp_stage<min, false>
                                : (prelu ? sdp_stage<sum, true> : sdp_stage<sum, false>);
  run(from, to, operand, scale, range);
}

// to = from * factor, clamped to 32 bits.
inline void sdp_scale_block(const std::int32_t* from, double* to, double factor) {
  using namespace packed;
  constexpr sdp_range range{};
  for (std::size_t i = 0; i < sdp_block; i += 2) {
    const auto x = load(from + i) * reals{factor, factor};
    const auto y = smaller(larger(x, reals{range.low, range.low}), reals{range.high, range.high});
    std::memcpy(to + i, &y, sizeof y);
  }
}

// A constant for all elements of a stream.
struct sdp_constant {
  double value[2];
  explicit sdp_constant(double x) : value{x, x} {}
  operator sdp_stream() const { return {value, 0}; }
};

// 2^-shift; beyond 100 every product of SDP becomes 0.
inline double sdp_power(int shift) { return std::ldexp(1.0, -std::min(shift, 100)); }

// Converts a block: (x - offset) * scale / 2^shift.
inline void sdp_convert_block(const converter& c, const std::int32_t* from, std::int32_t* to,
                              sdp_range range) {
  sdp_stage<alu_algorithm::sum, false>(from, to, sdp_constant(-static_cast<double>(c.offset)),
                                       sdp_constant(c.scale * sdp_power(c.shift)), range);
}

}  // namespace nvdlac::sim
