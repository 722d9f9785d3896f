// SPDX-License-Identifier: Apache-2.0
#pragma once
// The registers of Rubik.
#include <cstdint>
#include <type_traits>

#include <nvdlac/emit/groups.hpp>
#include <nvdlac/emit/registers.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/rubik.hpp>

namespace nvdlac::emit {

// Writes the D_ registers of Rubik. A value that does not fit its field is an `error`.
template <hw::hardware Hw, class Bus>
  requires(Hw::spec.rubik)
constexpr void program(const layer::rubik& l, const addresses auto& where, groups g, Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  const dma_address in = where(l.input.at), out = where(l.output.at);
  const auto precision = l.input.precision;
  const auto group = layer::surfaces(l.output.shape, Hw::spec.atom(), precision);
  detail::point<layer::rubik>(set, g);
  set("RBK.D_MISC_CFG"_reg, "RUBIK_MODE"_is(0), "IN_PRECISION"_is(code(precision)));
  set("RBK.D_DAIN_RAM_TYPE"_reg, "DATAIN_RAM_TYPE"_is(in.dram));
  set("RBK.D_DATAIN_SIZE_0"_reg, "DATAIN_WIDTH"_is(l.input.shape.w - 1),
      "DATAIN_HEIGHT"_is(l.input.shape.h - 1));
  set("RBK.D_DATAIN_SIZE_1"_reg, "DATAIN_CHANNEL"_is(l.input.shape.c - 1));
  set.address("RBK.D_DAIN_ADDR_HIGH"_reg, "RBK.D_DAIN_ADDR_LOW"_reg, in);
  set("RBK.D_DAIN_LINE_STRIDE"_reg, bytes{l.input.line_stride});
  set("RBK.D_DAIN_SURF_STRIDE"_reg, bytes{l.input.surface_stride});
  set("RBK.D_DAOUT_RAM_TYPE"_reg, "DATAOUT_RAM_TYPE"_is(out.dram));
  set("RBK.D_DATAOUT_SIZE_1"_reg, "DATAOUT_CHANNEL"_is(l.output.shape.c - 1));
  set.address("RBK.D_DAOUT_ADDR_HIGH"_reg, "RBK.D_DAOUT_ADDR_LOW"_reg, out);
  set("RBK.D_DAOUT_LINE_STRIDE"_reg, bytes{l.output.line_stride});
  set("RBK.D_DAOUT_SURF_STRIDE"_reg, bytes{l.output.surface_stride});
  set("RBK.D_CONTRACT_STRIDE_0"_reg, bytes{group * l.input.surface_stride});
  set("RBK.D_CONTRACT_STRIDE_1"_reg,
      bytes{static_cast<std::uint64_t>(l.stride_y) * l.output.line_stride});
  set("RBK.D_DECONV_STRIDE"_reg, "DECONV_X_STRIDE"_is(l.stride_x - 1),
      "DECONV_Y_STRIDE"_is(l.stride_y - 1));
}

}  // namespace nvdlac::emit
