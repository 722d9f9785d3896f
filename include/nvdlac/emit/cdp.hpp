// SPDX-License-Identifier: Apache-2.0
#pragma once
// The registers of CDP.
#include <cstdint>
#include <type_traits>

#include <nvdlac/emit/groups.hpp>
#include <nvdlac/emit/registers.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/cdp.hpp>

namespace nvdlac::emit {

// The registers' code of 3, 5, 7 or 9 channels.
constexpr std::int32_t cdp_length(std::int32_t local_size) { return (local_size - 1) / 2 - 1; }

// Writes the D_ registers of CDP_RDMA and CDP. A value that does not fit its field is an `error`.
template <hw::hardware Hw, class Bus>
constexpr void program(const layer::cdp& l, const addresses auto& where, groups g, Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  detail::point<layer::cdp>(set, g);
  const dma_address in = where(l.input.at), out = where(l.output.at);
  set("CDP_RDMA.D_DATA_CUBE_WIDTH"_reg, "WIDTH"_is(l.input.shape.w - 1));
  set("CDP_RDMA.D_DATA_CUBE_HEIGHT"_reg, "HEIGHT"_is(l.input.shape.h - 1));
  set("CDP_RDMA.D_DATA_CUBE_CHANNEL"_reg, "CHANNEL"_is(l.input.shape.c - 1));
  set.address("CDP_RDMA.D_SRC_BASE_ADDR_HIGH"_reg, "CDP_RDMA.D_SRC_BASE_ADDR_LOW"_reg, in);
  set("CDP_RDMA.D_SRC_LINE_STRIDE"_reg, bytes{l.input.line_stride});
  set("CDP_RDMA.D_SRC_SURFACE_STRIDE"_reg, bytes{l.input.surface_stride});
  set("CDP_RDMA.D_SRC_DMA_CFG"_reg, "SRC_RAM_TYPE"_is(in.dram));
  set("CDP_RDMA.D_DATA_FORMAT"_reg, "INPUT_DATA"_is(code(l.input.precision)));
  set.address("CDP.D_DST_BASE_ADDR_HIGH"_reg, "CDP.D_DST_BASE_ADDR_LOW"_reg, out);
  set("CDP.D_DST_LINE_STRIDE"_reg, bytes{l.output.line_stride});
  set("CDP.D_DST_SURFACE_STRIDE"_reg, bytes{l.output.surface_stride});
  set("CDP.D_DST_DMA_CFG"_reg, "DST_RAM_TYPE"_is(out.dram));
  set("CDP.D_DATA_FORMAT"_reg, "INPUT_DATA_TYPE"_is(code(l.input.precision)));
  set("CDP.D_NAN_FLUSH_TO_ZERO"_reg, "NAN_TO_ZERO"_is(0));
  set("CDP.D_LRN_CFG"_reg, "NORMALZ_LEN"_is(cdp_length(l.local_size)));
  set("CDP.D_DATIN_OFFSET"_reg, "DATIN_OFFSET"_is(l.in.offset));
  set("CDP.D_DATIN_SCALE"_reg, "DATIN_SCALE"_is(l.in.scale));
  set("CDP.D_DATIN_SHIFTER"_reg, "DATIN_SHIFTER"_is(l.in.shift));
  set("CDP.D_DATOUT_OFFSET"_reg, "DATOUT_OFFSET"_is(l.out.offset));
  set("CDP.D_DATOUT_SCALE"_reg, "DATOUT_SCALE"_is(l.out.scale));
  set("CDP.D_DATOUT_SHIFTER"_reg, "DATOUT_SHIFTER"_is(l.out.shift));
  set("CDP.D_FUNC_BYPASS"_reg, "SQSUM_BYPASS"_is(0), "MUL_BYPASS"_is(0));
}

}  // namespace nvdlac::emit
