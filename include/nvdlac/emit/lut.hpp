// SPDX-License-Identifier: Apache-2.0
#pragma once
// The lookup table of SDP: its registers are one set for both groups, so it is written while no
// layer runs that looks up.
#include <cstdint>
#include <type_traits>
#include <variant>

#include <nvdlac/emit/registers.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/layer/lut.hpp>

namespace nvdlac::emit {

template <hw::hardware Hw, class Bus>
constexpr void program_sdp_lut(const layer::lut& lut, Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  const auto load = [&](bool lo, const auto& entries) {
    set("SDP.S_LUT_ACCESS_CFG"_reg, "LUT_ADDR"_is(0), "LUT_TABLE_ID"_is(lo),
        "LUT_ACCESS_TYPE"_is(1));
    for (const auto entry : entries)
      set("SDP.S_LUT_ACCESS_DATA"_reg, static_cast<std::uint16_t>(entry));
  };
  load(false, lut.tables.le);
  load(true, lut.tables.lo);
  const auto& s = lut.settings;
  set("SDP.S_LUT_CFG"_reg, "LUT_LE_FUNCTION"_is(!s.exponential),
      "LUT_UFLOW_PRIORITY"_is(s.underflow_lo), "LUT_OFLOW_PRIORITY"_is(s.overflow_lo),
      "LUT_HYBRID_PRIORITY"_is(s.hybrid_lo));
  set("SDP.S_LUT_INFO"_reg, "LUT_LE_INDEX_OFFSET"_is(s.offset),
      "LUT_LE_INDEX_SELECT"_is(s.le.select), "LUT_LO_INDEX_SELECT"_is(s.lo.select));
  set("SDP.S_LUT_LE_START"_reg, s.le.start);
  set("SDP.S_LUT_LE_END"_reg, s.le.end);
  set("SDP.S_LUT_LO_START"_reg, s.lo.start);
  set("SDP.S_LUT_LO_END"_reg, s.lo.end);
  set("SDP.S_LUT_LE_SLOPE_SCALE"_reg, "LUT_LE_SLOPE_UFLOW_SCALE"_is(s.le.underflow.scale),
      "LUT_LE_SLOPE_OFLOW_SCALE"_is(s.le.overflow.scale));
  set("SDP.S_LUT_LE_SLOPE_SHIFT"_reg, "LUT_LE_SLOPE_UFLOW_SHIFT"_is(s.le.underflow.shift),
      "LUT_LE_SLOPE_OFLOW_SHIFT"_is(s.le.overflow.shift));
  set("SDP.S_LUT_LO_SLOPE_SCALE"_reg, "LUT_LO_SLOPE_UFLOW_SCALE"_is(s.lo.underflow.scale),
      "LUT_LO_SLOPE_OFLOW_SCALE"_is(s.lo.overflow.scale));
  set("SDP.S_LUT_LO_SLOPE_SHIFT"_reg, "LUT_LO_SLOPE_UFLOW_SHIFT"_is(s.lo.underflow.shift),
      "LUT_LO_SLOPE_OFLOW_SHIFT"_is(s.lo.overflow.shift));
}

// The lookup table of the program that the layer needs, or -1.
constexpr std::int16_t lut_of(const layer::any& what) {
  const auto* s = std::get_if<layer::sdp>(&what);
  return s != nullptr ? s->lut : std::int16_t{-1};
}

}  // namespace nvdlac::emit
