// SPDX-License-Identifier: Apache-2.0
#pragma once
// The firmware's record of a lookup table of SDP.
#include <cstdint>

#include <nvdlac/emit/descriptor.hpp>
#include <nvdlac/emit/firmware.hpp>
#include <nvdlac/layer/lut.hpp>

namespace nvdlac::emit {

// Encodes a table; a value that does not fit is an `error` that names the field.
constexpr firmware::lut_param encode(const layer::lut& lut) {
  const auto& s = lut.settings;
  const auto slope = [](const layer::lut_slope& l) {
    return firmware::lut_slope{l.scale, narrow<std::int8_t>(l.shift, "lut.slope.shifter")};
  };
  return {.le = lut.tables.le,
          .lo = lut.tables.lo,
          .le_offset = narrow<std::int8_t>(s.exponential ? s.offset : s.le.select,
                                           "lut.linear_exp_offset"),
          .lo_offset = narrow<std::int8_t>(s.lo.select, "lut.linear_only_offset"),
          .le_start = static_cast<std::uint64_t>(s.le.start),
          .le_end = static_cast<std::uint64_t>(s.le.end),
          .lo_start = static_cast<std::uint64_t>(s.lo.start),
          .lo_end = static_cast<std::uint64_t>(s.lo.end),
          .le_underflow = slope(s.le.underflow),
          .le_overflow = slope(s.le.overflow),
          .lo_underflow = slope(s.lo.underflow),
          .lo_overflow = slope(s.lo.overflow),
          .hybrid = s.hybrid_lo,
          .underflow = s.underflow_lo,
          .overflow = s.overflow_lo,
          .method = !s.exponential};
}

// Decodes a table for SDP, whose starts and ends have 32 bits.
layer::lut decode(const firmware::lut_param& r);

}  // namespace nvdlac::emit

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/emit/lut_descriptor.ipp>
#endif
