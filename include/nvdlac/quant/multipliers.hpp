// SPDX-License-Identifier: Apache-2.0
#pragma once
// Positive real factors as NVDLA's converters hold them: a 16-bit multiplier and a right shift.
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quant {

using quantised::round_to, quantised::top_of;

// Products in SDP stay below 2^49 and its shifts below 64; a shift above 50 yields zero anyway.
inline constexpr int highest_shift = 50;

// The shift, 0 .. highest_shift, that brings `largest` into [2^14, 2^15) without reaching 2^15 when
// it is rounded up. A number of 2^15 or more keeps shift 0 and does not fit.
int shift_for(double largest);

// x rounded half away from zero and clamped to +-32767.
std::int16_t round16(double x);
// std::round is a function call on many processors, and all weights come here: cutting off what is
// behind the point gives the same after the largest number below a half is added.
std::int8_t round8(double x);

// The largest magnitude.
double largest_of(std::span<const float> values);

// The converter nearest to a positive `ratio`. From 32767 on every integer but 0 saturates an int8
// either way.
converter nearest_converter(double ratio);
double ratio_of(const converter& c);

// The least ratio with which a converter can count from another integer than 0: its offset has 32
// bits.
inline constexpr double least_ratio = 0x1p-23;

// Makes the converter give the integer `zero` for `sum`.
void count_from(std::int32_t zero, double sum, converter& c);

// The gains of channels that reach so far, of a tensor that reaches `top`: powers of two, with room
// for inputs that were not seen.
std::vector<double> gains_of(const std::vector<double>& reach, double top);

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/multipliers.ipp>
#endif
