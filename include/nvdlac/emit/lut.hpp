// SPDX-License-Identifier: Apache-2.0
#pragma once
// The lookup tables of SDP and CDP: each unit's registers are one set for both groups, so they are
// written while no layer of the unit runs that looks up.
#include <cstdint>
#include <type_traits>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/emit/registers.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/cdp.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/layer/lut.hpp>
#include <nvdlac/layer/sdp.hpp>

namespace nvdlac::emit {

namespace detail {

// Writes the registers that both units have alike.
template <fixed_string Unit, class Set>
constexpr void write_lut(const layer::lut& lut, const Set& set) {
  const auto load = [&](bool lo, const auto& entries) {
    set(in_unit<Unit, ".S_LUT_ACCESS_CFG">, "LUT_ADDR"_is(0), "LUT_TABLE_ID"_is(lo),
        "LUT_ACCESS_TYPE"_is(1));
    for (const auto entry : entries)
      set(in_unit<Unit, ".S_LUT_ACCESS_DATA">, static_cast<std::uint16_t>(entry));
  };
  load(false, lut.tables.le);
  load(true, lut.tables.lo);
  const auto& s = lut.settings;
  set(in_unit<Unit, ".S_LUT_CFG">, "LUT_LE_FUNCTION"_is(!s.exponential),
      "LUT_UFLOW_PRIORITY"_is(s.underflow_lo), "LUT_OFLOW_PRIORITY"_is(s.overflow_lo),
      "LUT_HYBRID_PRIORITY"_is(s.hybrid_lo));
  set(in_unit<Unit, ".S_LUT_INFO">, "LUT_LE_INDEX_OFFSET"_is(s.offset),
      "LUT_LE_INDEX_SELECT"_is(s.le.select), "LUT_LO_INDEX_SELECT"_is(s.lo.select));
  set(in_unit<Unit, ".S_LUT_LE_SLOPE_SCALE">, "LUT_LE_SLOPE_UFLOW_SCALE"_is(s.le.underflow.scale),
      "LUT_LE_SLOPE_OFLOW_SCALE"_is(s.le.overflow.scale));
  set(in_unit<Unit, ".S_LUT_LE_SLOPE_SHIFT">, "LUT_LE_SLOPE_UFLOW_SHIFT"_is(s.le.underflow.shift),
      "LUT_LE_SLOPE_OFLOW_SHIFT"_is(s.le.overflow.shift));
  set(in_unit<Unit, ".S_LUT_LO_SLOPE_SCALE">, "LUT_LO_SLOPE_UFLOW_SCALE"_is(s.lo.underflow.scale),
      "LUT_LO_SLOPE_OFLOW_SCALE"_is(s.lo.overflow.scale));
  set(in_unit<Unit, ".S_LUT_LO_SLOPE_SHIFT">, "LUT_LO_SLOPE_UFLOW_SHIFT"_is(s.lo.underflow.shift),
      "LUT_LO_SLOPE_OFLOW_SHIFT"_is(s.lo.overflow.shift));
}

// Numbers of 38 bits.
template <class High, class Low, class Set>
constexpr void set_wide(High high, Low low, std::int64_t value, const Set& set) {
  set(high, (value >> 32) & 0x3f);
  set(low, value & 0xffffffff);
}

template <class Set>
constexpr void write_table(const layer::cdp&, const layer::lut& lut, const Set& set) {
  const auto &le = lut.settings.le, &lo = lut.settings.lo;
  write_lut<"CDP">(lut, set);
  set_wide("CDP.S_LUT_LE_START_HIGH"_reg, "CDP.S_LUT_LE_START_LOW"_reg, le.start, set);
  set_wide("CDP.S_LUT_LE_END_HIGH"_reg, "CDP.S_LUT_LE_END_LOW"_reg, le.end, set);
  set_wide("CDP.S_LUT_LO_START_HIGH"_reg, "CDP.S_LUT_LO_START_LOW"_reg, lo.start, set);
  set_wide("CDP.S_LUT_LO_END_HIGH"_reg, "CDP.S_LUT_LO_END_LOW"_reg, lo.end, set);
}
template <class Set>
constexpr void write_table(const layer::sdp&, const layer::lut& lut, const Set& set) {
  const auto &le = lut.settings.le, &lo = lut.settings.lo;
  write_lut<"SDP">(lut, set);
  set("SDP.S_LUT_LE_START"_reg, le.start);
  set("SDP.S_LUT_LE_END"_reg, le.end);
  set("SDP.S_LUT_LO_START"_reg, lo.start);
  set("SDP.S_LUT_LO_END"_reg, lo.end);
}

}  // namespace detail

// Whether the unit of a layer has a table in this configuration: CDP always, SDP in its unit Y.
template <class Layer>
constexpr bool has_table(const hw::spec& s) {
  if constexpr (std::is_same_v<Layer, layer::sdp>) return s.sdp_lut;
  else if constexpr (std::is_same_v<Layer, layer::cdp>) return s.has_cdp();
  else return false;
}

// Writes the table of the unit that computes the layer, one that looks up.
template <hw::hardware Hw, class Bus>
constexpr void program_lut(const layer::any& what, const layer::lut& lut, Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  nvdlac::visit([&]<class Layer>(const Layer& l) {
    if constexpr (has_table<Layer>(Hw::spec)) detail::write_table(l, lut, set);
    else throw error("the configuration has no lookup table for the layer");
  }, what);
}

// A record of which table is in which unit.
class loaded_luts {
 public:
  // Whether the layer needs another one, which is then the unit's.
  constexpr bool changes_for(const layer::any& what) {
    const auto lut = layer::lut_of(what);
    return lut >= 0 && std::exchange(loaded_[layer::index(layer::engine_of(what))], lut) != lut;
  }

 private:
  static constexpr std::int16_t none = -1;
  std::int16_t loaded_[layer::engines]{none, none, none, none, none, none};
};

}  // namespace nvdlac::emit
