// SPDX-License-Identifier: Apache-2.0
#pragma once
// The operations of CDMA, by its registers.
#include <cstdint>
#include <type_traits>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/emit/groups.hpp>
#include <nvdlac/emit/registers.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/layer/convolution.hpp>

namespace nvdlac::emit {

namespace detail {

template <class Set>
constexpr void program_cdma_input(const layer::convolution& l, dma_address in, bytes atom,
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
  set.address("CDMA.D_DAIN_ADDR_HIGH_0"_reg, "CDMA.D_DAIN_ADDR_LOW_0"_reg, in);
  set("CDMA.D_DAIN_ADDR_HIGH_1"_reg, 0);
  set("CDMA.D_DAIN_ADDR_LOW_1"_reg, bytes{0});
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
  const dma_address weights = where(l.weights.at);
  set("CDMA.D_WEIGHT_FORMAT"_reg, "WEIGHT_FORMAT"_is(l.is_compressed()));
  set("CDMA.D_WEIGHT_SIZE_0"_reg, "BYTE_PER_KERNEL"_is(l.bytes_per_kernel() - 1));
  set("CDMA.D_WEIGHT_SIZE_1"_reg, "WEIGHT_KERNEL"_is(l.output.c - 1));
  set("CDMA.D_WEIGHT_RAM_TYPE"_reg, "WEIGHT_RAM_TYPE"_is(weights.dram));
  set.address("CDMA.D_WEIGHT_ADDR_HIGH"_reg, "CDMA.D_WEIGHT_ADDR_LOW"_reg, weights);
  set("CDMA.D_WEIGHT_BYTES"_reg, bytes{l.weights.size});
  if (l.is_compressed()) {
    const dma_address sizes = where(l.group_sizes.at), mask = where(l.mask.at);
    set.address("CDMA.D_WGS_ADDR_HIGH"_reg, "CDMA.D_WGS_ADDR_LOW"_reg, sizes);
    set.address("CDMA.D_WMB_ADDR_HIGH"_reg, "CDMA.D_WMB_ADDR_LOW"_reg, mask);
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
    weights = kernels;
    data.weight_reuse = false;
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
  l.weights.at.offset += bytes_of(first);
  l.output.c = count;
  return l;
}
// The operation of a layer of which so many kernels are there.
constexpr fetch fetch_of(const layer::convolution& l, std::int32_t there = 0) {
  fetch f{l, l};
  if (there == l.output.c) f.data.weight_reuse = true;
  else if (there != 0) f.weights = some_kernels(l, there, l.output.c - there);
  return f;
}
// The operation behind that of `before` that brings some kernels alone. It is told to reuse the
// data of `before`, in their mode.
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
// CDMA's takers wait for it, so that they may be enabled while what CDMA needs is not there yet.
// The first of them, CSC, can be left for later.
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

}  // namespace nvdlac::emit
