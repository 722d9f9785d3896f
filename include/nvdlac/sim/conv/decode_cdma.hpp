// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nvdlac/sim/conv/cdma.hpp>
#include <nvdlac/sim/memory.hpp>
#include <nvdlac/sim/register_file.hpp>
#include <nvdlac/sim/rule.hpp>

namespace nvdlac::sim {

// The fields that only an image has.
template <hw::hardware Hw>
void decode_pixels(const group_view<Hw::spec.map>& g, cdma_layer& l) {
  constexpr std::uint32_t atom = Hw::spec.memory_atom;
  const auto code = g.template u<"CDMA.D_DATAIN_FORMAT.PIXEL_FORMAT">();
  const auto format = find_pixel_format(code);
  require(format.has_value(), "CDMA.D_DATAIN_FORMAT.PIXEL_FORMAT", "no format has the code ", code);
  require(Hw::spec.data_types.has(format->precision), "CDMA.D_DATAIN_FORMAT.PIXEL_FORMAT",
          "this configuration reads pixels of 8-bit channels only, not the format ", code);
  require(format->precision == l.in, "CDMA.D_MISC_CFG.IN_PRECISION",
          "differs from that of the pixel format ", code);
  require(!g.template on<"CDMA.D_DATAIN_FORMAT.PIXEL_MAPPING">(),
          "CDMA.D_DATAIN_FORMAT.PIXEL_MAPPING", "only PITCH_LINEAR exists");
  l.format = *format;
  require(l.channels == format->channels, "CDMA.D_DATAIN_SIZE_1.DATAIN_CHANNEL", "the format has ",
          +format->channels, " channels, not ", l.channels);
  l.is_signed = g.template on<"CDMA.D_DATAIN_FORMAT.PIXEL_SIGN_OVERRIDE">();

  require(g.template u<"CDMA.D_PIXEL_OFFSET.PIXEL_Y_OFFSET">() == 0,
          "CDMA.D_PIXEL_OFFSET.PIXEL_Y_OFFSET", "is 0 for PITCH_LINEAR");
  const auto offset = g.template u<"CDMA.D_PIXEL_OFFSET.PIXEL_X_OFFSET">();
  l.offset0 = offset * format->plane0_bytes;
  require(l.offset0 < atom, "CDMA.D_PIXEL_OFFSET.PIXEL_X_OFFSET", offset,
          " pixels are not within the first memory atom of a line");
  l.source.unit = format->plane0_bytes;
  l.source.width = std::uint64_t{offset} + l.width;
  l.source.surfaces = 1;
  l.source.check_no_overlap("CDMA.D_LINE_STRIDE");
  if (!format->planar()) return;
  // Whole atoms of the offset are in the address of the UV plane.
  l.offset1 = offset * format->plane1_bytes % atom;
  l.plane1 = l.source;
  l.plane1.unit = format->plane1_bytes;
  l.plane1.width = l.offset1 / format->plane1_bytes + std::uint64_t{l.width};
  l.plane1.base = g.template address<"CDMA.D_DAIN_ADDR_HIGH_1.DATAIN_ADDR_HIGH_1",
                                     "CDMA.D_DAIN_ADDR_LOW_1.DATAIN_ADDR_LOW_1">();
  l.plane1.line_stride = g.template bytes<"CDMA.D_LINE_UV_STRIDE.UV_LINE_STRIDE">();
  if (!l.brings_data) return;
  l.plane1.check_no_overlap("CDMA.D_LINE_UV_STRIDE");
  l.plane1.check("CDMA.D_DAIN_ADDR_LOW_1", atom);
}

template <hw::hardware Hw>
void decode_converter(const group_view<Hw::spec.map>& g, cdma_layer& l) {
  l.convert = g.template on<"CDMA.D_CVT_CFG.CVT_EN">();
  if (!l.convert) {  // raw bits, whatever else is set
    require(l.in == l.precision, "CDMA.D_CVT_CFG.CVT_EN",
            "IN_PRECISION differs from PROC_PRECISION without the converter");
    return;
  }
  require(!l.winograd, "CDMA.D_CVT_CFG.CVT_EN",
          "Winograd's input passes the converter only in one of the public models");
  const bool mean = g.template on<"CDMA.D_MEAN_FORMAT.MEAN_FORMAT">();
  require(!mean || l.pixel, "CDMA.D_MEAN_FORMAT", "the mean of a channel belongs to images");
  const converter common{
      .offset = g.template i<"CDMA.D_CVT_OFFSET.CVT_OFFSET">(),
      .scale = static_cast<std::int16_t>(g.template i<"CDMA.D_CVT_SCALE.CVT_SCALE">()),
      .shift = static_cast<std::uint8_t>(g.template u<"CDMA.D_CVT_CFG.CVT_TRUNCATE">())};
  l.converters.fill(common);
  if (!mean) return;
  l.converters[0].offset = g.template i<"CDMA.D_MEAN_GLOBAL_0.MEAN_RY">();
  l.converters[1].offset = g.template i<"CDMA.D_MEAN_GLOBAL_0.MEAN_GU">();
  l.converters[2].offset = g.template i<"CDMA.D_MEAN_GLOBAL_1.MEAN_BV">();
  l.converters[3].offset = g.template i<"CDMA.D_MEAN_GLOBAL_1.MEAN_AX">();
}

// A precision field, as far as the configuration has that precision.
template <hw::hardware Hw>
hw::precision decode_precision(std::uint32_t code, std::string_view where) {
  const auto p = static_cast<hw::precision>(code);
  require(code < 3, where, "no precision has the code ", code);
  require(Hw::spec.data_types.has(p), where, "this configuration computes in int8 only");
  return p;
}

// The mode that CDMA, CSC, both CMACs and CACC must share.
struct convolution_mode {
  bool winograd = false;
  hw::precision precision = hw::precision::int8;
  bool operator==(const convolution_mode&) const = default;
};

template <hw::hardware Hw, fixed_string ConvMode, fixed_string Precision>
convolution_mode decode_mode(const group_view<Hw::spec.map>& g) {
  convolution_mode m{.winograd = g.template on<ConvMode>(),
                     .precision = decode_precision<Hw>(g.template u<Precision>(),
                                                       Precision.view())};
  require(!m.winograd || Hw::spec.winograd, ConvMode.view(),
          "this configuration has no Winograd convolution");
  return m;
}

// CBUF entries of one line of the input.
template <hw::hardware Hw>
std::uint64_t entries_per_slice(const cdma_layer& l) {
  constexpr const auto& s = Hw::spec;
  if constexpr (Hw::spec.winograd)
    if (l.winograd)
      return hw::winograd_entries_per_slice(s, l.precision, l.padded_width(), l.channels,
                                            l.stride_x, l.stride_y).n;
  return l.pixel ? hw::image_entries_per_slice(s, l.precision, l.padded_width(), l.channels).n
                 : hw::feature_entries_per_slice(s, l.precision, l.width, l.channels).n;
}

// Whether the data fits its banks, and whether ENTRIES is what CDMA writes. CSC begins when the
// whole input is in the CBUF, and releases slices at its end, so all of it must fit.
template <hw::hardware Hw>
void check_data_banks(const cdma_layer& l) {
  constexpr const auto& s = Hw::spec;
  const auto entries = entries_per_slice<Hw>(l);
  require(l.entries == entries, "CDMA.D_ENTRY_PER_SLICE.ENTRIES", "a slice takes ", entries,
          " CBUF entries, not ", l.entries);
  require(l.batches == 1 || entries * l.batches <= hw::most_entries_of_pictures,
          "CDMA.D_BATCH_NUMBER", "a slice of all batches takes ", entries * l.batches,
          " CBUF entries, more than ", hw::most_entries_of_pictures);
  const std::uint64_t lines =
      (l.winograd ? l.padded_height() / l.stride_y : l.height) * std::uint64_t{l.batches};
  const auto room = std::uint64_t{l.data_banks} * s.cbuf_entries_per_bank;
  require(entries * lines <= room, "CDMA.D_BANK.DATA_BANK", lines, " slices of ", entries,
          " entries do not fit ", l.data_banks, " banks: CDMA waits for ever behind ",
          room / entries, " of them, as CSC begins when all are there");
}

// Whether compressed weights, groups of kernels of so many bytes, fit their banks and the masks the
// last one, which holds a bit for each element: of all of them if they stay, else of a group.
template <hw::hardware Hw>
void check_mask_bank(const cdma_layer& l, std::uint64_t all, std::uint64_t group) {
  constexpr const auto& s = Hw::spec;
  const auto elements = all / hw::element_bytes(l.precision);
  const auto bits = group / hw::element_bytes(l.precision);
  const auto entry = std::uint64_t{s.cbuf_entry} * 8, bank = s.cbuf_bank().n * 8;
  require(l.mask_bytes == hw::mask_bytes(elements).n, "CDMA.D_WMB_BYTES", elements,
          " elements have a mask of ", hw::mask_bytes(elements).n, " bytes, not ", l.mask_bytes);
  require(l.mask_bytes * 8 <= bank || (bits + entry <= bank && !l.keep_weights),
          "CDMA.D_WMB_BYTES", "the mask of ", l.keep_weights ? "all kernels" : "a kernel group",
          " does not fit its bank");
  require(l.weight_bytes <= align_up(all, 128), "CDMA.D_WEIGHT_BYTES", l.weight_bytes,
          " bytes are too many for ", l.kernels, " kernels of ", l.kernel_bytes, " bytes");
}

template <hw::hardware Hw>
void check_weight_banks(const cdma_layer& l) {
  constexpr const auto& s = Hw::spec;
  const std::uint64_t all = std::uint64_t{l.kernels} * l.kernel_bytes;
  const auto space = std::uint64_t{l.weight_banks} * s.cbuf_bank().n;
  const auto group =
      std::uint64_t{std::min(l.kernels, s.kernel_group(l.precision))} * l.kernel_bytes;
  require(!l.keep_weights || l.weight_bytes <= space,
          "CDMA.D_BANK.WEIGHT_BANK", "weights that stay in the CBUF must fit their banks");
  if constexpr (Hw::spec.weight_compression)
    if (l.compressed) return check_mask_bank<Hw>(l, all, group);
  require(l.weight_bytes >= all, "CDMA.D_WEIGHT_BYTES", l.kernels, " kernels of ",
          l.kernel_bytes, " bytes are more than ", l.weight_bytes, " bytes");
  require(l.weight_bytes - all < std::max<std::uint64_t>(128, s.cbuf_entry),
          "CDMA.D_WEIGHT_BYTES", l.weight_bytes, " bytes are too many for ", l.kernels,
          " kernels of ", l.kernel_bytes, " bytes");
  require(group <= space, "CDMA.D_BANK.WEIGHT_BANK", "a kernel group of ", group,
          " bytes does not fit ", l.weight_banks, " banks");
}

// Checks that what an operation brings fits the CBUF.
template <hw::hardware Hw>
void check_banks(const cdma_layer& l) {
  const auto usable = hw::usable_banks(Hw::spec, l.compressed).n;
  require(l.data_banks + l.weight_banks <= usable, "CDMA.D_BANK", l.data_banks, " + ",
          l.weight_banks, " banks for data and weights are more than the ", usable,
          " of the CBUF", l.compressed ? " beside the masks'" : "");
  if (l.brings_data) check_data_banks<Hw>(l);
  if (l.brings_weights) check_weight_banks<Hw>(l);
}

// The strides and the size of Winograd's extended input; the other modes do not read
// D_DATAIN_SIZE_EXT_0.
template <hw::hardware Hw>
void decode_extended_size(const group_view<Hw::spec.map>& g, cdma_layer& l) {
  l.stride_x = g.template count<"CDMA.D_CONV_STRIDE.CONV_X_STRIDE">();
  l.stride_y = g.template count<"CDMA.D_CONV_STRIDE.CONV_Y_STRIDE">();
  require(l.padded_width() % (4 * l.stride_x) == 0 && l.padded_height() % (4 * l.stride_y) == 0,
          "CDMA.D_ZERO_PADDING", "Winograd's input and padding, ", l.padded_width(), "x",
          l.padded_height(), ", is no multiple of four strides");
  require(g.template count<"CDMA.D_DATAIN_SIZE_EXT_0.DATAIN_WIDTH_EXT">() ==
                  l.padded_width() / l.stride_x &&
              g.template count<"CDMA.D_DATAIN_SIZE_EXT_0.DATAIN_HEIGHT_EXT">() ==
                  l.padded_height() / l.stride_y,
          "CDMA.D_DATAIN_SIZE_EXT_0", "differs from the extended input, ",
          l.padded_width() / l.stride_x, "x", l.padded_height() / l.stride_y);
}

// Sizes and padding.
template <hw::hardware Hw>
void decode_size(const group_view<Hw::spec.map>& g, cdma_layer& l) {
  l.width = g.template count<"CDMA.D_DATAIN_SIZE_0.DATAIN_WIDTH">();
  l.height = g.template count<"CDMA.D_DATAIN_SIZE_0.DATAIN_HEIGHT">();
  l.channels = g.template count<"CDMA.D_DATAIN_SIZE_1.DATAIN_CHANNEL">();
  l.pad_left = g.template u<"CDMA.D_ZERO_PADDING.PAD_LEFT">();
  l.pad_right = g.template u<"CDMA.D_ZERO_PADDING.PAD_RIGHT">();
  l.pad_top = g.template u<"CDMA.D_ZERO_PADDING.PAD_TOP">();
  l.pad_bottom = g.template u<"CDMA.D_ZERO_PADDING.PAD_BOTTOM">();
  const auto pad = static_cast<std::int16_t>(
      g.template u<"CDMA.D_ZERO_PADDING_VALUE.PAD_VALUE">());
  l.pad_value = l.precision == hw::precision::int8 ? static_cast<std::int8_t>(pad) : pad;
  l.batches = g.template count<"CDMA.D_BATCH_NUMBER.BATCHES">();
  require(l.batches == 1 || Hw::spec.batch, "CDMA.D_BATCH_NUMBER",
          "this configuration has no batches");
  require(l.batches == 1 || !(l.pixel || l.winograd), "CDMA.D_BATCH_NUMBER",
          "batches belong to direct convolutions of features");
  if constexpr (Hw::spec.winograd)
    if (l.winograd) decode_extended_size<Hw>(g, l);
}

template <hw::hardware Hw>
void decode_weights(const group_view<Hw::spec.map>& g, memories<Hw>& m, cdma_layer& l) {
  if (!l.brings_weights) return;
  constexpr std::uint32_t atom = Hw::spec.memory_atom;
  l.weight_ram = &m.select(g.template on<"CDMA.D_WEIGHT_RAM_TYPE.WEIGHT_RAM_TYPE">(),
                           "CDMA.D_WEIGHT_RAM_TYPE");
  const auto check = [&](std::uint64_t address, std::uint64_t size, std::string_view where) {
    require(address % atom == 0 && l.weight_ram->contains(address, size), where,
            "the weights are not aligned to the memory atom or lie beyond the address width");
  };
  l.weight_address = g.template address<"CDMA.D_WEIGHT_ADDR_HIGH.WEIGHT_ADDR_HIGH",
                                        "CDMA.D_WEIGHT_ADDR_LOW.WEIGHT_ADDR_LOW">();
  check(l.weight_address, l.weight_bytes, "CDMA.D_WEIGHT_ADDR_LOW");
  if constexpr (Hw::spec.weight_compression) {
    if (!l.compressed) return;
    l.sizes_address = g.template address<"CDMA.D_WGS_ADDR_HIGH.WGS_ADDR_HIGH",
                                         "CDMA.D_WGS_ADDR_LOW.WGS_ADDR_LOW">();
    l.mask_address = g.template address<"CDMA.D_WMB_ADDR_HIGH.WMB_ADDR_HIGH",
                                        "CDMA.D_WMB_ADDR_LOW.WMB_ADDR_LOW">();
    const auto groups = ceil_div(l.kernels, Hw::spec.kernel_group(l.precision));
    check(l.sizes_address, align_up(groups * 4, atom), "CDMA.D_WGS_ADDR_LOW");
    check(l.mask_address, l.mask_bytes, "CDMA.D_WMB_ADDR_LOW");
  }
}

// The input, all pictures of a batch, has addresses and is as packed as the registers say.
template <hw::hardware Hw>
void check_input(const group_view<Hw::spec.map>& g, cdma_layer& l) {
  l.source.check("CDMA.D_DAIN_ADDR_LOW_0", Hw::spec.memory_atom);
  require(l.pixel || !g.template on<"CDMA.D_DAIN_MAP.LINE_PACKED">() ||
              l.source.line_stride == l.source.line_bytes(),
          "CDMA.D_DAIN_MAP.LINE_PACKED", "packed lines of ", l.source.line_bytes(),
          " bytes need that line stride, not ", l.source.line_stride);
  require(l.pixel || l.winograd || l.width != 1 || l.height != 1 || l.source.surfaces == 1 ||
              !g.template on<"CDMA.D_DAIN_MAP.SURF_PACKED">() ||
              l.source.surface_stride == l.source.unit,
          "CDMA.D_DAIN_MAP.SURF_PACKED", "packed surfaces of one pixel need a surface stride of ",
          l.source.unit, ", not ", l.source.surface_stride);
  if constexpr (Hw::spec.batch) {
    if (l.batches == 1) return;
    l.batch_stride = g.template bytes<"CDMA.D_BATCH_STRIDE.BATCH_STRIDE">();
    require(l.batch_stride % Hw::spec.memory_atom == 0, "CDMA.D_BATCH_STRIDE",
            "is not a multiple of the memory atom");
    auto last = l.source;
    last.base += (l.batches - 1) * l.batch_stride;
    require(last.base >= l.source.base, "CDMA.D_BATCH_STRIDE", "the last batch has no address");
    last.check("CDMA.D_BATCH_STRIDE", Hw::spec.memory_atom);
  }
}

// Decodes and checks CDMA's registers of one group, for an operation that brings data and weights
// or finds them in the CBUF. Throws nvdlac::error.
template <hw::hardware Hw>
cdma_layer decode_cdma(const group_view<Hw::spec.map>& g, memories<Hw>& m, bool brings_data,
                       bool brings_weights) {
  const auto mode = decode_mode<Hw, "CDMA.D_MISC_CFG.CONV_MODE",
                                "CDMA.D_MISC_CFG.PROC_PRECISION">(g);
  cdma_layer l{.winograd = mode.winograd, .precision = mode.precision};
  l.brings_data = brings_data;
  l.brings_weights = brings_weights;
  l.in = decode_precision<Hw>(g.template u<"CDMA.D_MISC_CFG.IN_PRECISION">(),
                              "CDMA.D_MISC_CFG.IN_PRECISION");
  l.pixel = g.template on<"CDMA.D_DATAIN_FORMAT.DATAIN_FORMAT">();
  require(!l.pixel || !l.winograd, "CDMA.D_DATAIN_FORMAT.DATAIN_FORMAT",
          "Winograd's input is no image");
  require(l.in == l.precision ||
              (l.pixel ? l.in != hw::precision::fp16
                       : l.in == hw::precision::int16 && l.precision == hw::precision::fp16),
          "CDMA.D_MISC_CFG.IN_PRECISION", "the converter does not make this PROC_PRECISION of it");
  l.nan_to_zero = g.template on<"CDMA.D_NAN_FLUSH_TO_ZERO.NAN_TO_ZERO">();
  l.keep_data = g.template on<"CDMA.D_MISC_CFG.SKIP_DATA_RLS">();
  l.keep_weights = g.template on<"CDMA.D_MISC_CFG.SKIP_WEIGHT_RLS">();
  decode_size<Hw>(g, l);

  l.kernels = g.template count<"CDMA.D_WEIGHT_SIZE_1.WEIGHT_KERNEL">();
  l.kernel_bytes = g.template count<"CDMA.D_WEIGHT_SIZE_0.BYTE_PER_KERNEL">();
  l.weight_bytes = g.template bytes<"CDMA.D_WEIGHT_BYTES.WEIGHT_BYTES">();
  l.compressed = g.template on<"CDMA.D_WEIGHT_FORMAT.WEIGHT_FORMAT">();
  require(!l.compressed || Hw::spec.weight_compression, "CDMA.D_WEIGHT_FORMAT",
          "this configuration reads no compressed weights");
  if (l.compressed) l.mask_bytes = g.template bytes<"CDMA.D_WMB_BYTES.WMB_BYTES">();
  l.entries = g.template count<"CDMA.D_ENTRY_PER_SLICE.ENTRIES">();
  l.data_banks = g.template count<"CDMA.D_BANK.DATA_BANK">();
  l.weight_banks = g.template count<"CDMA.D_BANK.WEIGHT_BANK">();
  check_banks<Hw>(l);  // bounds every size before anything is read

  l.source = {.ram = &m.select(g.template on<"CDMA.D_DAIN_RAM_TYPE.DATAIN_RAM_TYPE">(),
                               "CDMA.D_DAIN_RAM_TYPE"),
              .base = g.template address<"CDMA.D_DAIN_ADDR_HIGH_0.DATAIN_ADDR_HIGH_0",
                                         "CDMA.D_DAIN_ADDR_LOW_0.DATAIN_ADDR_LOW_0">(),
              .line_stride = g.template bytes<"CDMA.D_LINE_STRIDE.LINE_STRIDE">(),
              .surface_stride = g.template bytes<"CDMA.D_SURF_STRIDE.SURF_STRIDE">(),
              .unit = Hw::spec.memory_atom,
              .width = l.width,
              .height = l.height,
              .surfaces = hw::surfaces(Hw::spec, l.in, l.channels)};
  if (l.pixel) decode_pixels<Hw>(g, l);
  decode_converter<Hw>(g, l);
  if (l.brings_data) check_input<Hw>(g, l);
  decode_weights<Hw>(g, m, l);
  return l;
}

}  // namespace nvdlac::sim
