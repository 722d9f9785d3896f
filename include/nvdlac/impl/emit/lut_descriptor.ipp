// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/emit/descriptor.hpp>
#include <nvdlac/emit/firmware.hpp>
#include <nvdlac/emit/lut_descriptor.hpp>
#include <nvdlac/layer/lut.hpp>

namespace nvdlac::emit {

NVDLAC_IMPL layer::lut decode(const firmware::lut_param& r) {
  for (const auto choice : {r.hybrid, r.underflow, r.overflow, r.method})
    expect(choice <= 1, "lut priority or method", choice, "is neither 0 nor 1");
  const auto slope = [](const firmware::lut_slope& l) {
    return layer::lut_slope{l.scale, l.shift};
  };
  const auto end = [](std::uint64_t x) {
    return std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(x))};
  };
  const bool exponential = r.method == 0;
  return {.settings = {.exponential = exponential,
                       .offset = exponential ? int{r.le_offset} : 0,
                       .underflow_lo = r.underflow == 1,
                       .overflow_lo = r.overflow == 1,
                       .hybrid_lo = r.hybrid == 1,
                       .le = {end(r.le_start), end(r.le_end), exponential ? 0 : int{r.le_offset},
                              slope(r.le_underflow), slope(r.le_overflow)},
                       .lo = {end(r.lo_start), end(r.lo_end), r.lo_offset, slope(r.lo_underflow),
                              slope(r.lo_overflow)}},
          .tables = {r.le, r.lo}};
}

}  // namespace nvdlac::emit
