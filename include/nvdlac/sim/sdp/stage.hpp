// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstddef>

#include <nvdlac/sim/sdp/arithmetic.hpp>

namespace nvdlac::sim {

// The arithmetic of SDP's integer sub-units on blocks of elements, in doubles. All
// products but those of Y with large multipliers are below 2^52: doubles hold them exactly, with
// the half that rounding adds.
inline constexpr std::size_t sdp_block = 256;  // elements, a multiple of the lanes of any surface

// An operand for each element of a block, or four of the same for all.
struct sdp_stream {
  const double* data = nullptr;
  bool constant = false;
};

struct sdp_range {
  double low = INT32_MIN, high = INT32_MAX;
};

// to = (from alu operand) * scale, rounded and clamped, where a scale is a multiplier / 2^shift.
// With PReLU, numbers of 0 and above are not scaled.
void sdp_stage(alu_algorithm alu, bool prelu, const std::int32_t* from, std::int32_t* to,
               sdp_stream operand, sdp_stream scale, sdp_range range);

// v * operands * power, rounded and clamped to 32 bits; with PReLU, numbers of 0 and above stay.
void sdp_product(std::int32_t* v, const std::int32_t* operands, double power, bool prelu);

// to = from * factor, clamped to 32 bits.
void sdp_scale_block(const std::int32_t* from, double* to, double factor);

// A constant for all elements of a stream.
struct sdp_constant {
  double value[4];
  explicit sdp_constant(double x) : value{x, x, x, x} {}
  operator sdp_stream() const { return {value, true}; }
};

// 2^-shift; beyond 100 every product of SDP becomes 0.
inline double sdp_power(int shift) { return std::ldexp(1.0, -std::min(shift, 100)); }

// Converts a block: (x - offset) * scale / 2^shift.
void sdp_convert_block(const converter& c, const std::int32_t* from, std::int32_t* to,
                       sdp_range range);

}  // namespace nvdlac::sim

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/sim/sdp/stage.ipp>
#endif
