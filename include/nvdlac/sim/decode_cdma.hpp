// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/sim/cdma.hpp>
#include <nvdlac/sim/memories.hpp>
#include <nvdlac/sim/register_file.hpp>

namespace nvdlac::sim {

// The mode bits that CDMA, CSC, CMAC and CACC share.
template <fixed_string Unit>
void require_direct_int8(bool winograd, std::uint32_t precision) {
  require(!winograd, Unit.view(), "CONV_MODE=WINOGRAD is not simulated");
  require(precision == 0, Unit.view(), "PROC_PRECISION: only int8 is simulated");
}

template <hw::hardware Hw>
void decode_pixels(const group_view<Hw::spec.map>& g, cdma_layer& l) {
  const auto code = g.template u<"CDMA.D_DATAIN_FORMAT.PIXEL_FORMAT">();
  const auto format = int8_pixel_format(code);
  require(format.has_value(), "CDMA.D_DATAIN_FORMAT.PIXEL_FORMAT", "the format ", code,
          " is not one of the 8-bit formats that are simulated");
  require(!g.template on<"CDMA.D_DATAIN_FORMAT.PIXEL_MAPPING">(),
          "CDMA.D_DATAIN_FORMAT.PIXEL_MAPPING", "only PITCH_LINEAR exists");
  l.format = *format;
  require(l.channels == format->channels, "CDMA.D_DATAIN_SIZE_1.DATAIN_CHANNEL", "the format has ",
          +format->channels, " channels, not ", l.channels);
  l.x_offset = g.template u<"CDMA.D_PIXEL_OFFSET.PIXEL_X_OFFSET">();
  l.is_signed = g.template on<"CDMA.D_DATAIN_FORMAT.PIXEL_SIGN_OVERRIDE">();
  l.source.unit = format->plane0_bytes;
  l.source.width = std::uint64_t{l.x_offset} + l.width;
  l.source.surfaces = 1;
  if (format->planar()) {
    l.plane1 = l.source;
    l.plane1.unit = format->plane1_bytes;
    l.plane1.base = g.template address<"CDMA.D_DAIN_ADDR_HIGH_1.DATAIN_ADDR_HIGH_1",
                                       "CDMA.D_DAIN_ADDR_LOW_1.DATAIN_ADDR_LOW_1">();
    l.plane1.line_stride = g.template bytes<"CDMA.D_LINE_UV_STRIDE.UV_LINE_STRIDE">();
    l.plane1.check("CDMA.D_DAIN_ADDR_LOW_1", Hw::spec.memory_atom);
  }
}

template <hw::hardware Hw>
void decode_converter(const group_view<Hw::spec.map>& g, cdma_layer& l) {
  l.convert = g.template on<"CDMA.D_CVT_CFG.CVT_EN">();
  if (!l.convert) return;  // raw bytes, whatever else is set
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

// Whether data and weights fit their banks, and whether ENTRIES is what CSC computes with.
template <hw::hardware Hw>
void check_cbuf(const cdma_layer& l) {
  constexpr const auto& s = Hw::spec;
  constexpr auto p = hw::precision::int8;
  const std::uint64_t entries =
      l.pixel ? hw::image_entries_per_slice(
                    s, p, std::uint64_t{l.pad_left} + l.width + l.pad_right, l.channels).n
              : hw::feature_entries_per_slice(s, p, l.width, l.channels).n;
  require(l.entries == entries, "CDMA.D_ENTRY_PER_SLICE.ENTRIES", "a slice takes ", entries,
          " CBUF entries, not ", l.entries);
  require(l.data_banks + l.weight_banks <= s.cbuf_banks, "CDMA.D_BANK", l.data_banks, " + ",
          l.weight_banks, " banks for data and weights are more than the ", s.cbuf_banks,
          " of the CBUF");
  require(entries * l.height <= std::uint64_t{l.data_banks} * s.cbuf_entries_per_bank,
          "CDMA.D_BANK.DATA_BANK", l.height, " slices of ", entries,
          " entries do not fit ", l.data_banks, " banks");
  const std::uint64_t all = std::uint64_t{l.kernels} * l.kernel_bytes;
  require(l.weight_bytes >= all, "CDMA.D_WEIGHT_BYTES", l.kernels, " kernels of ", l.kernel_bytes,
          " bytes are more than ", l.weight_bytes, " bytes");
  require(l.weight_bytes - all < std::max<std::uint64_t>(128, s.cbuf_entry),
          "CDMA.D_WEIGHT_BYTES", l.weight_bytes, " bytes are too many for ", l.kernels,
          " kernels of ", l.kernel_bytes, " bytes");
  const auto space = std::uint64_t{l.weight_banks} * s.cbuf_bank().n;
  const auto group =
      std::uint64_t{std::min(l.kernels, s.kernel_group(p))} * l.kernel_bytes;
  require(group <= space, "CDMA.D_BANK.WEIGHT_BANK", "a kernel group of ", group,
          " bytes does not fit ", l.weight_banks, " banks");
  require(!(l.keep_weights || l.weight_reuse) || l.weight_bytes <= space,
          "CDMA.D_BANK.WEIGHT_BANK", "weights that stay in the CBUF must fit their banks");
}

// What CDMA's registers of one group say, checked. Throws nvdlac::error.
template <hw::hardware Hw>
cdma_layer decode_cdma(const group_view<Hw::spec.map>& g, memories<Hw>& m) {
  require_direct_int8<"CDMA.D_MISC_CFG">(g.template on<"CDMA.D_MISC_CFG.CONV_MODE">(),
                                         g.template u<"CDMA.D_MISC_CFG.PROC_PRECISION">());
  require(g.template u<"CDMA.D_MISC_CFG.IN_PRECISION">() == 0, "CDMA.D_MISC_CFG.IN_PRECISION",
          "only int8 is simulated");
  require(g.template u<"CDMA.D_BATCH_NUMBER.BATCHES">() == 0, "CDMA.D_BATCH_NUMBER",
          "batches are not simulated");
  require(!g.template on<"CDMA.D_WEIGHT_FORMAT.WEIGHT_FORMAT">(), "CDMA.D_WEIGHT_FORMAT",
          "compressed weights are not simulated");

  cdma_layer l;
  l.pixel = g.template on<"CDMA.D_DATAIN_FORMAT.DATAIN_FORMAT">();
  l.width = g.template count<"CDMA.D_DATAIN_SIZE_0.DATAIN_WIDTH">();
  l.height = g.template count<"CDMA.D_DATAIN_SIZE_0.DATAIN_HEIGHT">();
  l.channels = g.template count<"CDMA.D_DATAIN_SIZE_1.DATAIN_CHANNEL">();
  require(g.template count<"CDMA.D_DATAIN_SIZE_EXT_0.DATAIN_WIDTH_EXT">() == l.width &&
              g.template count<"CDMA.D_DATAIN_SIZE_EXT_0.DATAIN_HEIGHT_EXT">() == l.height,
          "CDMA.D_DATAIN_SIZE_EXT_0", "differs from D_DATAIN_SIZE_0 in direct mode");
  l.pad_left = g.template u<"CDMA.D_ZERO_PADDING.PAD_LEFT">();
  l.pad_right = g.template u<"CDMA.D_ZERO_PADDING.PAD_RIGHT">();
  l.pad_top = g.template u<"CDMA.D_ZERO_PADDING.PAD_TOP">();
  l.pad_bottom = g.template u<"CDMA.D_ZERO_PADDING.PAD_BOTTOM">();
  l.pad_value = static_cast<std::int8_t>(g.template u<"CDMA.D_ZERO_PADDING_VALUE.PAD_VALUE">());

  l.kernels = g.template count<"CDMA.D_WEIGHT_SIZE_1.WEIGHT_KERNEL">();
  l.kernel_bytes = g.template count<"CDMA.D_WEIGHT_SIZE_0.BYTE_PER_KERNEL">();
  l.weight_bytes = g.template bytes<"CDMA.D_WEIGHT_BYTES.WEIGHT_BYTES">();
  l.entries = g.template count<"CDMA.D_ENTRY_PER_SLICE.ENTRIES">();
  l.data_banks = g.template count<"CDMA.D_BANK.DATA_BANK">();
  l.weight_banks = g.template count<"CDMA.D_BANK.WEIGHT_BANK">();
  l.data_reuse = g.template on<"CDMA.D_MISC_CFG.DATA_REUSE">();
  l.weight_reuse = g.template on<"CDMA.D_MISC_CFG.WEIGHT_REUSE">();
  l.keep_data = g.template on<"CDMA.D_MISC_CFG.SKIP_DATA_RLS">();
  l.keep_weights = g.template on<"CDMA.D_MISC_CFG.SKIP_WEIGHT_RLS">();
  check_cbuf<Hw>(l);  // bounds every size before anything is read

  l.source = {.ram = &m.select(g.template on<"CDMA.D_DAIN_RAM_TYPE.DATAIN_RAM_TYPE">(),
                               "CDMA.D_DAIN_RAM_TYPE"),
              .base = g.template address<"CDMA.D_DAIN_ADDR_HIGH_0.DATAIN_ADDR_HIGH_0",
                                         "CDMA.D_DAIN_ADDR_LOW_0.DATAIN_ADDR_LOW_0">(),
              .line_stride = g.template bytes<"CDMA.D_LINE_STRIDE.LINE_STRIDE">(),
              .surface_stride = g.template bytes<"CDMA.D_SURF_STRIDE.SURF_STRIDE">(),
              .unit = Hw::spec.memory_atom,
              .width = l.width,
              .height = l.height,
              .surfaces = ceil_div(l.channels, Hw::spec.memory_atom)};
  if (l.pixel) decode_pixels<Hw>(g, l);
  decode_converter<Hw>(g, l);
  if (!l.data_reuse) {
    l.source.check("CDMA.D_DAIN_ADDR_LOW_0", Hw::spec.memory_atom);
    require(l.pixel || !g.template on<"CDMA.D_DAIN_MAP.LINE_PACKED">() ||
                l.source.line_stride == l.source.line_bytes(),
            "CDMA.D_DAIN_MAP.LINE_PACKED", "packed lines of ", l.source.line_bytes(),
            " bytes need that line stride, not ", l.source.line_stride);
  }
  if (!l.weight_reuse) {
    l.weight_ram = &m.select(g.template on<"CDMA.D_WEIGHT_RAM_TYPE.WEIGHT_RAM_TYPE">(),
                             "CDMA.D_WEIGHT_RAM_TYPE");
    l.weight_address = g.template address<"CDMA.D_WEIGHT_ADDR_HIGH.WEIGHT_ADDR_HIGH",
                                          "CDMA.D_WEIGHT_ADDR_LOW.WEIGHT_ADDR_LOW">();
    require(l.weight_address % Hw::spec.memory_atom == 0 &&
                l.weight_ram->contains(l.weight_address, l.weight_bytes),
            "CDMA.D_WEIGHT_ADDR_LOW",
            "the weights are not aligned to the memory atom or lie beyond the address width");
  }
  return l;
}

}  // namespace nvdlac::sim
