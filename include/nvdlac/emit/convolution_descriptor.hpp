// SPDX-License-Identifier: Apache-2.0
#pragma once
// The firmware's descriptor of a convolution.
#include <bit>
#include <cstdint>
#include <string_view>

#include <nvdlac/base/units.hpp>
#include <nvdlac/emit/convolution.hpp>
#include <nvdlac/emit/descriptor.hpp>
#include <nvdlac/emit/firmware.hpp>
#include <nvdlac/layer/convolution.hpp>
#include <nvdlac/layer/surface.hpp>

namespace nvdlac::emit {

template <>
struct descriptor_of<layer::convolution> {
  firmware::conv_op op{};
  firmware::conv_surface surface{};
};

// Values that do not fit are an `error` that names the field.
constexpr descriptor_of<layer::convolution> encode(const layer::convolution& l, bytes atom) {
  descriptor_of<layer::convolution> d;
  auto& op = d.op;
  const auto& w = l.window;
  const net::shape in = l.input_csc();
  op.conv_mode = l.winograd;
  op.pra_truncate = l.input_truncate;
  op.data_reuse = l.data_reuse;
  op.weight_reuse = l.weight_reuse;
  op.skip_data_rls = l.skip_data_release;
  op.skip_weight_rls = l.skip_weight_release;
  op.entry_per_slice = l.entries_per_slice;
  op.data_format = static_cast<std::uint8_t>(l.format);
  op.fetch_grain = l.fetch_grain;
  op.data_bank = l.data_banks;
  op.weight_bank = l.weight_banks;
  op.batch = narrow<std::uint8_t>(l.input.pictures, "conv.batch");
  op.batch_stride = l.input.picture_stride;
  op.post_extension = static_cast<std::uint8_t>(std::bit_width(l.kernel_lines) - 1);
  op.pixel_override = l.pixels_signed;
  op.release = l.release;
  op.input_width_csc = narrow<std::uint16_t>(in.w, "conv.input_width_csc");
  op.input_height_csc = narrow<std::uint16_t>(in.h, "conv.input_height_csc");
  op.input_channel_csc = narrow<std::uint16_t>(in.c, "conv.input_channel_csc");
  op.kernel_width_csc = narrow<std::uint16_t>(l.kernel_width_csc(), "conv.kernel_width_csc");
  op.kernel_height_csc = narrow<std::uint16_t>(w.kernel_h, "conv.kernel_height_csc");
  // Pixels: a line of a kernel is one row of channels.
  op.kernel_channel_csc = narrow<std::uint16_t>(l.kernel_channels_csc(), "conv.kernel_channel_csc");
  op.input_width_cmac = narrow<std::uint16_t>(l.output.w, "conv.input_width_cmac");
  op.input_height_cmac = narrow<std::uint16_t>(l.output.h, "conv.input_height_cmac");
  op.bytes_per_kernel = narrow<std::uint32_t>(l.bytes_per_kernel(), "conv.bytes_per_kernel");
  op.mean_ry = l.mean[0];
  op.mean_gu = l.mean[1];
  op.mean_bv = l.mean[2];
  op.mean_ax = l.mean[3];
  op.mean_format = l.use_mean;
  op.conv_stride_x = narrow<std::uint8_t>(w.stride_w, "conv.conv_stride_x");
  op.conv_stride_y = narrow<std::uint8_t>(w.stride_h, "conv.conv_stride_y");
  op.pad_x_left = narrow<std::uint8_t>(w.pad_left, "conv.pad_x_left");
  op.pad_x_right = narrow<std::uint8_t>(w.pad_right, "conv.pad_x_right");
  op.pad_y_top = narrow<std::uint8_t>(w.pad_top, "conv.pad_y_top");
  op.pad_y_bottom = narrow<std::uint8_t>(w.pad_bottom, "conv.pad_y_bottom");
  op.dilation_x = narrow<std::uint8_t>(w.dilation_w, "conv.dilation_x");
  op.dilation_y = narrow<std::uint8_t>(w.dilation_h, "conv.dilation_y");
  op.in_precision = encode(l.input_precision());
  op.out_precision = encode(l.precision);
  op.pad_val = l.pad_value;
  op.in_cvt = encode(l.cvt, l.convert);
  op.out_cvt = {1, l.truncate, 1, 0};

  auto weights = l.weights;
  weights.shape = {l.input.shape.c, w.kernel_h, w.kernel_w};  // not read by the firmware
  d.surface.weight = encode(weights, "conv.weight_data");
  op.weight_format = l.is_compressed();
  if (l.is_compressed()) {
    d.surface.wmb = encode(l.mask, "conv.wmb_data");
    d.surface.wgs = encode(l.group_sizes, "conv.wgs_data");
  }
  d.surface.src = encode(l.input, "conv.src_data");
  // The result goes to SDP; CACC wants the strides of the packed cube all the same.
  d.surface.dst = encode(cube_of_cacc(l, atom), "conv.dst_data");
  return d;
}

namespace detail {

void check(const descriptor_of<layer::convolution>& d);

// A cube that CDMA reads byte by byte.
layer::surface decode_bytes(const firmware::cube& c, std::string_view field);

}  // namespace detail

// Decodes a layer; a value that `layer::convolution` cannot express is an `error` that names
// the field.
layer::convolution decode(const descriptor_of<layer::convolution>& d);

}  // namespace nvdlac::emit

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/emit/convolution_descriptor.ipp>
#endif
