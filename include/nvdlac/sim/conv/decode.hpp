// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/arithmetic/winograd.hpp>
#include <nvdlac/hw/capacity.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/sim/conv/cbuf.hpp>
#include <nvdlac/sim/conv/core.hpp>
#include <nvdlac/sim/conv/decode_cdma.hpp>

namespace nvdlac::sim {

// Returns what CDMA brought, as CSC's registers call it. Lines of features may have another shape
// for CSC as long as they take the same entries, and of kernels that stay it may compute with some.
template <hw::hardware Hw>
cdma_layer read_by_csc(const group_view<Hw::spec.map>& g, const input_block& data,
                       const weight_block& weights) {
  const auto& w = weights.layer;
  auto l = data.layer;
  require(w.precision == l.precision && w.winograd == l.winograd,
          "CDMA.D_MISC_CFG.PROC_PRECISION", "data and weights are of different precisions");
  l.kernels = w.kernels;
  l.kernel_bytes = w.kernel_bytes;
  l.weight_bytes = w.weight_bytes;
  l.compressed = w.compressed;
  l.mask_bytes = w.mask_bytes;
  l.keep_data = g.template on<"CSC.D_MISC_CFG.SKIP_DATA_RLS">();
  l.keep_weights = g.template on<"CSC.D_MISC_CFG.SKIP_WEIGHT_RLS">();
  if (l.winograd) return l;
  l.height = g.template count<"CSC.D_DATAIN_SIZE_EXT_0.DATAIN_HEIGHT_EXT">();
  if (l.pixel) return l;
  const auto width = g.template count<"CSC.D_DATAIN_SIZE_EXT_0.DATAIN_WIDTH_EXT">();
  const auto channels = g.template count<"CSC.D_DATAIN_SIZE_EXT_1.DATAIN_CHANNEL_EXT">();
  const auto entries = hw::feature_entries_per_slice(Hw::spec, l.precision, width, channels).n;
  require(entries == l.entries, "CSC.D_DATAIN_SIZE_EXT_0.DATAIN_WIDTH_EXT", width,
          " columns of DATAIN_CHANNEL_EXT ", channels, " take ", entries,
          " CBUF entries, not the ", l.entries, " of a slice of CDMA");
  l.width = width;
  l.channels = channels;
  return l;
}

// CSC against CDMA: both describe the same input and weights.
template <hw::register_map Map>
void check_csc_against_cdma(const group_view<Map>& g, const cdma_layer& l) {
  const auto same = [](std::uint64_t csc, std::uint64_t cdma, std::string_view where) {
    require(csc == cdma, where, csc, " differs from ", cdma, " of CDMA");
  };
  // CSC sees what the converter made; the firmware says so, other programs repeat CDMA's field.
  const auto in = static_cast<hw::precision>(g.template u<"CSC.D_MISC_CFG.IN_PRECISION">());
  require(in == l.in || in == l.precision, "CSC.D_MISC_CFG.IN_PRECISION",
          "is neither IN_PRECISION nor PROC_PRECISION of CDMA");
  same(g.template u<"CSC.D_DATAIN_FORMAT.DATAIN_FORMAT">(), l.pixel, "CSC.D_DATAIN_FORMAT");
  same(g.template count<"CSC.D_DATAIN_SIZE_EXT_0.DATAIN_WIDTH_EXT">(),
       l.winograd ? l.padded_width() / l.stride_x : l.width,
       "CSC.D_DATAIN_SIZE_EXT_0.DATAIN_WIDTH_EXT");
  same(g.template count<"CSC.D_DATAIN_SIZE_EXT_0.DATAIN_HEIGHT_EXT">(),
       l.winograd ? l.padded_height() / l.stride_y : l.height,
       "CSC.D_DATAIN_SIZE_EXT_0.DATAIN_HEIGHT_EXT");
  same(g.template count<"CSC.D_BATCH_NUMBER.BATCHES">(), l.batches, "CSC.D_BATCH_NUMBER");
  same(g.template count<"CSC.D_ENTRY_PER_SLICE.ENTRIES">(), l.entries, "CSC.D_ENTRY_PER_SLICE");
  same(g.template u<"CSC.D_WEIGHT_FORMAT.WEIGHT_FORMAT">(), l.compressed, "CSC.D_WEIGHT_FORMAT");
  if (l.compressed)
    same(g.template bytes<"CSC.D_WMB_BYTES.WMB_BYTES">(), l.mask_bytes, "CSC.D_WMB_BYTES");
  if (!l.winograd) {  // CDMA has padded that
    same(g.template u<"CSC.D_ZERO_PADDING.PAD_LEFT">(), l.pad_left, "CSC.D_ZERO_PADDING.PAD_LEFT");
    same(g.template u<"CSC.D_ZERO_PADDING.PAD_TOP">(), l.pad_top, "CSC.D_ZERO_PADDING.PAD_TOP");
  }
}

// The kernel's size and the weight order of images and of Winograd.
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
    c.y_extension = 1u << extension;
    require(hw::takes_kernel_lines(Hw::spec, c.y_extension, channels, c.stride_x * l.channels),
            "CSC.D_POST_Y_EXTENSION", c.y_extension, " lines of ", channels,
            " elements and steps of ", c.stride_x, " pixels are too many");
    require(channels <= 128, "CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_CHANNEL_EXT", channels,
            " elements of a line of an image's kernel are more than 128");
  } else {
    require(channels == c.channels, "CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_CHANNEL_EXT", channels,
            " channels of the weights, but ", c.channels, " of the input");
    require(extension == 0, "CSC.D_POST_Y_EXTENSION", "belongs to images");
    c.kernel_width = width;
  }
  const auto bytes = c.kernel_elements() * hw::element_bytes(c.precision);
  // CDMA tells CSC of kernels group by group. Those of another size than CSC's must be there.
  const auto declared = std::uint64_t{l.kernel_bytes} * std::min<std::uint64_t>(
      align_up(c.kernels, Hw::spec.kernel_group(l.precision)), l.kernels);
  require(bytes == l.kernel_bytes ||
              (c.kernels < l.kernels && !l.compressed && bytes * c.kernels <= declared),
          "CDMA.D_WEIGHT_SIZE_0.BYTE_PER_KERNEL", "a kernel of ", c.channels, "x",
          c.kernel_height, "x", c.kernel_width, " elements has ", bytes,
          " bytes, not ", l.kernel_bytes);
  require(c.kernel_elements() <= longest_dot, "CDMA.D_WEIGHT_SIZE_0.BYTE_PER_KERNEL",
          "the simulator's accumulators hold at most ", longest_dot, " products");
}

// The numbers that Winograd's mode fixes: the kernel of transformed weights, no strides, tiles
// of 4x4 outputs.
template <hw::register_map Map>
void check_winograd(const group_view<Map>& g, const cdma_layer& l, const convolution& c) {
  require(c.kernel_width == 4 && c.kernel_height == 4, "CSC.D_WEIGHT_SIZE_EXT_0",
          "Winograd's transformed kernels are 4x4");
  require(c.stride_x == 1 && c.stride_y == 1, "CSC.D_CONV_STRIDE_EXT",
          "is 1 in Winograd; the stride is in the extended channels");
  require(c.dilation_x == 1 && c.dilation_y == 1, "CSC.D_DILATION_EXT", "is 1 in Winograd");
  require(g.template u<"CSC.D_ZERO_PADDING.PAD_LEFT">() == 0 &&
              g.template u<"CSC.D_ZERO_PADDING.PAD_TOP">() == 0,
          "CSC.D_ZERO_PADDING", "is 0 in Winograd; CDMA pads");
  require(c.out_width + 4 == l.padded_width() / l.stride_x &&
              c.out_height + 4 == l.padded_height() / l.stride_y,
          "CSC.D_DATAOUT_SIZE_0", "Winograd's output is the extended input less 4, ",
          l.padded_width() / l.stride_x - 4, "x", l.padded_height() / l.stride_y - 4);
  require(c.out_width >= 8 && c.out_height >= 8 && c.out_width % 4 == 0 && c.out_height % 4 == 0,
          "CSC.D_DATAOUT_SIZE_0", "Winograd's output of ", c.out_width, 'x', c.out_height,
          " is not of multiples of 4 from 8 on");
  require(l.keep_data || g.template count<"CSC.D_RELEASE.RLS_SLICES">() % 4 == 0,
          "CSC.D_RELEASE.RLS_SLICES", "Winograd releases whole tiles of 4 lines");
}

// The addresses of CACC's own for pictures of a batch, which tell which atoms of a line go to SDP
// in pairs.
template <hw::hardware Hw>
void check_batch_addresses(const group_view<Hw::spec.map>& cacc) {
  const auto pair = 2 * std::uint64_t{Hw::spec.memory_atom};
  require(cacc.template bytes<"CACC.D_DATAOUT_ADDR.DATAOUT_ADDR">() % pair == 0,
          "CACC.D_DATAOUT_ADDR", "is not a multiple of ", pair, ", as batches want it");
  require(cacc.template bytes<"CACC.D_LINE_STRIDE.LINE_STRIDE">() % pair == 0,
          "CACC.D_LINE_STRIDE", "is not a multiple of ", pair, ", as batches want it");
  require(cacc.template bytes<"CACC.D_SURF_STRIDE.SURF_STRIDE">() % pair == 0,
          "CACC.D_SURF_STRIDE", "is not a multiple of ", pair, ", as batches want it");
}

// Whether the input and its padding have what the direct modes' output reads.
inline void check_output(const cdma_layer& l, const convolution& c) {
  require(l.pad_left < c.reach_x() && l.pad_right < c.reach_x() && l.pad_top < c.reach_y() &&
              l.pad_bottom < c.reach_y(),
          "CDMA.D_ZERO_PADDING", "the padding is not less than the kernel's ", c.reach_x(), 'x',
          c.reach_y());
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
}

// Strides, padding and the output's size.
template <hw::hardware Hw>
void decode_output(const group_view<Hw::spec.map>& csc, const group_view<Hw::spec.map>& cacc,
                   const cdma_layer& l, convolution& c) {
  c.out_width = csc.template count<"CSC.D_DATAOUT_SIZE_0.DATAOUT_WIDTH">();
  c.out_height = csc.template count<"CSC.D_DATAOUT_SIZE_0.DATAOUT_HEIGHT">();
  require(csc.template count<"CSC.D_DATAOUT_SIZE_1.DATAOUT_CHANNEL">() == c.kernels,
          "CSC.D_DATAOUT_SIZE_1", "the output has a channel for each of the ", c.kernels,
          " kernels");
  require(csc.template count<"CSC.D_ATOMICS.ATOMICS">() ==
              std::uint64_t{c.out_width} * c.out_height,
          "CSC.D_ATOMICS", "is output width x height");
  const auto lines = l.winograd ? l.padded_height() / l.stride_y : l.height;
  require(l.keep_data || csc.template count<"CSC.D_RELEASE.RLS_SLICES">() <=
                             std::uint64_t{lines} * l.batches,
          "CSC.D_RELEASE", "more slices than the input has");
  const auto line = std::uint64_t{c.kernel_width} * c.channels;
  require(!l.pixel || hw::reads_image_lines(Hw::spec, line, c.out_width),
          "CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_CHANNEL_EXT", "CSC reads wrong elements for ", line,
          " elements of a line of an image's kernel and ", c.out_width,
          " columns of output: it miscounts the blocks of ", Hw::spec.mac_atomic_c);
  if (!l.winograd) check_output(l, c);
  if constexpr (Hw::spec.winograd)
    if (l.winograd) check_winograd(csc, l, c);
  require(cacc.template count<"CACC.D_DATAOUT_SIZE_0.DATAOUT_WIDTH">() == c.out_width &&
              cacc.template count<"CACC.D_DATAOUT_SIZE_0.DATAOUT_HEIGHT">() == c.out_height &&
              cacc.template count<"CACC.D_DATAOUT_SIZE_1.DATAOUT_CHANNEL">() == c.kernels,
          "CACC.D_DATAOUT_SIZE_0", "the output size differs from CSC's");
  require(cacc.template count<"CACC.D_BATCH_NUMBER.BATCHES">() == l.batches,
          "CACC.D_BATCH_NUMBER", "differs from CDMA's");
  if constexpr (Hw::spec.batch)
    if (l.batches > 1 && (c.out_width > 1 || c.out_height > 1)) check_batch_addresses<Hw>(cacc);
}

// Decodes the work of CSC, CMAC and CACC on what CDMA brings. Throws nvdlac::error. Each view is of
// that unit's active group.
template <hw::hardware Hw>
convolution decode_convolution(const group_view<Hw::spec.map>& csc,
                               const group_view<Hw::spec.map>& cmac_a,
                               const group_view<Hw::spec.map>& cmac_b,
                               const group_view<Hw::spec.map>& cacc, const cdma_layer& l,
                               const settings& s) {
  const auto same_mode = [&](convolution_mode m, std::string_view where) {
    require(m == convolution_mode{l.winograd, l.precision}, where,
            "CONV_MODE or PROC_PRECISION differs from CDMA's");
  };
  same_mode(decode_mode<Hw, "CSC.D_MISC_CFG.CONV_MODE", "CSC.D_MISC_CFG.PROC_PRECISION">(csc),
            "CSC.D_MISC_CFG");
  same_mode(decode_mode<Hw, "CMAC_A.D_MISC_CFG.CONV_MODE",
                        "CMAC_A.D_MISC_CFG.PROC_PRECISION">(cmac_a), "CMAC_A.D_MISC_CFG");
  same_mode(decode_mode<Hw, "CMAC_B.D_MISC_CFG.CONV_MODE",
                        "CMAC_B.D_MISC_CFG.PROC_PRECISION">(cmac_b), "CMAC_B.D_MISC_CFG");
  same_mode(decode_mode<Hw, "CACC.D_MISC_CFG.CONV_MODE", "CACC.D_MISC_CFG.PROC_PRECISION">(cacc),
            "CACC.D_MISC_CFG");
  check_csc_against_cdma<Hw::spec.map>(csc, l);

  convolution c{.channels = l.channels,
                .kernels = csc.template count<"CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_KERNEL">(),
                .pad_left = l.pad_left,
                .pad_top = l.pad_top, .pixel = l.pixel, .precision = l.precision,
                .winograd = l.winograd};
  if (l.winograd) {
    c.channels = static_cast<std::uint32_t>(l.source.surfaces * l.source.unit /
                                            hw::element_bytes(l.in)) * l.stride_x * l.stride_y;
    c.pad_left = c.pad_top = 0;
  }
  const auto channels = csc.template count<"CSC.D_DATAIN_SIZE_EXT_1.DATAIN_CHANNEL_EXT">();
  require(channels == c.channels, "CSC.D_DATAIN_SIZE_EXT_1.DATAIN_CHANNEL_EXT", channels,
          " differs from the ", c.channels, " of CDMA");
  c.stride_x = csc.template count<"CSC.D_CONV_STRIDE_EXT.CONV_X_STRIDE_EXT">();
  c.stride_y = csc.template count<"CSC.D_CONV_STRIDE_EXT.CONV_Y_STRIDE_EXT">();
  c.dilation_x = csc.template count<"CSC.D_DILATION_EXT.X_DILATION_EXT">();
  c.dilation_y = csc.template count<"CSC.D_DILATION_EXT.Y_DILATION_EXT">();
  c.pra_truncate = static_cast<int>(csc.template u<"CSC.D_PRA_CFG.PRA_TRUNCATE">());
  require(!l.winograd || c.pra_truncate <= arithmetic::most_input_truncate,
          "CSC.D_PRA_CFG.PRA_TRUNCATE", c.pra_truncate, " is more than 2, for which CSC takes it");
  const auto pad = static_cast<std::int16_t>(
      csc.template u<"CSC.D_ZERO_PADDING_VALUE.PAD_VALUE">());
  c.pad_value = l.precision == hw::precision::int8 ? static_cast<std::int8_t>(pad) : pad;
  // CDMA pads the sides of an image, CSC everything else.
  require(!l.pixel || c.pad_value == l.pad_value, "CSC.D_ZERO_PADDING_VALUE",
          "the pad value of an image differs from CDMA's");
  decode_kernel<Hw>(csc, l, c);
  decode_output<Hw>(csc, cacc, l, c);

  c.truncate = static_cast<int>(cacc.template u<"CACC.D_CLIP_CFG.CLIP_TRUNCATE">());
  require(c.truncate <= 16, "CACC.D_CLIP_CFG.CLIP_TRUNCATE", c.truncate, " is more than 16");
  require(c.macs() <= s.macs / l.batches, "CSC.D_DATAOUT_SIZE_0", c.macs(),
          " multiplications are beyond what the simulator is set to compute (sim::settings, "
          "--limit macs)");
  s.check("CSC.D_DATAOUT_SIZE_0", (c.out_width - 1) * std::uint64_t{c.stride_x} + c.reach_x(),
              (c.out_height - 1) * std::uint64_t{c.stride_y} + c.reach_y(), c.channels, 1);
  return c;
}

}  // namespace nvdlac::sim
