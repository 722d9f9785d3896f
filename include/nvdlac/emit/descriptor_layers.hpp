// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include <nvdlac/arithmetic/winograd.hpp>
#include <nvdlac/base/fixed.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/emit/convolution.hpp>
#include <nvdlac/emit/firmware.hpp>
#include <nvdlac/layer/convolution.hpp>
#include <nvdlac/layer/surface.hpp>

namespace nvdlac::emit {

// Between surfaces and the firmware's data cubes. In descriptors a location's buffer is an index
// into the task's address list.

// What a loadable keeps of a layer: specialised for each kind, with `encode(layer, atom)` and
// `decode(descriptor)`. A hardware layer's is an element `op` of the operation list and an element
// `surface` of the surface list; one of the host has an `op` and buffers.
template <class Layer>
struct descriptor_of;

// Names what cannot be expressed: "sdp.x1_op.mode is 7, of which ..."
[[noreturn]] inline void not_supported(std::string_view field, long long value,
                                       std::string_view what) {
  throw error(text("the descriptor field ", field, " is ", value, ": ", what));
}

// The value in the descriptor's type; one that does not fit is an `error` that names the field.
template <std::integral To, std::integral From>
constexpr To narrow(From value, std::string_view field) {
  if (!std::in_range<To>(value))
    throw error(problem{.reason = text("a loadable holds no more than ",
                                       +std::numeric_limits<To>::max(), " in the field ", field,
                                       " of the public firmware, and this is ", value),
                        .remedy = "a smaller network, or a part of it: --from, --to"});
  return static_cast<To>(value);
}

constexpr void expect(bool holds, std::string_view field, long long value, std::string_view what) {
  if (!holds) not_supported(field, value, what);
}

constexpr firmware::cube encode(const layer::surface& s, std::string_view field) {
  firmware::cube c;
  const bool flying = s.at.on_the_fly();
  c.type = static_cast<std::uint16_t>(flying        ? firmware::memory::hardware
                                      : s.at.cvsram ? firmware::memory::sram
                                                    : firmware::memory::dram);
  if (!flying) {
    c.address = narrow<std::int16_t>(s.at.buffer, field);
    c.offset = narrow<std::uint32_t>(s.at.offset, field);
  }
  c.size = narrow<std::uint32_t>(s.size, field);
  c.width = narrow<std::uint16_t>(s.shape.w, field);
  c.height = narrow<std::uint16_t>(s.shape.h, field);
  c.channel = narrow<std::uint16_t>(s.shape.c, field);
  c.line_stride = s.line_stride;
  c.surf_stride = s.surface_stride;
  return c;
}

inline layer::location decode_location(const firmware::cube& c, std::string_view field) {
  if (c.type == static_cast<std::uint16_t>(firmware::memory::hardware)) return {};
  const bool in_sram = c.type == static_cast<std::uint16_t>(firmware::memory::sram);
  expect(in_sram || c.type == static_cast<std::uint16_t>(firmware::memory::dram), field, c.type,
         "memory types are 0 (DRAM), 1 (SRAM) and 2 (hardware)");
  expect(c.address >= 0, field, c.address, "a cube in memory needs an address");
  return {c.address, c.offset, in_sram};
}

// The firmware's codes are those of the registers.
constexpr std::uint8_t encode(hw::precision p) { return static_cast<std::uint8_t>(p); }
inline hw::precision decode_precision(std::uint8_t code, std::string_view field) {
  expect(code <= encode(hw::precision::fp16), field, code, "no such precision");
  return static_cast<hw::precision>(code);
}

// Cubes of data are never empty.
inline layer::surface decode(const firmware::cube& c, std::string_view field,
                             hw::precision p = hw::precision::int8) {
  const auto at = decode_location(c, field);
  expect(c.width > 0 && c.height > 0 && c.channel > 0, field, 0, "the cube is empty");
  expect(c.plane_stride == 0, field, c.plane_stride, "plane strides are for planes of Rubik only");
  return {at, {c.channel, c.height, c.width}, c.line_stride, c.surf_stride, c.size, p};
}

constexpr firmware::cvt encode(const converter& c, bool enable) {
  return {c.scale, c.shift, enable, c.offset};
}
inline converter decode(const firmware::cvt& c) { return {c.offset, c.scale, c.truncate}; }

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
  op.data_reuse = l.data_reuse, op.weight_reuse = l.weight_reuse;
  op.skip_data_rls = l.skip_data_release, op.skip_weight_rls = l.skip_weight_release;
  op.entry_per_slice = l.entries_per_slice;
  op.data_format = static_cast<std::uint8_t>(l.format);
  op.fetch_grain = l.fetch_grain;
  op.data_bank = l.data_banks, op.weight_bank = l.weight_banks;
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
  op.mean_ry = l.mean[0], op.mean_gu = l.mean[1];
  op.mean_bv = l.mean[2], op.mean_ax = l.mean[3];
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

inline void check(const descriptor_of<layer::convolution>& d) {
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
  expect(format == layer::pixel_format::feature || format == layer::pixel_format::r8 ||
             format == layer::pixel_format::a8b8g8r8 || format == layer::pixel_format::x8b8g8r8,
         "conv.data_format", op.data_format,
         "only features, R8, A8B8G8R8 and X8B8G8R8 are supported");
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

// What CDMA reads byte by byte.
inline layer::surface decode_bytes(const firmware::cube& c, std::string_view field) {
  layer::surface s{decode_location(c, field), {}, 0, 0, c.size};
  expect(!s.at.on_the_fly(), field, c.type, "weights must be in memory");
  return s;
}

}  // namespace detail

// What `layer::convolution` cannot express is an `error` that names the field.
inline layer::convolution decode(const descriptor_of<layer::convolution>& d) {
  detail::check(d);
  const auto& op = d.op;
  layer::convolution l;
  l.precision = decode_precision(op.out_precision, "conv.out_precision");
  l.format = static_cast<layer::pixel_format>(op.data_format);
  expect(op.in_precision == encode(l.input_precision()), "conv.in_precision", op.in_precision,
         "must be that of the arithmetic, or int8 of pixels");
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
  l.window.stride_w = op.conv_stride_x, l.window.stride_h = op.conv_stride_y;
  l.window.pad_left = op.pad_x_left;
  l.window.pad_right = op.pad_x_right;
  l.window.pad_top = op.pad_y_top;
  l.window.pad_bottom = op.pad_y_bottom;
  l.window.dilation_w = op.dilation_x, l.window.dilation_h = op.dilation_y;
  l.pad_value = op.pad_val;
  l.mean = {op.mean_ry, op.mean_gu, op.mean_bv, op.mean_ax};
  l.use_mean = op.mean_format != 0;
  l.pixels_signed = op.pixel_override != 0;
  l.kernel_lines = static_cast<std::uint8_t>(1U << op.post_extension);
  l.convert = op.in_cvt.enable != 0;
  l.cvt = decode(op.in_cvt);
  l.entries_per_slice = op.entry_per_slice;
  l.data_banks = op.data_bank, l.weight_banks = op.weight_bank;
  l.fetch_grain = op.fetch_grain, l.release = op.release;
  l.data_reuse = op.data_reuse != 0, l.weight_reuse = op.weight_reuse != 0;
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

template <>
struct descriptor_of<layer::sdp> {
  firmware::sdp_op op{};
  firmware::sdp_surface surface{};
};

namespace detail {

// The firmware's codes of what comes behind a unit's adder and multiplier.
inline constexpr std::uint8_t act_none = 0, act_relu = 1, act_lut = 2, act_prelu = 3;

constexpr firmware::sdp_sub_op encode_unit(const layer::sdp_unit& u, hw::precision p) {
  if (!u.enabled()) return {};
  firmware::sdp_sub_op s;
  s.enable = 1;
  s.alu_type = static_cast<std::uint8_t>(u.algorithm);
  s.type = static_cast<std::uint8_t>((u.alu ? 2 : 0) | (u.mul ? 1 : 0));
  // The firmware turns the read DMA on for any other mode, even when nothing is read.
  s.mode = u.alu || u.mul ? static_cast<std::uint8_t>(u.mode) : std::uint8_t{0};
  if (u.prelu && u.relu) throw error("an SDP unit is either PReLU or ReLU");
  s.act = u.prelu ? act_prelu : u.relu ? act_relu : act_none;
  s.shift_value = u.alu_shift;
  s.truncate = u.mul_shift;
  const bool real = p == hw::precision::fp16;
  s.precision = emit::encode(u.operand_bytes == 1 ? hw::precision::int8
                             : real               ? hw::precision::fp16
                                                  : hw::precision::int16);
  s.alu_operand = u.alu_operand;
  s.mul_operand = u.mul_operand;
  return s;
}

constexpr firmware::cube encode_operands(const layer::sdp_unit& u, const layer::surface& cube,
                                         bytes atom, std::string_view field) {
  if (!u.reads_memory()) return {};
  auto s = u.operands;
  if (u.mode == layer::sdp_mode::per_kernel) {
    s.shape = {cube.shape.c, 1, 1};
    s.line_stride = s.surface_stride = operand_unit(u, atom, cube.precision);
  }
  return encode(s, field);
}

inline layer::sdp_unit decode_unit(const firmware::sdp_sub_op& s, const firmware::cube& operands,
                                   hw::precision p, const std::string& field) {
  layer::sdp_unit u;
  if (s.enable == 0) return u;
  expect(s.type <= 3, field + ".type", s.type, "no such operation");
  expect(s.alu_type <= 2, field + ".alu_type", s.alu_type, "only max, min and sum are supported");
  expect(s.act == act_none || s.act == act_relu || s.act == act_prelu, field + ".act", s.act,
         "only ReLU and PReLU are supported");
  expect(s.mode <= 2, field + ".mode", s.mode, "no such mode");
  expect(s.precision <= 1 || (s.precision == 2 && p == hw::precision::fp16),
         field + ".precision", s.precision, "only int8 and int16 are supported, in fp16 fp16");
  u.alu = (s.type & 2) != 0;
  u.mul = (s.type & 1) != 0;
  u.relu = s.act == act_relu;
  u.prelu = s.act == act_prelu;
  expect(u.enabled(), field + ".enable", s.enable, "the unit has nothing to do");
  u.algorithm = static_cast<layer::sdp_alu>(s.alu_type);
  u.mode = static_cast<layer::sdp_mode>(s.mode);
  u.alu_shift = s.shift_value;
  u.mul_shift = s.truncate;
  u.operand_bytes = s.precision == 0 ? 1 : 2;
  expect(std::in_range<std::int16_t>(s.alu_operand), field + ".alu_operand", s.alu_operand,
         "has more than 16 bits");
  expect(std::in_range<std::int16_t>(s.mul_operand), field + ".mul_operand", s.mul_operand,
         "has more than 16 bits");
  u.alu_operand = static_cast<std::int16_t>(s.alu_operand);
  u.mul_operand = static_cast<std::int16_t>(s.mul_operand);
  if (!u.reads_memory()) return u;
  if (u.mode == layer::sdp_mode::per_point)
    u.operands = decode(operands, field, p);
  else
    u.operands = {decode_location(operands, field), {}, 0, 0, operands.size};
  expect(!u.operands.at.on_the_fly(), field, 2, "operands must be in memory");
  return u;
}

}  // namespace detail

// Values that do not fit are an `error` that names the field.
constexpr descriptor_of<layer::sdp> encode(const layer::sdp& l, bytes atom) {
  descriptor_of<layer::sdp> d;
  d.op.src_precision = encode(l.input.precision);
  d.op.dst_precision = encode(l.output.precision);
  d.op.out_cvt = encode(l.out, true);
  d.op.x1 = detail::encode_unit(l.x1, l.input.precision);
  d.op.x2 = detail::encode_unit(l.x2, l.input.precision);
  d.op.lut_index = l.lut;
  d.op.conv_mode = l.winograd;
  d.op.batch_num = narrow<std::uint8_t>(l.output.pictures, "sdp.batch_num");
  d.op.batch_stride = l.output.picture_stride;
  if (l.lut >= 0) {
    d.op.y.enable = 1;
    d.op.y.act = detail::act_lut;
    d.op.y.precision = encode(l.input.precision);
  }
  d.surface.src = encode(l.input, "sdp.src_data");
  d.surface.x1 = detail::encode_operands(l.x1, l.input, atom, "sdp.x1_data");
  d.surface.x2 = detail::encode_operands(l.x2, l.input, atom, "sdp.x2_data");
  d.surface.dst = encode(l.output, "sdp.dst_data");
  return d;
}

// What `layer::sdp` cannot express is an `error` that names the field.
inline layer::sdp decode(const descriptor_of<layer::sdp>& d) {
  const auto& op = d.op;
  const auto p = decode_precision(op.src_precision, "sdp.src_precision");
  const auto out = decode_precision(op.dst_precision, "sdp.dst_precision");
  expect(out != hw::precision::int8 || p != hw::precision::fp16, "sdp.dst_precision",
         op.dst_precision, "fp16 is not brought to int8");
  expect(op.lut_index >= -1, "sdp.lut_index", op.lut_index, "no such lookup table");
  expect(op.conv_mode <= 1, "sdp.conv_mode", op.conv_mode, "is 0, or 1 of Winograd");
  if (op.y.enable != 0) {
    expect(op.y.type == 0, "sdp.y_op.type", op.y.type,
           "Y's adder and multiplier are not supported");
    expect(op.y.act == detail::act_lut, "sdp.y_op.act", op.y.act, "Y only looks up");
  }
  expect((op.y.enable != 0) == (op.lut_index >= 0), "sdp.lut_index", op.lut_index,
         op.y.enable != 0 ? "Y has no lookup table" : "the lookup table is of no use without Y");
  layer::sdp l;
  l.input = decode(d.surface.src, "sdp.src_data", p);
  l.x1 = detail::decode_unit(op.x1, d.surface.x1, p, "sdp.x1_op");
  l.x2 = detail::decode_unit(op.x2, d.surface.x2, p, "sdp.x2_op");
  l.lut = op.lut_index;
  l.winograd = op.conv_mode == 1;
  l.out = decode(op.out_cvt);
  l.output = decode(d.surface.dst, "sdp.dst_data", out);
  l.input.pictures = l.output.pictures = std::max<std::int32_t>(op.batch_num, 1);
  if (op.batch_num > 1) l.output.picture_stride = op.batch_stride;
  return l;
}

}  // namespace nvdlac::emit
