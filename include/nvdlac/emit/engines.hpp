// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/emit/convolution.hpp>
#include <nvdlac/emit/registers.hpp>
#include <nvdlac/hw/capacity.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/convolution.hpp>
#include <nvdlac/layer/layer.hpp>

namespace nvdlac::emit {

// The registers' code of 3, 5, 7 or 9 channels.
constexpr std::int32_t cdp_length(std::int32_t local_size) { return (local_size - 1) / 2 - 1; }

// Writes the D_ registers of CDP_RDMA and CDP. A value that does not fit its field is an `error`.
template <hw::hardware Hw, class Bus>
constexpr void program(const layer::cdp& l, const addresses auto& where, groups g, Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  detail::point<layer::cdp>(set, g);
  const place in = where(l.input.at), out = where(l.output.at);
  set("CDP_RDMA.D_DATA_CUBE_WIDTH"_reg, "WIDTH"_is(l.input.shape.w - 1));
  set("CDP_RDMA.D_DATA_CUBE_HEIGHT"_reg, "HEIGHT"_is(l.input.shape.h - 1));
  set("CDP_RDMA.D_DATA_CUBE_CHANNEL"_reg, "CHANNEL"_is(l.input.shape.c - 1));
  set.address("CDP_RDMA.D_SRC_BASE_ADDR_HIGH"_reg, "CDP_RDMA.D_SRC_BASE_ADDR_LOW"_reg, in.address);
  set("CDP_RDMA.D_SRC_LINE_STRIDE"_reg, bytes{l.input.line_stride});
  set("CDP_RDMA.D_SRC_SURFACE_STRIDE"_reg, bytes{l.input.surface_stride});
  set("CDP_RDMA.D_SRC_DMA_CFG"_reg, "SRC_RAM_TYPE"_is(in.dram));
  set("CDP_RDMA.D_DATA_FORMAT"_reg, "INPUT_DATA"_is(code(l.input.precision)));
  set.address("CDP.D_DST_BASE_ADDR_HIGH"_reg, "CDP.D_DST_BASE_ADDR_LOW"_reg, out.address);
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

namespace detail {

// A part of a split that does not exist has width 0, which the field (width - 1) stores as 0.
constexpr std::int64_t part(std::uint16_t width) { return width == 0 ? 0 : width - 1; }

template <class Set>
constexpr void program_pdp_rdma(const layer::pdp& l, place in, const Set& set) {
  const auto& s = l.input;
  set("PDP_RDMA.D_DATA_CUBE_IN_WIDTH"_reg, "CUBE_IN_WIDTH"_is(s.shape.w - 1));
  set("PDP_RDMA.D_DATA_CUBE_IN_HEIGHT"_reg, "CUBE_IN_HEIGHT"_is(s.shape.h - 1));
  set("PDP_RDMA.D_DATA_CUBE_IN_CHANNEL"_reg, "CUBE_IN_CHANNEL"_is(s.shape.c - 1));
  set("PDP_RDMA.D_FLYING_MODE"_reg, "FLYING_MODE"_is(1));  // 1: from memory
  set.address("PDP_RDMA.D_SRC_BASE_ADDR_HIGH"_reg, "PDP_RDMA.D_SRC_BASE_ADDR_LOW"_reg, in.address);
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
    const place in = where(l.input.at);
    set.address("PDP.D_SRC_BASE_ADDR_HIGH"_reg, "PDP.D_SRC_BASE_ADDR_LOW"_reg, in.address);
    set("PDP.D_SRC_LINE_STRIDE"_reg, bytes{l.input.line_stride});
    set("PDP.D_SRC_SURFACE_STRIDE"_reg, bytes{l.input.surface_stride});
  }
  const place out = where(l.output.at);
  set.address("PDP.D_DST_BASE_ADDR_HIGH"_reg, "PDP.D_DST_BASE_ADDR_LOW"_reg, out.address);
  set("PDP.D_DST_LINE_STRIDE"_reg, bytes{l.output.line_stride});
  set("PDP.D_DST_SURFACE_STRIDE"_reg, bytes{l.output.surface_stride});
  set("PDP.D_DST_RAM_CFG"_reg, "DST_RAM_TYPE"_is(out.dram));
  set("PDP.D_DATA_FORMAT"_reg, "INPUT_DATA"_is(code(l.input.precision)));
}

// Writes the D_ registers of Rubik. A value that does not fit its field is an `error`, and so is a
// configuration without the unit.
template <hw::hardware Hw, class Bus>
constexpr void program(const layer::rubik& l, const addresses auto& where, groups g, Bus&& b) {
  if constexpr (!Hw::spec.rubik) {
    throw error("the configuration has no Rubik");
  } else {
    const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
    const place in = where(l.input.at), out = where(l.output.at);
    const auto precision = l.input.precision;
    const auto group = layer::surfaces(l.output.shape, Hw::spec.atom(), precision);
    detail::point<layer::rubik>(set, g);
    set("RBK.D_MISC_CFG"_reg, "RUBIK_MODE"_is(0), "IN_PRECISION"_is(code(precision)));
    set("RBK.D_DAIN_RAM_TYPE"_reg, "DATAIN_RAM_TYPE"_is(in.dram));
    set("RBK.D_DATAIN_SIZE_0"_reg, "DATAIN_WIDTH"_is(l.input.shape.w - 1),
        "DATAIN_HEIGHT"_is(l.input.shape.h - 1));
    set("RBK.D_DATAIN_SIZE_1"_reg, "DATAIN_CHANNEL"_is(l.input.shape.c - 1));
    set.address("RBK.D_DAIN_ADDR_HIGH"_reg, "RBK.D_DAIN_ADDR_LOW"_reg, in.address);
    set("RBK.D_DAIN_LINE_STRIDE"_reg, bytes{l.input.line_stride});
    set("RBK.D_DAIN_SURF_STRIDE"_reg, bytes{l.input.surface_stride});
    set("RBK.D_DAOUT_RAM_TYPE"_reg, "DATAOUT_RAM_TYPE"_is(out.dram));
    set("RBK.D_DATAOUT_SIZE_1"_reg, "DATAOUT_CHANNEL"_is(l.output.shape.c - 1));
    set.address("RBK.D_DAOUT_ADDR_HIGH"_reg, "RBK.D_DAOUT_ADDR_LOW"_reg, out.address);
    set("RBK.D_DAOUT_LINE_STRIDE"_reg, bytes{l.output.line_stride});
    set("RBK.D_DAOUT_SURF_STRIDE"_reg, bytes{l.output.surface_stride});
    set("RBK.D_CONTRACT_STRIDE_0"_reg, bytes{group * l.input.surface_stride});
    set("RBK.D_CONTRACT_STRIDE_1"_reg,
        bytes{static_cast<std::uint64_t>(l.stride_y) * l.output.line_stride});
    set("RBK.D_DECONV_STRIDE"_reg, "DECONV_X_STRIDE"_is(l.stride_x - 1),
        "DECONV_Y_STRIDE"_is(l.stride_y - 1));
  }
}

// What is common to all engines: layers of any kind, interrupts, and whose turn it is.

// Once before the first layer: all interrupts on, CDMA's arbiter as the firmware sets it, and MCIF's
// for layers that start early.
template <hw::hardware Hw, class Bus>
constexpr void initialize(Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  set("GLB.S_INTR_MASK"_reg);
  set("CDMA.S_ARBITER"_reg, "ARB_WEIGHT"_is(15), "ARB_WMB"_is(3));
  set("MCIF.CFG_RD_WEIGHT_1"_reg, "RD_WEIGHT_SDP_B"_is(1), "RD_WEIGHT_SDP_N"_is(1),
      "RD_WEIGHT_SDP_E"_is(1), "RD_WEIGHT_CDMA_DAT"_is(layer::data_turns));
}

// Programs the hardware layer; a value that does not fit its register field is an `error` that
// names the layer. Layers of the host are not programmed. `brings`: what CDMA brings for a
// convolution, unless it is all of it.
template <hw::hardware Hw, class Bus>
constexpr void program(const layer::layer& l, const addresses auto& where, groups g, Bus&& b,
                       const fetch* brings = nullptr) {
  try {
    nvdlac::visit([&]<class Layer>(const Layer& what) {
      if constexpr (std::is_same_v<Layer, layer::convolution>) {
        if (brings != nullptr) return program<Hw>(what, where, g, b, *brings);
      }
      if constexpr (layer::on_engine<Layer>) program<Hw>(what, where, g, b);
    }, l.what);
  } catch (const error& e) {
    auto problems = e.problems();
    for (auto& p : problems)
      if (p.layer.empty()) p.layer = l.name;
    throw error(std::move(problems));
  }
}

template <hw::hardware Hw, class Bus>
constexpr void enable(const layer::any& l, groups g, Bus&& b) {
  nvdlac::visit([&]<class Layer>(const Layer& what) {
    if constexpr (layer::on_engine<Layer>) enable<Hw>(what, g, b);
  }, l);
}

// Whether the layer uses its engine's read DMA; if not, the group of that stays where it is.
constexpr bool uses_reader(const layer::any& l) {
  return nvdlac::visit([]<class Layer>(const Layer& what) {
    if constexpr (requires { layer::engine<Layer>::reader; })
      return layer::engine<Layer>::uses_reader(what);
    else return false;
  }, l);
}

namespace detail {

// The bit of group 0; the numbers are the same in both maps.
template <class Layer>
constexpr std::uint32_t first_done_bit() {
  if constexpr (layer::on_engine<Layer>)
    return hw::field_of<hw::register_map::small, layer::engine<Layer>::done>.mask();
  else return 0;
}
template <class... Layers>
constexpr std::array<std::uint32_t, sizeof...(Layers)> first_done_bits_of(type_list<Layers...>) {
  return {first_done_bit<Layers>()...};
}
inline constexpr auto first_done_bits = first_done_bits_of(layer::kinds{});

}  // namespace detail

// The S_INTR_STATUS bits that say that the layer in a group is done; of the host there are none.
constexpr std::uint32_t done_bits(const layer::any& l, groups g) {
  return detail::first_done_bits[l.index()] << g.core;
}

// Hands out register groups in the order in which the hardware works through them.
class group_turns {
 public:
  constexpr groups next(const layer::any& l) {
    auto& turn = turns_[layer::index(layer::engine_of(l))];
    const groups g = turn;
    turn.core ^= 1u;
    if (uses_reader(l)) turn.rdma ^= 1u;
    return g;
  }

  // The group of CDMA for an operation that it does alone.
  constexpr unsigned next_fetch() {
    auto& turn = turns_[layer::index(layer::engine<layer::convolution>::number)].rdma;
    return std::exchange(turn, turn ^ 1u);
  }

  // The groups of the next layer of this kind.
  template <layer::on_engine Layer>
  constexpr groups of() const {
    return turns_[layer::index(layer::engine<Layer>::number)];
  }

 private:
  groups turns_[layer::engines + 1]{};  // the last: the host's, which nobody asks for
};

// The lookup tables of SDP and CDP: each unit's registers are one set for both groups, so they are
// written while no layer of the unit runs that looks up.

namespace detail {

// What both units have alike.
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

// Writes the table of the unit that computes the layer, one that looks up.
template <hw::hardware Hw, class Bus>
constexpr void program_lut(const layer::any& what, const layer::lut& lut, Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  nvdlac::visit([&](const auto& l) {
    if constexpr (requires { l.lut; }) detail::write_table(l, lut, set);
  }, what);
}

// The lookup table of the program that the layer needs, or -1.
constexpr std::int16_t lut_of(const layer::any& what) {
  return nvdlac::visit([](const auto& l) {
    if constexpr (requires { l.lut; }) return l.lut;
    else return std::int16_t{-1};
  }, what);
}

// Which table is in which unit.
class loaded_luts {
 public:
  // Whether the layer needs another one, which is then the unit's.
  constexpr bool changes_for(const layer::any& what) {
    const auto lut = lut_of(what);
    return lut >= 0 && std::exchange(loaded_[layer::index(layer::engine_of(what))], lut) != lut;
  }

 private:
  static constexpr std::int16_t none = -1;
  std::int16_t loaded_[layer::engines]{none, none, none, none, none, none};
};

}  // namespace nvdlac::emit
