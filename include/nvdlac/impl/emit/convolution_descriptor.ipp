// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>

#include <nvdlac/arithmetic/winograd.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/emit/convolution_descriptor.hpp>
#include <nvdlac/emit/descriptor.hpp>
#include <nvdlac/emit/firmware.hpp>
#include <nvdlac/layer/convolution.hpp>
#include <nvdlac/layer/surface.hpp>

namespace nvdlac::emit {

namespace detail {

NVDLAC_IMPL void check(const descriptor_of<layer::convolution>& d) {
  const auto& op = d.op;
  const auto& src = d.surface.src;
  expect(op.conv_mode <= 1, "conv.conv_mode", op.conv_mode, "is 0, or 1 of Winograd");
  expect(op.weight_format <= 1, "conv.weight_format", op.weight_format, "is 0, or 1: compressed");
  expect(op.batch >= 1, "conv.batch", op.batch, "there is at least one picture");
  expect(op.post_extension <= 2, "conv.post_extension", op.post_extension, "is at most 2");
  expect(op.pra_truncate <= (op.conv_mode == 1 ? arithmetic::most_input_truncate : 0),
         "conv.pra_truncate", op.pra_truncate, "must be 0, in Winograd's mode at most 2");
  expect(op.pixel_mapping == 0, "conv.pixel_mapping", op.pixel_mapping, "must be pitch linear");
  expect(op.out_cvt.scale == 1, "conv.out_cvt.scale", op.out_cvt.scale, "must be 1");
  expect(op.out_cvt.offset == 0, "conv.out_cvt.offset", op.out_cvt.offset, "must be 0");
  expect(d.surface.offset_u == 0, "conv.offset_u", d.surface.offset_u,
         "planar pictures are not supported");
  const auto format = static_cast<layer::pixel_format>(op.data_format);
  expect(format == layer::pixel_format::feature || layer::layout_of(format).has_value(),
         "conv.data_format", op.data_format,
         "only features, R8, R16_I, R16_F, A16B16G16R16, A16B16G16R16_F, A8B8G8R8 and X8B8G8R8 are "
         "supported");
  const bool padded = op.conv_mode == 1;
  expect(op.input_width_csc ==
             src.width + (padded ? op.pad_x_left + op.pad_x_right : 0),
         "conv.input_width_csc", op.input_width_csc, "is not the input's width");
  expect(op.input_height_csc ==
             src.height + (padded ? op.pad_y_top + op.pad_y_bottom : 0),
         "conv.input_height_csc", op.input_height_csc, "is not the input's height");
  expect(op.input_channel_csc == src.channel, "conv.input_channel_csc", op.input_channel_csc,
         "is not the input's number of channels");
  expect(op.kernel_width_csc > 0 && op.kernel_height_csc > 0, "conv.kernel_width_csc",
         op.kernel_width_csc, "the kernel is empty");
  for (const auto value : {op.conv_stride_x, op.conv_stride_y, op.dilation_x, op.dilation_y,
                           op.data_bank, op.weight_bank})
    expect(value > 0, "conv", value, "strides, dilations and banks are at least 1");
  for (const auto value : {op.entry_per_slice, op.fetch_grain, op.release})
    expect(value > 0, "conv", value, "entries, grains and slices are at least 1");
  expect(d.surface.dst.type == static_cast<std::uint16_t>(firmware::memory::hardware),
         "conv.dst_data.type", d.surface.dst.type, "the result must go to SDP");
}

NVDLAC_IMPL layer::surface decode_bytes(const firmware::cube& c, std::string_view field) {
  layer::surface s{decode_location(c, field), {}, 0, 0, c.size};
  expect(!s.at.on_the_fly(), field, c.type, "weights must be in memory");
  return s;
}

}  // namespace detail

NVDLAC_IMPL layer::convolution decode(const descriptor_of<layer::convolution>& d) {
  detail::check(d);
  const auto& op = d.op;
  layer::convolution l;
  l.precision = decode_precision(op.out_precision, "conv.out_precision");
  l.format = static_cast<layer::pixel_format>(op.data_format);
  expect(op.in_precision == encode(l.input_precision()), "conv.in_precision", op.in_precision,
         "must be that of the arithmetic, or of the pixels");
  l.input = decode(d.surface.src, "conv.src_data", l.input_precision());
  expect(!l.input.at.on_the_fly(), "conv.src_data.type", 2, "the input must be in memory");
  l.input.pictures = op.batch;
  if (op.batch > 1) l.input.picture_stride = op.batch_stride;
  l.weights = detail::decode_bytes(d.surface.weight, "conv.weight_data");
  if (op.weight_format == 1) {
    l.mask = detail::decode_bytes(d.surface.wmb, "conv.wmb_data");
    l.group_sizes = detail::decode_bytes(d.surface.wgs, "conv.wgs_data");
    expect(l.is_compressed(), "conv.wmb_data.size", 0, "compressed weights need their mask");
    expect(l.weights.size > 0, "conv.weight_data.size", 0, "there are no weights");
    expect(l.group_sizes.size > 0, "conv.wgs_data.size", 0,
           "compressed weights need the sizes of their groups");
  }
  l.output = decode(d.surface.dst, "conv.dst_data").shape;
  l.window.kernel_h = op.kernel_height_csc;
  l.window.kernel_w = l.is_pixel() ? op.kernel_channel_csc / l.input.shape.c : op.kernel_width_csc;
  expect(l.window.kernel_w > 0 && op.kernel_channel_csc == l.kernel_channels_csc() &&
             op.kernel_width_csc == l.kernel_width_csc(),
         "conv.kernel_channel_csc", op.kernel_channel_csc, "does not fit the input's channels");
  l.window.stride_w = op.conv_stride_x;
  l.window.stride_h = op.conv_stride_y;
  l.window.pad_left = op.pad_x_left;
  l.window.pad_right = op.pad_x_right;
  l.window.pad_top = op.pad_y_top;
  l.window.pad_bottom = op.pad_y_bottom;
  l.window.dilation_w = op.dilation_x;
  l.window.dilation_h = op.dilation_y;
  l.pad_value = op.pad_val;
  l.mean = {op.mean_ry, op.mean_gu, op.mean_bv, op.mean_ax};
  l.use_mean = op.mean_format != 0;
  l.pixels_signed = op.pixel_override != 0;
  l.kernel_lines = static_cast<std::uint8_t>(1U << op.post_extension);
  l.convert = op.in_cvt.enable != 0;
  l.cvt = decode(op.in_cvt);
  l.entries_per_slice = op.entry_per_slice;
  l.data_banks = op.data_bank;
  l.weight_banks = op.weight_bank;
  l.fetch_grain = op.fetch_grain;
  l.release = op.release;
  l.data_reuse = op.data_reuse != 0;
  l.weight_reuse = op.weight_reuse != 0;
  l.skip_data_release = op.skip_data_rls != 0;
  l.skip_weight_release = op.skip_weight_rls != 0;
  l.truncate = op.out_cvt.truncate;
  l.winograd = op.conv_mode == 1;
  l.input_truncate = op.pra_truncate;
  expect(op.bytes_per_kernel == l.bytes_per_kernel(), "conv.bytes_per_kernel", op.bytes_per_kernel,
         "is not the size of a kernel");
  expect(op.input_width_cmac == l.output.w && op.input_height_cmac == l.output.h,
         "conv.input_width_cmac", op.input_width_cmac, "is not the output's width");
  return l;
}

}  // namespace nvdlac::emit
