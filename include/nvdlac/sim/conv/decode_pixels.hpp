// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/sim/conv/cdma.hpp>
#include <nvdlac/sim/register_file.hpp>

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

}  // namespace nvdlac::sim
