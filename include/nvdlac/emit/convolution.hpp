// SPDX-License-Identifier: Apache-2.0
#pragma once
// The registers of the convolution pipeline and of SDP, which ends it.
#include <bit>
#include <cstdint>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/emit/registers.hpp>
#include <nvdlac/hw/capacity.hpp>
#include <nvdlac/layer/convolution.hpp>

namespace nvdlac::emit {

// CACC sees a packed cube of its output; SDP decides where the result really goes. Of several
// pictures its lines are whole pairs of atoms, as SDP's are, so that both count the same pairs.
constexpr layer::surface cube_of_cacc(const layer::convolution& l, bytes atom) {
  auto out = layer::packed(l.output, atom, {}, l.precision);
  if (l.input.pictures == 1 || (l.output.h == 1 && l.output.w == 1)) return out;
  out.line_stride = static_cast<std::uint32_t>(
      align_up(std::uint64_t{out.line_stride}, std::uint64_t{hw::pair_of_atoms}));
  out.surface_stride = out.line_stride * static_cast<std::uint32_t>(l.output.h);
  out.size = layer::extent(out, atom);
  return out;
}

namespace detail {

template <class Set>
constexpr void program_cacc(const layer::convolution& l, bytes atom, const Set& set) {
  const auto out = cube_of_cacc(l, atom);
  const bool one = l.output.w == 1 && l.output.h == 1;
  set("CACC.D_MISC_CFG"_reg, "CONV_MODE"_is(l.winograd), "PROC_PRECISION"_is(code(l.precision)));
  set("CACC.D_DATAOUT_SIZE_0"_reg, "DATAOUT_WIDTH"_is(l.output.w - 1),
      "DATAOUT_HEIGHT"_is(l.output.h - 1));
  set("CACC.D_DATAOUT_SIZE_1"_reg, "DATAOUT_CHANNEL"_is(l.output.c - 1));
  set("CACC.D_DATAOUT_ADDR"_reg, bytes{0});
  set("CACC.D_BATCH_NUMBER"_reg, "BATCHES"_is(l.input.pictures - 1));
  set("CACC.D_LINE_STRIDE"_reg, bytes{out.line_stride});
  set("CACC.D_SURF_STRIDE"_reg, bytes{out.surface_stride});
  set("CACC.D_DATAOUT_MAP"_reg, "LINE_PACKED"_is(one), "SURF_PACKED"_is(one));
  set("CACC.D_CLIP_CFG"_reg, "CLIP_TRUNCATE"_is(l.truncate));
}

template <class Set>
constexpr void program_csc(const layer::convolution& l, const Set& set) {
  const auto& w = l.window;
  const net::shape in = l.input_csc();
  set("CSC.D_MISC_CFG"_reg, "CONV_MODE"_is(l.winograd), "IN_PRECISION"_is(code(l.precision)),
      "PROC_PRECISION"_is(code(l.precision)),
      "DATA_REUSE"_is(l.data_reuse), "WEIGHT_REUSE"_is(l.weight_reuse),
      "SKIP_DATA_RLS"_is(l.skip_data_release), "SKIP_WEIGHT_RLS"_is(l.skip_weight_release));
  set("CSC.D_DATAIN_FORMAT"_reg, "DATAIN_FORMAT"_is(l.is_pixel()));
  set("CSC.D_DATAIN_SIZE_EXT_0"_reg, "DATAIN_WIDTH_EXT"_is(in.w - 1),
      "DATAIN_HEIGHT_EXT"_is(in.h - 1));
  set("CSC.D_DATAIN_SIZE_EXT_1"_reg, "DATAIN_CHANNEL_EXT"_is(in.c - 1));
  set("CSC.D_BATCH_NUMBER"_reg, "BATCHES"_is(l.input.pictures - 1));
  set("CSC.D_POST_Y_EXTENSION"_reg, "Y_EXTENSION"_is(std::bit_width(l.kernel_lines) - 1));
  set("CSC.D_ENTRY_PER_SLICE"_reg, "ENTRIES"_is(l.entries_per_slice - 1));
  set("CSC.D_WEIGHT_FORMAT"_reg, "WEIGHT_FORMAT"_is(l.is_compressed()));
  set("CSC.D_WEIGHT_SIZE_EXT_0"_reg, "WEIGHT_WIDTH_EXT"_is(l.kernel_width_csc() - 1),
      "WEIGHT_HEIGHT_EXT"_is(w.kernel_h - 1));
  set("CSC.D_WEIGHT_SIZE_EXT_1"_reg, "WEIGHT_CHANNEL_EXT"_is(l.kernel_channels_csc() - 1),
      "WEIGHT_KERNEL"_is(l.output.c - 1));
  set("CSC.D_WEIGHT_BYTES"_reg, bytes{l.weights.size});
  set("CSC.D_WMB_BYTES"_reg, bytes{l.mask.size});
  set("CSC.D_DATAOUT_SIZE_0"_reg, "DATAOUT_WIDTH"_is(l.output.w - 1),
      "DATAOUT_HEIGHT"_is(l.output.h - 1));
  set("CSC.D_DATAOUT_SIZE_1"_reg, "DATAOUT_CHANNEL"_is(l.output.c - 1));
  set("CSC.D_ATOMICS"_reg, "ATOMICS"_is(std::int64_t{l.output.w} * l.output.h - 1));
  set("CSC.D_RELEASE"_reg, "RLS_SLICES"_is(l.release - 1));
  set("CSC.D_CONV_STRIDE_EXT"_reg, "CONV_X_STRIDE_EXT"_is(w.stride_w - 1),
      "CONV_Y_STRIDE_EXT"_is(w.stride_h - 1));
  set("CSC.D_DILATION_EXT"_reg, "X_DILATION_EXT"_is(w.dilation_w - 1),
      "Y_DILATION_EXT"_is(w.dilation_h - 1));
  set("CSC.D_ZERO_PADDING"_reg, "PAD_LEFT"_is(l.winograd ? 0 : w.pad_left),
      "PAD_TOP"_is(l.winograd ? 0 : w.pad_top));
  set("CSC.D_ZERO_PADDING_VALUE"_reg, "PAD_VALUE"_is(l.pad_value));
  set("CSC.D_BANK"_reg, "DATA_BANK"_is(l.data_banks - 1), "WEIGHT_BANK"_is(l.weight_banks - 1));
  set("CSC.D_PRA_CFG"_reg, "PRA_TRUNCATE"_is(l.input_truncate));
}

template <class Set>
constexpr void program_cdma_input(const layer::convolution& l, place in, bytes atom,
                                  const Set& set) {
  const auto& s = l.input;
  const net::shape extended = l.input_csc();
  const bool feature = !l.is_pixel();
  const auto line = layer::packed(s.shape, atom, {}, l.precision);
  set("CDMA.D_DATAIN_FORMAT"_reg, "DATAIN_FORMAT"_is(l.is_pixel()),
      "PIXEL_FORMAT"_is(feature ? 0 : static_cast<int>(l.format)), "PIXEL_MAPPING"_is(0),
      "PIXEL_SIGN_OVERRIDE"_is(l.pixels_signed));
  set("CDMA.D_DATAIN_SIZE_0"_reg, "DATAIN_WIDTH"_is(s.shape.w - 1),
      "DATAIN_HEIGHT"_is(s.shape.h - 1));
  set("CDMA.D_DATAIN_SIZE_1"_reg, "DATAIN_CHANNEL"_is(s.shape.c - 1));
  set("CDMA.D_DATAIN_SIZE_EXT_0"_reg, "DATAIN_WIDTH_EXT"_is(extended.w - 1),
      "DATAIN_HEIGHT_EXT"_is(extended.h - 1));
  set("CDMA.D_PIXEL_OFFSET"_reg, "PIXEL_X_OFFSET"_is(0), "PIXEL_Y_OFFSET"_is(0));
  set("CDMA.D_DAIN_RAM_TYPE"_reg, "DATAIN_RAM_TYPE"_is(in.dram));
  set.address("CDMA.D_DAIN_ADDR_HIGH_0"_reg, "CDMA.D_DAIN_ADDR_LOW_0"_reg, in.address);
  set.address("CDMA.D_DAIN_ADDR_HIGH_1"_reg, "CDMA.D_DAIN_ADDR_LOW_1"_reg, 0);
  set("CDMA.D_LINE_STRIDE"_reg, bytes{s.line_stride});
  set("CDMA.D_SURF_STRIDE"_reg, bytes{s.surface_stride});
  set("CDMA.D_LINE_UV_STRIDE"_reg, bytes{0});
  set("CDMA.D_DAIN_MAP"_reg, "LINE_PACKED"_is(feature && s.line_stride == line.line_stride),
      "SURF_PACKED"_is(feature && s.surface_stride == line.surface_stride));
  set("CDMA.D_BATCH_NUMBER"_reg, "BATCHES"_is(l.input.pictures - 1));
  set("CDMA.D_BATCH_STRIDE"_reg, bytes{l.input.picture_stride});
  set("CDMA.D_ENTRY_PER_SLICE"_reg, "ENTRIES"_is(l.entries_per_slice - 1));
  set("CDMA.D_FETCH_GRAIN"_reg, "GRAINS"_is(l.fetch_grain - 1));
}

template <class Set>
constexpr void program_cdma_weights(const layer::convolution& l, const addresses auto& where,
                                    const Set& set) {
  const place weights = where(l.weights.at);
  set("CDMA.D_WEIGHT_FORMAT"_reg, "WEIGHT_FORMAT"_is(l.is_compressed()));
  set("CDMA.D_WEIGHT_SIZE_0"_reg, "BYTE_PER_KERNEL"_is(l.bytes_per_kernel() - 1));
  set("CDMA.D_WEIGHT_SIZE_1"_reg, "WEIGHT_KERNEL"_is(l.output.c - 1));
  set("CDMA.D_WEIGHT_RAM_TYPE"_reg, "WEIGHT_RAM_TYPE"_is(weights.dram));
  set.address("CDMA.D_WEIGHT_ADDR_HIGH"_reg, "CDMA.D_WEIGHT_ADDR_LOW"_reg, weights.address);
  set("CDMA.D_WEIGHT_BYTES"_reg, bytes{l.weights.size});
  if (l.is_compressed()) {
    const place sizes = where(l.group_sizes.at), mask = where(l.mask.at);
    set.address("CDMA.D_WGS_ADDR_HIGH"_reg, "CDMA.D_WGS_ADDR_LOW"_reg, sizes.address);
    set.address("CDMA.D_WMB_ADDR_HIGH"_reg, "CDMA.D_WMB_ADDR_LOW"_reg, mask.address);
  }
  set("CDMA.D_WMB_BYTES"_reg, bytes{l.mask.size});
}

template <class Set>
constexpr void program_cdma_values(const layer::convolution& l, const Set& set) {
  const auto& w = l.window;
  set("CDMA.D_MEAN_FORMAT"_reg, "MEAN_FORMAT"_is(l.use_mean));
  set("CDMA.D_MEAN_GLOBAL_0"_reg, "MEAN_RY"_is(l.mean[0]), "MEAN_GU"_is(l.mean[1]));
  set("CDMA.D_MEAN_GLOBAL_1"_reg, "MEAN_BV"_is(l.mean[2]), "MEAN_AX"_is(l.mean[3]));
  const auto cvt = l.convert ? l.cvt : converter{};
  set("CDMA.D_CVT_CFG"_reg, "CVT_EN"_is(l.convert), "CVT_TRUNCATE"_is(cvt.shift));
  set("CDMA.D_CVT_OFFSET"_reg, "CVT_OFFSET"_is(cvt.offset));
  set("CDMA.D_CVT_SCALE"_reg, "CVT_SCALE"_is(cvt.scale));
  set("CDMA.D_CONV_STRIDE"_reg, "CONV_X_STRIDE"_is(w.stride_w - 1),
      "CONV_Y_STRIDE"_is(w.stride_h - 1));
  set("CDMA.D_ZERO_PADDING"_reg, "PAD_LEFT"_is(w.pad_left), "PAD_RIGHT"_is(w.pad_right),
      "PAD_TOP"_is(w.pad_top), "PAD_BOTTOM"_is(w.pad_bottom));
  set("CDMA.D_ZERO_PADDING_VALUE"_reg, "PAD_VALUE"_is(l.pad_value));
  set("CDMA.D_BANK"_reg, "DATA_BANK"_is(l.data_banks - 1), "WEIGHT_BANK"_is(l.weight_banks - 1));
  set("CDMA.D_NAN_FLUSH_TO_ZERO"_reg, "NAN_TO_ZERO"_is(0));
}

}  // namespace detail

// An operation of CDMA: the convolution whose data it brings, with the flags, and the one whose
// kernels. What a later operation is told to reuse, CDMA brings unless it was told to skip its
// release; CSC, which releases, need not know.
struct fetch {
  layer::convolution data{}, weights{};

  // Other weights than those of the data's layer.
  constexpr void bring(const layer::convolution& kernels) {
    weights = kernels, data.weight_reuse = false;
  }
  constexpr void go_before(const fetch& next) {
    data.skip_data_release = next.data.data_reuse;
    data.skip_weight_release = next.data.weight_reuse;
  }
};

// Some kernels of a convolution. Weights are padded behind the last one.
constexpr layer::convolution some_kernels(layer::convolution l, std::int32_t first,
                                          std::int32_t count) {
  const auto bytes_of = [&](std::int32_t n) {
    return l.bytes_per_kernel() * static_cast<std::uint64_t>(n);
  };
  const bool last = first + count == l.output.c;
  l.weights.size = last ? l.weights.size - bytes_of(first) : bytes_of(count);
  l.weights.at.offset += bytes_of(first), l.output.c = count;
  return l;
}
// The operation of a layer of which so many kernels are there.
constexpr fetch fetch_of(const layer::convolution& l, std::int32_t there = 0) {
  fetch f{l, l};
  if (there == l.output.c) f.data.weight_reuse = true;
  else if (there != 0) f.weights = some_kernels(l, there, l.output.c - there);
  return f;
}
// The operation behind that of `before` that brings some kernels alone. It is told to reuse the data
// of `before`, in their mode.
constexpr fetch fetch_ahead_of(const layer::convolution& kernels,
                               const layer::convolution& before) {
  fetch f{before, before};
  f.data.data_reuse = true;
  f.bring(kernels);
  return f;
}
// The operation behind that of `l` that brings nothing.
constexpr fetch fetch_of_nothing(const layer::convolution& l) {
  fetch f{l, l};
  f.data.data_reuse = f.data.weight_reuse = true;
  return f;
}

// Writes CDMA's D_ registers.
template <hw::hardware Hw, class Bus>
constexpr void program_fetch(const fetch& f, const addresses auto& where, Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  const auto& l = f.data;
  set("CDMA.D_MISC_CFG"_reg, "CONV_MODE"_is(l.winograd),
      "IN_PRECISION"_is(code(l.input_precision())), "PROC_PRECISION"_is(code(l.precision)),
      "DATA_REUSE"_is(l.data_reuse), "WEIGHT_REUSE"_is(l.weight_reuse),
      "SKIP_DATA_RLS"_is(l.skip_data_release), "SKIP_WEIGHT_RLS"_is(l.skip_weight_release));
  detail::program_cdma_input(l, where(l.input.at), Hw::spec.atom(), set);
  detail::program_cdma_weights(f.weights, where, set);
  detail::program_cdma_values(l, set);
}

// CDMA's registers are now those of that group; or its operation in that group starts.
template <hw::hardware Hw, class Bus>
constexpr void point_fetch(unsigned group, Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  set("CDMA.S_POINTER"_reg, "PRODUCER"_is(group));
}
template <hw::hardware Hw, class Bus>
constexpr void enable_fetch(unsigned group, Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  point_fetch<Hw>(group, b);
  set("CDMA.D_OP_ENABLE"_reg, 1);
}
// CDMA's takers wait for it, so that they may be enabled while what CDMA needs is not there yet. The
// first of them, CSC, can be left for later.
template <hw::hardware Hw, class Bus>
constexpr void enable_takers(groups g, Bus&& b, bool but_for_sequencer = false) {
  using engine = layer::engine<layer::convolution>;
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  detail::point(set, engine::cores, g.core);
  set.wait_for(named<engine::ready>{});
  if (but_for_sequencer) detail::start(set, engine::behind_sequencer);
  else detail::start(set, engine::cores);
}
template <hw::hardware Hw, class Bus>
constexpr void enable_sequencer(Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  set("CSC.D_OP_ENABLE"_reg, 1);
}
// Waits until CDMA has done its operation in that group, on a bus that can.
template <hw::hardware Hw, class Bus>
constexpr void wait_for_fetch(unsigned group, Bus&& b) {
  constexpr auto map = Hw::spec.map;
  const auto mask = group == 0 ? hw::field_of<map, "CDMA.S_STATUS.STATUS_0">.mask()
                               : hw::field_of<map, "CDMA.S_STATUS.STATUS_1">.mask();
  if constexpr (requires { b.poll(mask, mask, mask); })
    b.poll(hw::address<map, "CDMA.S_STATUS">, mask, 0);
}

// Writes the D_ registers of CACC, CMAC, CSC and CDMA in the order of the firmware, group `g.core`
// and of CDMA `g.rdma`. A value that does not fit its field is an `error`.
template <hw::hardware Hw, class Bus>
constexpr void program(const layer::convolution& l, const addresses auto& where, groups g, Bus&& b,
                       const fetch& brings) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  detail::point<layer::convolution>(set, g);
  detail::program_cacc(l, Hw::spec.atom(), set);
  set("CMAC_A.D_MISC_CFG"_reg, "CONV_MODE"_is(l.winograd), "PROC_PRECISION"_is(code(l.precision)));
  set("CMAC_B.D_MISC_CFG"_reg, "CONV_MODE"_is(l.winograd), "PROC_PRECISION"_is(code(l.precision)));
  detail::program_csc(l, set);
  program_fetch<Hw>(brings, where, b);
}
template <hw::hardware Hw, class Bus>
constexpr void program(const layer::convolution& l, const addresses auto& where, groups g,
                       Bus&& b) {
  program<Hw>(l, where, g, b, fetch{l, l});
}

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
  place at{};
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
    const place in = where(l.input.at);
    set.address("SDP_RDMA.D_SRC_BASE_ADDR_HIGH"_reg, "SDP_RDMA.D_SRC_BASE_ADDR_LOW"_reg,
                in.address);
    set("SDP_RDMA.D_SRC_LINE_STRIDE"_reg, bytes{l.input.line_stride});
    set("SDP_RDMA.D_SRC_SURFACE_STRIDE"_reg, bytes{l.input.surface_stride});
    set("SDP_RDMA.D_SRC_DMA_CFG"_reg, "SRC_RAM_TYPE"_is(in.dram));
  }
  set("SDP_RDMA.D_BRDMA_CFG"_reg, "BRDMA_DISABLE"_is(x1.off), "BRDMA_DATA_USE"_is(x1.use),
      "BRDMA_DATA_SIZE"_is(x1.two_bytes), "BRDMA_DATA_MODE"_is(x1.per_point),
      "BRDMA_RAM_TYPE"_is(x1.at.dram));
  if (!x1.off) {
    set.address("SDP_RDMA.D_BS_BASE_ADDR_HIGH"_reg, "SDP_RDMA.D_BS_BASE_ADDR_LOW"_reg,
                x1.at.address);
    set("SDP_RDMA.D_BS_LINE_STRIDE"_reg, x1.line);
    set("SDP_RDMA.D_BS_SURFACE_STRIDE"_reg, x1.plane);
  }
  set("SDP_RDMA.D_NRDMA_CFG"_reg, "NRDMA_DISABLE"_is(x2.off), "NRDMA_DATA_USE"_is(x2.use),
      "NRDMA_DATA_SIZE"_is(x2.two_bytes), "NRDMA_DATA_MODE"_is(x2.per_point),
      "NRDMA_RAM_TYPE"_is(x2.at.dram));
  if (!x2.off) {
    set.address("SDP_RDMA.D_BN_BASE_ADDR_HIGH"_reg, "SDP_RDMA.D_BN_BASE_ADDR_LOW"_reg,
                x2.at.address);
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
  const place out = to_pdp ? place{} : where(l.output.at);
  if (!to_pdp) {
    set.address("SDP.D_DST_BASE_ADDR_HIGH"_reg, "SDP.D_DST_BASE_ADDR_LOW"_reg, out.address);
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
