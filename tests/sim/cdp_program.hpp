// SPDX-License-Identifier: Apache-2.0
#pragma once
// Register programs of CDP written by hand, for tests and benchmarks of the simulator.
#include "program.hpp"

namespace program {

// A packed cube, normalised from memory to memory.
struct normalisation {
  std::uint32_t width = 4, height = 4, channels = 8, length = 5;
  hw::precision precision = hw::precision::int8;
  bool sum_bypass = false, product_bypass = false, nan_to_zero = false;
  std::int32_t input_offset = 0, input_scale = 1, input_shift = 0;
  std::int32_t output_offset = 0, output_scale = 1, output_shift = 0;
  std::uint32_t input = 0x10000, output = 0x200000;
};

template <hw::hardware Hw>
registers<Hw> cdp_registers(const normalisation& n) {
  constexpr auto atom = Hw::spec.memory_atom;
  const auto precision = static_cast<int>(n.precision);
  registers<Hw> r;
  r.count("CDP_RDMA.D_DATA_CUBE_WIDTH", n.width)
      .count("CDP_RDMA.D_DATA_CUBE_HEIGHT", n.height)
      .count("CDP_RDMA.D_DATA_CUBE_CHANNEL", n.channels)
      .bytes("CDP_RDMA.D_SRC_BASE_ADDR_LOW", n.input)
      .bytes("CDP_RDMA.D_SRC_LINE_STRIDE", n.width * atom)
      .bytes("CDP_RDMA.D_SRC_SURFACE_STRIDE", n.width * n.height * atom)
      .set("CDP_RDMA.D_SRC_DMA_CFG.SRC_RAM_TYPE", 1)
      .set("CDP_RDMA.D_DATA_FORMAT.INPUT_DATA", precision)
      .set("CDP.D_FUNC_BYPASS.SQSUM_BYPASS", n.sum_bypass)
      .set("CDP.D_FUNC_BYPASS.MUL_BYPASS", n.product_bypass)
      .bytes("CDP.D_DST_BASE_ADDR_LOW", n.output)
      .bytes("CDP.D_DST_LINE_STRIDE", n.width * atom)
      .bytes("CDP.D_DST_SURFACE_STRIDE", n.width * n.height * atom)
      .set("CDP.D_DST_DMA_CFG.DST_RAM_TYPE", 1)
      .set("CDP.D_DATA_FORMAT.INPUT_DATA_TYPE", precision)
      .set("CDP.D_NAN_FLUSH_TO_ZERO", n.nan_to_zero)
      .set("CDP.D_LRN_CFG.NORMALZ_LEN", (n.length - 3) / 2)
      .set("CDP.D_DATIN_OFFSET", n.input_offset)
      .set("CDP.D_DATIN_SCALE", n.input_scale)
      .set("CDP.D_DATIN_SHIFTER", n.input_shift)
      .set("CDP.D_DATOUT_OFFSET", n.output_offset)
      .set("CDP.D_DATOUT_SCALE", n.output_scale)
      .set("CDP.D_DATOUT_SHIFTER", n.output_shift);
  return r;
}

// Writes both tables of CDP, and LE linear from 0 on with entries 2^select apart; LO begins at
// `lo_start`, beyond what sums reach.
template <hw::hardware Hw>
void load_cdp_tables(sim::device<Hw>& d, const sim::lut_tables& t, std::int32_t select,
                     std::int64_t lo_start = 0x1fffff) {
  const auto write = [&](std::string_view name, std::uint32_t value) {
    d.write(hw::find(Hw::spec.map, name)->address, value);
  };
  constexpr std::uint32_t lo = 1 << 16, writes = 1 << 17;
  write("CDP.S_LUT_ACCESS_CFG", writes);
  for (const auto e : t.le) write("CDP.S_LUT_ACCESS_DATA", static_cast<std::uint16_t>(e));
  write("CDP.S_LUT_ACCESS_CFG", lo | writes);
  for (const auto e : t.lo) write("CDP.S_LUT_ACCESS_DATA", static_cast<std::uint16_t>(e));
  registers<Hw> r;
  r.set("CDP.S_LUT_CFG.LUT_LE_FUNCTION", 1)
      .set("CDP.S_LUT_INFO.LUT_LE_INDEX_SELECT", select)
      .set("CDP.S_LUT_INFO.LUT_LO_INDEX_SELECT", 0)
      .set("CDP.S_LUT_LE_END_LOW", std::int64_t{64} << select)
      .set("CDP.S_LUT_LO_START_LOW", lo_start)
      .set("CDP.S_LUT_LO_END_LOW", lo_start);
  r.write(d);
}

}  // namespace program
