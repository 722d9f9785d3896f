// SPDX-License-Identifier: Apache-2.0
#pragma once
// The registers of the convolution pipeline.
#include <bit>
#include <cstdint>
#include <type_traits>

#include <nvdlac/base/units.hpp>
#include <nvdlac/emit/fetch.hpp>
#include <nvdlac/emit/groups.hpp>
#include <nvdlac/emit/registers.hpp>
#include <nvdlac/hw/cbuf.hpp>
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

}  // namespace detail

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

}  // namespace nvdlac::emit
