// SPDX-License-Identifier: Apache-2.0
#pragma once
// The fp16 side of SDP: fp32 inside, operands of fp16.
#include <nvdlac/sim/float_format.hpp>
#include <nvdlac/sim/sdp_arithmetic.hpp>

namespace nvdlac::sim {

// An operand, its NaN flushed if NAN_TO_ZERO says so.
constexpr fp32 sdp_float_operand(fp16 x, bool nan_to_zero) {
  return nan_to_zero && x.is_nan() ? fp32{} : convert<fp32>(x);
}

constexpr fp32 sdp_float_alu(alu_algorithm a, fp32 x, fp32 operand) {
  switch (a) {
    case alu_algorithm::max: return max(x, operand);
    case alu_algorithm::min: return min(x, operand);
    case alu_algorithm::equal: return {x.bits != operand.bits};
    default: return add(x, operand);
  }
}

// With PReLU, whatever has the sign bit 0 goes around the multiplier, a NaN too.
constexpr fp32 sdp_float_mul(fp32 x, fp32 operand, bool prelu) {
  return prelu && x.sign() == 0 ? x : mul(x, operand);
}

// The output of fp16 and, through it, of int16; the converter's registers do not take part.
constexpr fp16 sdp_float_output(fp32 x) { return convert<fp16>(x); }
constexpr std::int16_t sdp_float_output_16(fp32 x) {
  return static_cast<std::int16_t>(to_integer<16>(convert<fp16>(x)));
}

}  // namespace nvdlac::sim
