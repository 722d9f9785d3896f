// SPDX-License-Identifier: Apache-2.0
#pragma once
// The registers of PDP.
#include <cstdint>
#include <type_traits>

#include <nvdlac/emit/groups.hpp>
#include <nvdlac/emit/registers.hpp>
#include <nvdlac/hw/capacity.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/pdp.hpp>

namespace nvdlac::emit {

namespace detail {

// A part of a split that does not exist has width 0, which the field (width - 1) stores as 0.
constexpr std::int64_t part(std::uint16_t width) { return width == 0 ? 0 : width - 1; }

template <class Set>
constexpr void program_pdp_rdma(const layer::pdp& l, dma_address in, const Set& set) {
  const auto& s = l.input;
  set("PDP_RDMA.D_DATA_CUBE_IN_WIDTH"_reg, "CUBE_IN_WIDTH"_is(s.shape.w - 1));
  set("PDP_RDMA.D_DATA_CUBE_IN_HEIGHT"_reg, "CUBE_IN_HEIGHT"_is(s.shape.h - 1));
  set("PDP_RDMA.D_DATA_CUBE_IN_CHANNEL"_reg, "CUBE_IN_CHANNEL"_is(s.shape.c - 1));
  set("PDP_RDMA.D_FLYING_MODE"_reg, "FLYING_MODE"_is(1));  // 1: from memory
  set.address("PDP_RDMA.D_SRC_BASE_ADDR_HIGH"_reg, "PDP_RDMA.D_SRC_BASE_ADDR_LOW"_reg, in);
  set("PDP_RDMA.D_SRC_LINE_STRIDE"_reg, bytes{s.line_stride});
  set("PDP_RDMA.D_SRC_SURFACE_STRIDE"_reg, bytes{s.surface_stride});
  set("PDP_RDMA.D_DATA_FORMAT"_reg, "INPUT_DATA"_is(code(s.precision)));
  set("PDP_RDMA.D_SRC_RAM_CFG"_reg, "SRC_RAM_TYPE"_is(in.dram));
  set("PDP_RDMA.D_OPERATION_MODE_CFG"_reg, "SPLIT_NUM"_is(l.split.parts - 1));
  set("PDP_RDMA.D_POOLING_KERNEL_CFG"_reg, "KERNEL_WIDTH"_is(l.window.kernel_w - 1),
      "KERNEL_STRIDE_WIDTH"_is(l.window.stride_w - 1));
  set("PDP_RDMA.D_POOLING_PADDING_CFG"_reg, "PAD_WIDTH"_is(l.window.pad_left));
  set("PDP_RDMA.D_PARTIAL_WIDTH_IN"_reg, "PARTIAL_WIDTH_IN_FIRST"_is(part(l.split.in_first)),
      "PARTIAL_WIDTH_IN_MID"_is(part(l.split.in_mid)),
      "PARTIAL_WIDTH_IN_LAST"_is(part(l.split.in_last)));
}

template <class Set>
constexpr void program_window(const layer::pdp& l, const Set& set) {
  const auto& w = l.window;
  set("PDP.D_POOLING_KERNEL_CFG"_reg, "KERNEL_WIDTH"_is(w.kernel_w - 1),
      "KERNEL_HEIGHT"_is(w.kernel_h - 1), "KERNEL_STRIDE_WIDTH"_is(w.stride_w - 1),
      "KERNEL_STRIDE_HEIGHT"_is(w.stride_h - 1));
  const auto p = l.input.precision;
  set("PDP.D_RECIP_KERNEL_WIDTH"_reg, "RECIP_KERNEL_WIDTH"_is(hw::pdp_reciprocal(w.kernel_w, p)));
  set("PDP.D_RECIP_KERNEL_HEIGHT"_reg,
      "RECIP_KERNEL_HEIGHT"_is(hw::pdp_reciprocal(w.kernel_h, p)));
  set("PDP.D_POOLING_PADDING_CFG"_reg, "PAD_LEFT"_is(w.pad_left), "PAD_TOP"_is(w.pad_top),
      "PAD_RIGHT"_is(w.pad_right), "PAD_BOTTOM"_is(w.pad_bottom));
  // Register n holds what n missing columns add to a row's sum.
  const std::int64_t pad = l.pad_value;
  set("PDP.D_POOLING_PADDING_VALUE_1_CFG"_reg, pad);
  set("PDP.D_POOLING_PADDING_VALUE_2_CFG"_reg, 2 * pad);
  set("PDP.D_POOLING_PADDING_VALUE_3_CFG"_reg, 3 * pad);
  set("PDP.D_POOLING_PADDING_VALUE_4_CFG"_reg, 4 * pad);
  set("PDP.D_POOLING_PADDING_VALUE_5_CFG"_reg, 5 * pad);
  set("PDP.D_POOLING_PADDING_VALUE_6_CFG"_reg, 6 * pad);
  set("PDP.D_POOLING_PADDING_VALUE_7_CFG"_reg, 7 * pad);
}

}  // namespace detail

// Writes the D_ registers of PDP_RDMA and PDP. A value that does not fit its field is an `error`.
template <hw::hardware Hw, class Bus>
constexpr void program(const layer::pdp& l, const addresses auto& where, groups g, Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  const bool memory = layer::engine<layer::pdp>::uses_reader(l);
  detail::point<layer::pdp>(set, g);
  if (memory) detail::program_pdp_rdma(l, where(l.input.at), set);
  set("PDP.D_DATA_CUBE_IN_WIDTH"_reg, "CUBE_IN_WIDTH"_is(l.input.shape.w - 1));
  set("PDP.D_DATA_CUBE_IN_HEIGHT"_reg, "CUBE_IN_HEIGHT"_is(l.input.shape.h - 1));
  set("PDP.D_DATA_CUBE_IN_CHANNEL"_reg, "CUBE_IN_CHANNEL"_is(l.input.shape.c - 1));
  set("PDP.D_DATA_CUBE_OUT_WIDTH"_reg, "CUBE_OUT_WIDTH"_is(l.output.shape.w - 1));
  set("PDP.D_DATA_CUBE_OUT_HEIGHT"_reg, "CUBE_OUT_HEIGHT"_is(l.output.shape.h - 1));
  set("PDP.D_DATA_CUBE_OUT_CHANNEL"_reg, "CUBE_OUT_CHANNEL"_is(l.output.shape.c - 1));
  set("PDP.D_OPERATION_MODE_CFG"_reg, "POOLING_METHOD"_is(static_cast<int>(l.kind)),
      "FLYING_MODE"_is(memory), "SPLIT_NUM"_is(l.split.parts - 1));
  set("PDP.D_NAN_FLUSH_TO_ZERO"_reg, "NAN_TO_ZERO"_is(0));
  set("PDP.D_PARTIAL_WIDTH_IN"_reg, "PARTIAL_WIDTH_IN_FIRST"_is(detail::part(l.split.in_first)),
      "PARTIAL_WIDTH_IN_MID"_is(detail::part(l.split.in_mid)),
      "PARTIAL_WIDTH_IN_LAST"_is(detail::part(l.split.in_last)));
  set("PDP.D_PARTIAL_WIDTH_OUT"_reg,
      "PARTIAL_WIDTH_OUT_FIRST"_is(detail::part(l.split.out_first)),
      "PARTIAL_WIDTH_OUT_MID"_is(detail::part(l.split.out_mid)),
      "PARTIAL_WIDTH_OUT_LAST"_is(detail::part(l.split.out_last)));
  detail::program_window(l, set);
  if (memory) {
    const dma_address in = where(l.input.at);
    set.address("PDP.D_SRC_BASE_ADDR_HIGH"_reg, "PDP.D_SRC_BASE_ADDR_LOW"_reg, in);
    set("PDP.D_SRC_LINE_STRIDE"_reg, bytes{l.input.line_stride});
    set("PDP.D_SRC_SURFACE_STRIDE"_reg, bytes{l.input.surface_stride});
  }
  const dma_address out = where(l.output.at);
  set.address("PDP.D_DST_BASE_ADDR_HIGH"_reg, "PDP.D_DST_BASE_ADDR_LOW"_reg, out);
  set("PDP.D_DST_LINE_STRIDE"_reg, bytes{l.output.line_stride});
  set("PDP.D_DST_SURFACE_STRIDE"_reg, bytes{l.output.surface_stride});
  set("PDP.D_DST_RAM_CFG"_reg, "DST_RAM_TYPE"_is(out.dram));
  set("PDP.D_DATA_FORMAT"_reg, "INPUT_DATA"_is(code(l.input.precision)));
}

}  // namespace nvdlac::emit
