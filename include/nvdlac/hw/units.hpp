// SPDX-License-Identifier: Apache-2.0
#pragma once
// The units of NVDLA that have registers, by their names in the register table.
#include <array>
#include <string_view>

#include <nvdlac/hw/spec.hpp>

namespace nvdlac::hw {

// The units that have two groups of registers, which work in ping-pong.
inline constexpr std::array<std::string_view, 12> ping_pong_units{
    "CDMA", "CSC", "CMAC_A", "CMAC_B", "CACC", "SDP_RDMA", "SDP",
    "PDP_RDMA", "PDP", "CDP_RDMA", "CDP", "RBK"};

// Whether the configuration has the unit.
constexpr bool has_unit(const spec& hw, std::string_view unit) {
  if (unit == "BDMA") return hw.bdma;
  if (unit == "RBK") return hw.rubik;
  if (unit == "PDP" || unit == "PDP_RDMA") return hw.has_pdp();
  if (unit == "CDP" || unit == "CDP_RDMA") return hw.has_cdp();
  if (unit == "CVIF") return hw.has_sram();
  return true;
}

}  // namespace nvdlac::hw
