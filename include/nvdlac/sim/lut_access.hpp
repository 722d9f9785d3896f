// SPDX-License-Identifier: Apache-2.0
#pragma once
// How software fills and reads the lookup tables of SDP and CDP: S_LUT_ACCESS_CFG selects table,
// direction and entry, S_LUT_ACCESS_DATA moves one entry and goes on to the next.
#include <nvdlac/arithmetic/lut.hpp>
#include <nvdlac/hw/registers.hpp>
#include <nvdlac/sim/float_format.hpp>
#include <nvdlac/sim/rule.hpp>

namespace nvdlac::sim {

class lut_access {
 public:
  // S_LUT_ACCESS_CFG, whose fields lie alike in both units and both register maps.
  void configure(std::string_view where, std::uint32_t word) {
    const auto entry = address.extract(word);
    const bool lo = table.extract(word) != 0;
    require(entry <= last(lo), where, "the table ", lo ? "LO" : "LE", " has no entry ", entry);
    entry_ = entry;
    lo_ = lo;
    writes_ = direction.extract(word) != 0;
  }
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

}  // namespace nvdlac::sim
