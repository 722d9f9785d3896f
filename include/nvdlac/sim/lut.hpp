// SPDX-License-Identifier: Apache-2.0
#pragma once
// The lookup tables: how they are written, and how a layer finds them.
#include <nvdlac/arithmetic/cdp.hpp>
#include <nvdlac/arithmetic/lut.hpp>
#include <nvdlac/hw/registers.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/sim/register_file.hpp>
#include <nvdlac/sim/rule.hpp>

namespace nvdlac::sim {

// How software fills and reads the lookup tables of SDP and CDP: S_LUT_ACCESS_CFG selects table,
// direction and entry, S_LUT_ACCESS_DATA moves one entry and goes on to the next.

class lut_access {
 public:
  // S_LUT_ACCESS_CFG, whose fields lie alike in both units and both register maps.
  void configure(std::string_view where, std::uint32_t word);
  std::uint32_t configuration() const {
    return address.insert(entry_) | table.insert(lo_) |
           direction.insert(writes_);
  }

  // S_LUT_ACCESS_DATA. An access against the selected direction moves nothing.
  void write(std::uint32_t data) {
    if (!writes_) return;
    (lo_ ? tables_.lo[entry_] : tables_.le[entry_]) = static_cast<std::int16_t>(data);
    next();
  }
  std::uint32_t read() {
    const auto data = static_cast<std::uint16_t>(lo_ ? tables_.lo[entry_] : tables_.le[entry_]);
    if (!writes_) next();
    return data;
  }

  const lut_tables& tables() const { return tables_; }

 private:
  static constexpr auto map = hw::register_map::small;
  static constexpr const hw::field& address = hw::field_of<map, "SDP.S_LUT_ACCESS_CFG.LUT_ADDR">;
  static constexpr const hw::field& table = hw::field_of<map, "SDP.S_LUT_ACCESS_CFG.LUT_TABLE_ID">;
  static constexpr const hw::field& direction =
      hw::field_of<map, "SDP.S_LUT_ACCESS_CFG.LUT_ACCESS_TYPE">;

  static constexpr std::uint32_t last(bool lo) {
    return static_cast<std::uint32_t>(lo ? lut::lo_last : lut::le_last);
  }
  // Behind the last entry there is no next.
  void next() { entry_ += entry_ < last(lo_); }

  lut_tables tables_{};
  std::uint32_t entry_ = 0;
  bool lo_ = false, writes_ = false;
};

// The S_LUT_ registers of SDP; `g` a view of group 0.
template <hw::register_map Map>
lut_settings decode_sdp_lut(const group_view<Map>& g) {
  const auto scale = [](std::int32_t x) { return static_cast<std::int16_t>(x); };
  return {
      .exponential = !g.template on<"SDP.S_LUT_CFG.LUT_LE_FUNCTION">(),
      .offset = g.template i<"SDP.S_LUT_INFO.LUT_LE_INDEX_OFFSET">(),
      .underflow_lo = g.template on<"SDP.S_LUT_CFG.LUT_UFLOW_PRIORITY">(),
      .overflow_lo = g.template on<"SDP.S_LUT_CFG.LUT_OFLOW_PRIORITY">(),
      .hybrid_lo = g.template on<"SDP.S_LUT_CFG.LUT_HYBRID_PRIORITY">(),
      .le = {.start = g.template i<"SDP.S_LUT_LE_START">(),
             .end = g.template i<"SDP.S_LUT_LE_END">(),
             .select = g.template i<"SDP.S_LUT_INFO.LUT_LE_INDEX_SELECT">(),
             .underflow =
                 {scale(g.template i<"SDP.S_LUT_LE_SLOPE_SCALE.LUT_LE_SLOPE_UFLOW_SCALE">()),
                  g.template i<"SDP.S_LUT_LE_SLOPE_SHIFT.LUT_LE_SLOPE_UFLOW_SHIFT">()},
             .overflow =
                 {scale(g.template i<"SDP.S_LUT_LE_SLOPE_SCALE.LUT_LE_SLOPE_OFLOW_SCALE">()),
                  g.template i<"SDP.S_LUT_LE_SLOPE_SHIFT.LUT_LE_SLOPE_OFLOW_SHIFT">()}},
      .lo = {.start = g.template i<"SDP.S_LUT_LO_START">(),
             .end = g.template i<"SDP.S_LUT_LO_END">(),
             .select = g.template i<"SDP.S_LUT_INFO.LUT_LO_INDEX_SELECT">(),
             .underflow =
                 {scale(g.template i<"SDP.S_LUT_LO_SLOPE_SCALE.LUT_LO_SLOPE_UFLOW_SCALE">()),
                  g.template i<"SDP.S_LUT_LO_SLOPE_SHIFT.LUT_LO_SLOPE_UFLOW_SHIFT">()},
             .overflow =
                 {scale(g.template i<"SDP.S_LUT_LO_SLOPE_SCALE.LUT_LO_SLOPE_OFLOW_SCALE">()),
                  g.template i<"SDP.S_LUT_LO_SLOPE_SHIFT.LUT_LO_SLOPE_OFLOW_SHIFT">()}}};
}

// The S_LUT_ registers of CDP for a layer of precision `p`.
template <hw::register_map Map>
lut_settings decode_cdp_lut(const group_view<Map>& g, hw::precision p) {
  const auto scale = [](std::int32_t x) { return static_cast<std::int16_t>(x); };
  const auto wide = [](std::int32_t high, std::uint32_t low) {
    return std::int64_t{high} * (std::int64_t{1} << 32) + low;
  };
  const int bits = 6 + static_cast<int>(p);
  return {
      .exponential = !g.template on<"CDP.S_LUT_CFG.LUT_LE_FUNCTION">(),
      .offset = g.template i<"CDP.S_LUT_INFO.LUT_LE_INDEX_OFFSET">(),
      .underflow_lo = g.template on<"CDP.S_LUT_CFG.LUT_UFLOW_PRIORITY">(),
      .overflow_lo = g.template on<"CDP.S_LUT_CFG.LUT_OFLOW_PRIORITY">(),
      .hybrid_lo = g.template on<"CDP.S_LUT_CFG.LUT_HYBRID_PRIORITY">(),
      .le = {.start = wide(g.template i<"CDP.S_LUT_LE_START_HIGH">(),
                           g.template u<"CDP.S_LUT_LE_START_LOW">()),
             .end = wide(g.template i<"CDP.S_LUT_LE_END_HIGH">(),
                         g.template u<"CDP.S_LUT_LE_END_LOW">()),
             .select =
                 lut::cdp_select(g.template i<"CDP.S_LUT_INFO.LUT_LE_INDEX_SELECT">(), bits),
             .underflow =
                 {scale(g.template i<"CDP.S_LUT_LE_SLOPE_SCALE.LUT_LE_SLOPE_UFLOW_SCALE">()),
                  g.template i<"CDP.S_LUT_LE_SLOPE_SHIFT.LUT_LE_SLOPE_UFLOW_SHIFT">()},
             .overflow =
                 {scale(g.template i<"CDP.S_LUT_LE_SLOPE_SCALE.LUT_LE_SLOPE_OFLOW_SCALE">()),
                  g.template i<"CDP.S_LUT_LE_SLOPE_SHIFT.LUT_LE_SLOPE_OFLOW_SHIFT">()}},
      .lo = {.start = wide(g.template i<"CDP.S_LUT_LO_START_HIGH">(),
                           g.template u<"CDP.S_LUT_LO_START_LOW">()),
             .end = wide(g.template i<"CDP.S_LUT_LO_END_HIGH">(),
                         g.template u<"CDP.S_LUT_LO_END_LOW">()),
             .select =
                 lut::cdp_select(g.template i<"CDP.S_LUT_INFO.LUT_LO_INDEX_SELECT">(), bits),
             .underflow =
                 {scale(g.template i<"CDP.S_LUT_LO_SLOPE_SCALE.LUT_LO_SLOPE_UFLOW_SCALE">()),
                  g.template i<"CDP.S_LUT_LO_SLOPE_SHIFT.LUT_LO_SLOPE_UFLOW_SHIFT">()},
             .overflow =
                 {scale(g.template i<"CDP.S_LUT_LO_SLOPE_SCALE.LUT_LO_SLOPE_OFLOW_SCALE">()),
                  g.template i<"CDP.S_LUT_LO_SLOPE_SHIFT.LUT_LO_SLOPE_OFLOW_SHIFT">()}}};
}

}  // namespace nvdlac::sim

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/sim/lut.ipp>
#endif
