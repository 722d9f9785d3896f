// SPDX-License-Identifier: Apache-2.0
#pragma once
// The registers of SDP.
#include <cstdint>
#include <type_traits>

#include <nvdlac/base/units.hpp>
#include <nvdlac/emit/groups.hpp>
#include <nvdlac/emit/registers.hpp>
#include <nvdlac/layer/sdp.hpp>

namespace nvdlac::emit {

// Bytes of the operands of one atom of channels: the strides of per-kernel operands, which have
// one line.
constexpr std::uint32_t operand_unit(const layer::sdp_unit& u, bytes atom, hw::precision p) {
  const std::uint32_t operands = u.alu && u.mul ? 2 : 1;
  return static_cast<std::uint32_t>(layer::lanes_of(atom, p)) * operands * u.operand_bytes;
}

namespace detail {

struct operand_reads {
  bool off = true;
  int use = 0;  // 0 mul, 1 alu, 2 both
  bool two_bytes = false, per_point = false;
  dma_address at{};
  bytes line{}, plane{};
};

constexpr operand_reads reads(const layer::sdp_unit& u, bytes atom, hw::precision p,
                              const addresses auto& where) {
  if (!u.reads_memory()) return {};
  const bool point = u.mode == layer::sdp_mode::per_point;
  const bytes unit{operand_unit(u, atom, p)};
  return {false, u.alu && u.mul ? 2 : u.alu ? 1 : 0, u.operand_bytes == 2, point,
          where(u.operands.at), point ? bytes{u.operands.line_stride} : unit,
          point ? bytes{u.operands.surface_stride} : unit};
}

template <class Set>
constexpr void program_sdp_rdma(const layer::sdp& l, bytes atom, const addresses auto& where,
                                const Set& set) {
  const bool flying = l.input.at.on_the_fly();
  const auto p = l.input.precision;
  const auto x1 = reads(l.x1, atom, p, where), x2 = reads(l.x2, atom, p, where);
  set("SDP_RDMA.D_FEATURE_MODE_CFG"_reg, "FLYING_MODE"_is(flying), "WINOGRAD"_is(l.winograd),
      "IN_PRECISION"_is(code(p)), "PROC_PRECISION"_is(code(l.inside())),
      "OUT_PRECISION"_is(code(l.output.precision)), "BATCH_NUMBER"_is(l.input.pictures - 1));
  set("SDP_RDMA.D_DATA_CUBE_WIDTH"_reg, "WIDTH"_is(l.input.shape.w - 1));
  set("SDP_RDMA.D_DATA_CUBE_HEIGHT"_reg, "HEIGHT"_is(l.input.shape.h - 1));
  set("SDP_RDMA.D_DATA_CUBE_CHANNEL"_reg, "CHANNEL"_is(l.input.shape.c - 1));
  if (!flying) {
    const dma_address in = where(l.input.at);
    set.address("SDP_RDMA.D_SRC_BASE_ADDR_HIGH"_reg, "SDP_RDMA.D_SRC_BASE_ADDR_LOW"_reg,
                in);
    set("SDP_RDMA.D_SRC_LINE_STRIDE"_reg, bytes{l.input.line_stride});
    set("SDP_RDMA.D_SRC_SURFACE_STRIDE"_reg, bytes{l.input.surface_stride});
    set("SDP_RDMA.D_SRC_DMA_CFG"_reg, "SRC_RAM_TYPE"_is(in.dram));
  }
  set("SDP_RDMA.D_BRDMA_CFG"_reg, "BRDMA_DISABLE"_is(x1.off), "BRDMA_DATA_USE"_is(x1.use),
      "BRDMA_DATA_SIZE"_is(x1.two_bytes), "BRDMA_DATA_MODE"_is(x1.per_point),
      "BRDMA_RAM_TYPE"_is(x1.at.dram));
  if (!x1.off) {
    set.address("SDP_RDMA.D_BS_BASE_ADDR_HIGH"_reg, "SDP_RDMA.D_BS_BASE_ADDR_LOW"_reg,
                x1.at);
    set("SDP_RDMA.D_BS_LINE_STRIDE"_reg, x1.line);
    set("SDP_RDMA.D_BS_SURFACE_STRIDE"_reg, x1.plane);
  }
  set("SDP_RDMA.D_NRDMA_CFG"_reg, "NRDMA_DISABLE"_is(x2.off), "NRDMA_DATA_USE"_is(x2.use),
      "NRDMA_DATA_SIZE"_is(x2.two_bytes), "NRDMA_DATA_MODE"_is(x2.per_point),
      "NRDMA_RAM_TYPE"_is(x2.at.dram));
  if (!x2.off) {
    set.address("SDP_RDMA.D_BN_BASE_ADDR_HIGH"_reg, "SDP_RDMA.D_BN_BASE_ADDR_LOW"_reg,
                x2.at);
    set("SDP_RDMA.D_BN_LINE_STRIDE"_reg, x2.line);
    set("SDP_RDMA.D_BN_SURFACE_STRIDE"_reg, x2.plane);
  }
  set("SDP_RDMA.D_ERDMA_CFG"_reg, "ERDMA_DISABLE"_is(1), "ERDMA_RAM_TYPE"_is(1));
}

template <class Set>
constexpr void program_x1(const layer::sdp_unit& u, const Set& set) {
  const bool memory = u.reads_memory();
  set("SDP.D_DP_BS_CFG"_reg, "BS_BYPASS"_is(!u.enabled()), "BS_ALU_BYPASS"_is(!u.alu),
      "BS_ALU_ALGO"_is(static_cast<int>(u.algorithm)), "BS_MUL_BYPASS"_is(!u.mul),
      "BS_MUL_PRELU"_is(u.prelu), "BS_RELU_BYPASS"_is(!u.relu));
  if (!u.enabled()) return;
  set("SDP.D_DP_BS_ALU_CFG"_reg, "BS_ALU_SRC"_is(memory && u.alu),
      "BS_ALU_SHIFT_VALUE"_is(u.alu_shift));
  set("SDP.D_DP_BS_ALU_SRC_VALUE"_reg, "BS_ALU_OPERAND"_is(memory ? 0 : u.alu_operand));
  set("SDP.D_DP_BS_MUL_CFG"_reg, "BS_MUL_SRC"_is(memory && u.mul),
      "BS_MUL_SHIFT_VALUE"_is(u.mul_shift));
  set("SDP.D_DP_BS_MUL_SRC_VALUE"_reg, "BS_MUL_OPERAND"_is(memory ? 0 : u.mul_operand));
}

template <class Set>
constexpr void program_x2(const layer::sdp_unit& u, const Set& set) {
  const bool memory = u.reads_memory();
  set("SDP.D_DP_BN_CFG"_reg, "BN_BYPASS"_is(!u.enabled()), "BN_ALU_BYPASS"_is(!u.alu),
      "BN_ALU_ALGO"_is(static_cast<int>(u.algorithm)), "BN_MUL_BYPASS"_is(!u.mul),
      "BN_MUL_PRELU"_is(u.prelu), "BN_RELU_BYPASS"_is(!u.relu));
  if (!u.enabled()) return;
  set("SDP.D_DP_BN_ALU_CFG"_reg, "BN_ALU_SRC"_is(memory && u.alu),
      "BN_ALU_SHIFT_VALUE"_is(u.alu_shift));
  set("SDP.D_DP_BN_ALU_SRC_VALUE"_reg, "BN_ALU_OPERAND"_is(memory ? 0 : u.alu_operand));
  set("SDP.D_DP_BN_MUL_CFG"_reg, "BN_MUL_SRC"_is(memory && u.mul),
      "BN_MUL_SHIFT_VALUE"_is(u.mul_shift));
  set("SDP.D_DP_BN_MUL_SRC_VALUE"_reg, "BN_MUL_OPERAND"_is(memory ? 0 : u.mul_operand));
}

}  // namespace detail

// Writes the D_ registers of SDP_RDMA and SDP. A value that does not fit its field is an `error`.
template <hw::hardware Hw, class Bus>
constexpr void program(const layer::sdp& l, const addresses auto& where, groups g, Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  detail::point<layer::sdp>(set, g);
  if (layer::engine<layer::sdp>::uses_reader(l))
    detail::program_sdp_rdma(l, Hw::spec.atom(), where, set);
  set("SDP.D_DATA_CUBE_WIDTH"_reg, "WIDTH"_is(l.input.shape.w - 1));
  set("SDP.D_DATA_CUBE_HEIGHT"_reg, "HEIGHT"_is(l.input.shape.h - 1));
  set("SDP.D_DATA_CUBE_CHANNEL"_reg, "CHANNEL"_is(l.input.shape.c - 1));
  const bool to_pdp = l.output.at.on_the_fly();
  const dma_address out = to_pdp ? dma_address{} : where(l.output.at);
  if (!to_pdp) {
    set.address("SDP.D_DST_BASE_ADDR_HIGH"_reg, "SDP.D_DST_BASE_ADDR_LOW"_reg, out);
    set("SDP.D_DST_LINE_STRIDE"_reg, bytes{l.output.line_stride});
    set("SDP.D_DST_SURFACE_STRIDE"_reg, bytes{l.output.surface_stride});
  }
  detail::program_x1(l.x1, set);
  detail::program_x2(l.x2, set);
  set("SDP.D_DP_EW_CFG"_reg, "EW_BYPASS"_is(l.lut < 0), "EW_ALU_BYPASS"_is(1),
      "EW_MUL_BYPASS"_is(1), "EW_LUT_BYPASS"_is(l.lut < 0));
  set("SDP.D_FEATURE_MODE_CFG"_reg, "FLYING_MODE"_is(l.input.at.on_the_fly()),
      "OUTPUT_DST"_is(to_pdp), "WINOGRAD"_is(l.winograd), "NAN_TO_ZERO"_is(0),
      "BATCH_NUMBER"_is(l.output.pictures - 1));
  set("SDP.D_DST_DMA_CFG"_reg, "DST_RAM_TYPE"_is(out.dram));
  set("SDP.D_DST_BATCH_STRIDE"_reg, bytes{l.output.picture_stride});
  set("SDP.D_DATA_FORMAT"_reg, "PROC_PRECISION"_is(code(l.inside())),
      "OUT_PRECISION"_is(code(l.output.precision)));
  set("SDP.D_CVT_OFFSET"_reg, l.out.offset);
  set("SDP.D_CVT_SCALE"_reg, l.out.scale);
  set("SDP.D_CVT_SHIFT"_reg, "CVT_SHIFT"_is(l.out.shift));
}

}  // namespace nvdlac::emit
