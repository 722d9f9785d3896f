// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/sim/convolution_core.hpp>
#include <nvdlac/sim/decode_cdma.hpp>

namespace nvdlac::sim {

// CSC against CDMA: both describe the same input, weights and banks.
template <hw::register_map Map>
void check_csc_against_cdma(const group_view<Map>& g, const cdma_layer& l) {
  const auto same = [](std::uint64_t csc, std::uint64_t cdma, std::string_view where) {
    require(csc == cdma, where, csc, " differs from ", cdma, " of CDMA");
  };
  same(g.template u<"CSC.D_DATAIN_FORMAT.DATAIN_FORMAT">(), l.pixel, "CSC.D_DATAIN_FORMAT");
  same(g.template count<"CSC.D_DATAIN_SIZE_EXT_0.DATAIN_WIDTH_EXT">(), l.width,
       "CSC.D_DATAIN_SIZE_EXT_0.DATAIN_WIDTH_EXT");
  same(g.template count<"CSC.D_DATAIN_SIZE_EXT_0.DATAIN_HEIGHT_EXT">(), l.height,
       "CSC.D_DATAIN_SIZE_EXT_0.DATAIN_HEIGHT_EXT");
  same(g.template count<"CSC.D_DATAIN_SIZE_EXT_1.DATAIN_CHANNEL_EXT">(), l.channels,
       "CSC.D_DATAIN_SIZE_EXT_1.DATAIN_CHANNEL_EXT");
  same(g.template count<"CSC.D_ENTRY_PER_SLICE.ENTRIES">(), l.entries, "CSC.D_ENTRY_PER_SLICE");
  same(g.template count<"CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_KERNEL">(), l.kernels,
       "CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_KERNEL");
  same(g.template bytes<"CSC.D_WEIGHT_BYTES.WEIGHT_BYTES">(), l.weight_bytes,
       "CSC.D_WEIGHT_BYTES");
  same(g.template u<"CSC.D_WEIGHT_FORMAT.WEIGHT_FORMAT">(), 0, "CSC.D_WEIGHT_FORMAT");
  same(g.template count<"CSC.D_BANK.DATA_BANK">(), l.data_banks, "CSC.D_BANK.DATA_BANK");
  same(g.template count<"CSC.D_BANK.WEIGHT_BANK">(), l.weight_banks, "CSC.D_BANK.WEIGHT_BANK");
  same(g.template u<"CSC.D_ZERO_PADDING.PAD_LEFT">(), l.pad_left, "CSC.D_ZERO_PADDING.PAD_LEFT");
  same(g.template u<"CSC.D_ZERO_PADDING.PAD_TOP">(), l.pad_top, "CSC.D_ZERO_PADDING.PAD_TOP");
  same(g.template u<"CSC.D_MISC_CFG.DATA_REUSE">(), l.data_reuse, "CSC.D_MISC_CFG.DATA_REUSE");
  same(g.template u<"CSC.D_MISC_CFG.WEIGHT_REUSE">(), l.weight_reuse,
       "CSC.D_MISC_CFG.WEIGHT_REUSE");
  same(g.template u<"CSC.D_MISC_CFG.SKIP_DATA_RLS">(), l.keep_data,
       "CSC.D_MISC_CFG.SKIP_DATA_RLS");
  same(g.template u<"CSC.D_MISC_CFG.SKIP_WEIGHT_RLS">(), l.keep_weights,
       "CSC.D_MISC_CFG.SKIP_WEIGHT_RLS");
}

// The kernel's size and the weight order of images.
template <hw::hardware Hw>
void decode_kernel(const group_view<Hw::spec.map>& g, const cdma_layer& l, convolution& c) {
  c.kernel_height = g.template count<"CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_HEIGHT_EXT">();
  const auto width = g.template count<"CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_WIDTH_EXT">();
  const auto channels = g.template count<"CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_CHANNEL_EXT">();
  const auto extension = g.template u<"CSC.D_POST_Y_EXTENSION.Y_EXTENSION">();
  if (l.pixel) {
    require(width == 1 && channels % l.channels == 0, "CSC.D_WEIGHT_SIZE_EXT_1",
            "an image's kernel is 1 wide and has kernel width x ", l.channels, " channels");
    require(c.dilation_x == 1 && c.dilation_y == 1, "CSC.D_DILATION_EXT",
            "images are not dilated");
    c.kernel_width = channels / l.channels;
    require(extension < 3, "CSC.D_POST_Y_EXTENSION", "at most 2 (4 lines)");
    c.y_extension = 1u << extension;
    require(c.y_extension == 1 || channels * c.y_extension <= Hw::spec.mac_atomic_c,
            "CSC.D_POST_Y_EXTENSION", c.y_extension, " lines of ", channels,
            " elements are more than one channel block");
  } else {
    require(channels == l.channels, "CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_CHANNEL_EXT", channels,
            " channels of the weights, but ", l.channels, " of the input");
    require(extension == 0, "CSC.D_POST_Y_EXTENSION", "belongs to images");
    c.kernel_width = width;
  }
  require(c.kernel_elements() == l.kernel_bytes, "CDMA.D_WEIGHT_SIZE_0.BYTE_PER_KERNEL",
          "a kernel of ", c.channels, "x", c.kernel_height, "x", c.kernel_width,
          " elements does not have ", l.kernel_bytes, " bytes");
  require(c.kernel_elements() <= longest_dot, "CDMA.D_WEIGHT_SIZE_0.BYTE_PER_KERNEL",
          "the simulator's accumulators hold at most ", longest_dot, " products");
}

// What CSC, CMAC and CACC shall do with what CDMA brings. Throws nvdlac::error. Each view is of
// that unit's active group.
template <hw::hardware Hw>
convolution decode_convolution(const group_view<Hw::spec.map>& csc,
                               const group_view<Hw::spec.map>& cmac_a,
                               const group_view<Hw::spec.map>& cmac_b,
                               const group_view<Hw::spec.map>& cacc, const cdma_layer& l,
                               const limits& limit) {
  require_direct_int8<"CSC.D_MISC_CFG">(csc.template on<"CSC.D_MISC_CFG.CONV_MODE">(),
                                        csc.template u<"CSC.D_MISC_CFG.PROC_PRECISION">());
  require(csc.template u<"CSC.D_MISC_CFG.IN_PRECISION">() == 0, "CSC.D_MISC_CFG.IN_PRECISION",
          "only int8 is simulated");
  require_direct_int8<"CMAC_A.D_MISC_CFG">(cmac_a.template on<"CMAC_A.D_MISC_CFG.CONV_MODE">(),
                                           cmac_a.template u<"CMAC_A.D_MISC_CFG.PROC_PRECISION">());
  require_direct_int8<"CMAC_B.D_MISC_CFG">(cmac_b.template on<"CMAC_B.D_MISC_CFG.CONV_MODE">(),
                                           cmac_b.template u<"CMAC_B.D_MISC_CFG.PROC_PRECISION">());
  require_direct_int8<"CACC.D_MISC_CFG">(cacc.template on<"CACC.D_MISC_CFG.CONV_MODE">(),
                                         cacc.template u<"CACC.D_MISC_CFG.PROC_PRECISION">());
  require(csc.template u<"CSC.D_BATCH_NUMBER.BATCHES">() == 0 &&
              cacc.template u<"CACC.D_BATCH_NUMBER.BATCHES">() == 0,
          "CSC.D_BATCH_NUMBER", "batches are not simulated");
  check_csc_against_cdma<Hw::spec.map>(csc, l);

  convolution c{.channels = l.channels, .kernels = l.kernels, .pad_left = l.pad_left,
                .pad_top = l.pad_top, .pixel = l.pixel};
  c.stride_x = csc.template count<"CSC.D_CONV_STRIDE_EXT.CONV_X_STRIDE_EXT">();
  c.stride_y = csc.template count<"CSC.D_CONV_STRIDE_EXT.CONV_Y_STRIDE_EXT">();
  c.dilation_x = csc.template count<"CSC.D_DILATION_EXT.X_DILATION_EXT">();
  c.dilation_y = csc.template count<"CSC.D_DILATION_EXT.Y_DILATION_EXT">();
  c.pad_value = static_cast<std::int8_t>(csc.template u<"CSC.D_ZERO_PADDING_VALUE.PAD_VALUE">());
  // CDMA pads the sides of an image, CSC everything else.
  require(!l.pixel || c.pad_value == l.pad_value, "CSC.D_ZERO_PADDING_VALUE",
          "the pad value of an image differs from CDMA's");
  decode_kernel<Hw>(csc, l, c);

  c.out_width = csc.template count<"CSC.D_DATAOUT_SIZE_0.DATAOUT_WIDTH">();
  c.out_height = csc.template count<"CSC.D_DATAOUT_SIZE_0.DATAOUT_HEIGHT">();
  require(csc.template count<"CSC.D_DATAOUT_SIZE_1.DATAOUT_CHANNEL">() == c.kernels,
          "CSC.D_DATAOUT_SIZE_1", "the output has a channel for each of the ", c.kernels,
          " kernels");
  require(csc.template count<"CSC.D_ATOMICS.ATOMICS">() ==
              std::uint64_t{c.out_width} * c.out_height,
          "CSC.D_ATOMICS", "is output width x height");
  require(csc.template count<"CSC.D_RELEASE.RLS_SLICES">() <= l.height, "CSC.D_RELEASE",
          "more slices than the input has");
  const auto fits = [](std::uint64_t in, std::uint64_t pads, std::uint64_t reach,
                       std::uint64_t stride, std::uint64_t out) {
    return (out - 1) * stride + reach <= in + pads;
  };
  require(fits(l.width, std::uint64_t{l.pad_left} + l.pad_right, c.reach_x(), c.stride_x,
               c.out_width),
          "CSC.D_DATAOUT_SIZE_0.DATAOUT_WIDTH", c.out_width,
          " columns need more input and padding than there is");
  require(fits(l.height, std::uint64_t{l.pad_top} + l.pad_bottom, c.reach_y(), c.stride_y,
               c.out_height),
          "CSC.D_DATAOUT_SIZE_0.DATAOUT_HEIGHT", c.out_height,
          " lines need more input and padding than there is");
  require(cacc.template count<"CACC.D_DATAOUT_SIZE_0.DATAOUT_WIDTH">() == c.out_width &&
              cacc.template count<"CACC.D_DATAOUT_SIZE_0.DATAOUT_HEIGHT">() == c.out_height &&
              cacc.template count<"CACC.D_DATAOUT_SIZE_1.DATAOUT_CHANNEL">() == c.kernels,
          "CACC.D_DATAOUT_SIZE_0", "the output size differs from CSC's");
  c.truncate = static_cast<int>(cacc.template u<"CACC.D_CLIP_CFG.CLIP_TRUNCATE">());
  require(c.truncate <= 16, "CACC.D_CLIP_CFG.CLIP_TRUNCATE", c.truncate, " is more than 16");
  require(c.macs() <= limit.macs, "CSC.D_DATAOUT_SIZE_0", c.macs(),
          " multiplications are beyond what the simulator is set to compute (sim::limits)");
  limit.check("CSC.D_DATAOUT_SIZE_0", (c.out_width - 1) * std::uint64_t{c.stride_x} + c.reach_x(),
              (c.out_height - 1) * std::uint64_t{c.stride_y} + c.reach_y(), c.channels, 1);
  return c;
}

}  // namespace nvdlac::sim
