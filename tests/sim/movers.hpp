// SPDX-License-Identifier: Apache-2.0
#pragma once
// Register programs of nv_full's BDMA and Rubik.
#include <nvdlac/hw/configurations/nv_full.hpp>

#include "program.hpp"

namespace movers {

using namespace nvdlac;

inline constexpr auto full = hw::register_map::full;
inline constexpr auto status = hw::address<full, "BDMA.STATUS">;
inline constexpr auto interrupts = hw::address<full, "GLB.S_INTR_STATUS">;

using buffer = std::vector<std::uint8_t>;

inline buffer counting(std::size_t n) {
  buffer b(n);
  for (std::size_t i = 0; i < n; ++i) b[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  return b;
}
inline buffer read(const sim::memory& ram, std::uint64_t at, std::size_t n) {
  buffer b(n);
  ram.read(at, b);
  return b;
}

// A copy of 2 surfaces of 3 lines of 64 bytes, from gaps to dense.
inline program::registers<nv_full> copy_registers() {
  program::registers<nv_full> r;
  r.bytes("BDMA.CFG_SRC_ADDR_LOW", 0x1000).bytes("BDMA.CFG_DST_ADDR_LOW", 0x8000)
      .count("BDMA.CFG_LINE.SIZE", 2).set("BDMA.CFG_CMD.SRC_RAM_TYPE", 1)
      .set("BDMA.CFG_CMD.DST_RAM_TYPE", 0).count("BDMA.CFG_LINE_REPEAT.NUMBER", 3)
      .count("BDMA.CFG_SURF_REPEAT.NUMBER", 2).bytes("BDMA.CFG_SRC_LINE", 96)
      .bytes("BDMA.CFG_SRC_SURF", 320).bytes("BDMA.CFG_DST_LINE", 64)
      .bytes("BDMA.CFG_DST_SURF", 192);
  return r;
}

inline void queue(sim::device<nv_full>& d) { d.write(hw::address<full, "BDMA.CFG_OP">, 1); }
inline void launch(sim::device<nv_full>& d, bool second = false) {
  d.write(second ? hw::address<full, "BDMA.CFG_LAUNCH1"> : hw::address<full, "BDMA.CFG_LAUNCH0">,
          1);
}

inline program::registers<nv_full> rubik(std::uint32_t mode, std::uint32_t precision,
                                         std::uint32_t width, std::uint32_t height,
                                         std::uint32_t in, std::uint32_t out) {
  program::registers<nv_full> r;
  r.set("RBK.D_MISC_CFG.RUBIK_MODE", mode).set("RBK.D_MISC_CFG.IN_PRECISION", precision)
      .set("RBK.D_DAIN_RAM_TYPE", 1).set("RBK.D_DAOUT_RAM_TYPE", 1)
      .count("RBK.D_DATAIN_SIZE_0.DATAIN_WIDTH", width)
      .count("RBK.D_DATAIN_SIZE_0.DATAIN_HEIGHT", height)
      .count("RBK.D_DATAIN_SIZE_1.DATAIN_CHANNEL", in)
      .count("RBK.D_DATAOUT_SIZE_1.DATAOUT_CHANNEL", out)
      .bytes("RBK.D_DAIN_ADDR_LOW", 0x1000).bytes("RBK.D_DAOUT_ADDR_LOW", 0x20000);
  return r;
}

}  // namespace movers
