// SPDX-License-Identifier: Apache-2.0
#pragma once
// The records that the public firmware and runtime read from memory, with the names of their
// fields there: dla_interface.h (0.12.3) and emu_interface.h of nvdla/sw.
#include <nvdlac/emit/bytes.hpp>

namespace nvdlac::emit::firmware {

// Bytes of one element of each list.
inline constexpr std::size_t operation_bytes = 116, surface_bytes = 644, lut_bytes = 700;
inline constexpr std::size_t emulator_network_bytes = 256, emulator_operation_bytes = 24,
                             emulator_buffer_bytes = 256, emulator_buffers_bytes = 512;

struct network {
  std::int16_t operation_desc = -1, surface_desc = -1, dependency_graph = -1, lut_data = -1;
  std::int16_t roi_array = -1, surface = -1, stat_list = -1;
  std::array<std::int16_t, 6> op_head{-1, -1, -1, -1, -1, -1};
  std::uint16_t num_rois = 1, num_operations = 0, num_luts = 0, num_addresses = 0;
  std::int16_t input_layer = 0;
  std::uint8_t dynamic_roi = 0;

  static constexpr void fields(auto& r, auto&& io) {
    io(r.operation_desc, r.surface_desc, r.dependency_graph, r.lut_data, r.roi_array, r.surface,
       r.stat_list);
    io.pad(2);
    io(r.op_head, r.num_rois, r.num_operations, r.num_luts, r.num_addresses, r.input_layer,
       r.dynamic_roi);
    io.pad(1);
  }
};
static_assert(byte_size<network>() == 40);

struct consumer {
  std::int16_t index = -1;
  std::uint8_t event = 1;

  static constexpr void fields(auto& r, auto&& io) {
    io(r.index, r.event);
    io.pad(1);
  }
};

struct common {
  std::int16_t index = 0;
  std::int8_t roi_index = 0;
  std::uint8_t op_type = 0, dependency_count = 0;
  std::array<consumer, 6> consumers{};
  consumer fused_parent{};

  static constexpr void fields(auto& r, auto&& io) {
    io(r.index, r.roi_index, r.op_type, r.dependency_count);
    io.pad(3);
    io(r.consumers, r.fused_parent);
  }
};
static_assert(byte_size<common>() == 36);

enum class memory : std::uint16_t { dram = 0, sram = 1, hardware = 2 };

struct cube {
  std::uint16_t type = 0;
  std::int16_t address = -1;  // index into the task's address list
  std::uint32_t offset = 0, size = 0;
  std::uint16_t width = 0, height = 0, channel = 0;
  std::uint32_t line_stride = 0, surf_stride = 0, plane_stride = 0;

  static constexpr void fields(auto& r, auto&& io) {
    io(r.type, r.address, r.offset, r.size, r.width, r.height, r.channel);
    io.pad(2);
    io(r.line_stride, r.surf_stride, r.plane_stride);
  }
};
static_assert(byte_size<cube>() == 32);

struct cvt {
  std::int16_t scale = 0;
  std::uint8_t truncate = 0, enable = 0;
  std::int32_t offset = 0;

  static constexpr void fields(auto& r, auto&& io) { io(r.scale, r.truncate, r.enable, r.offset); }
};
static_assert(byte_size<cvt>() == 8);

struct conv_op {
  std::uint8_t conv_mode = 0, data_reuse = 0, weight_reuse = 0, skip_data_rls = 0,
               skip_weight_rls = 0;
  std::uint16_t entry_per_slice = 0;
  std::uint8_t data_format = 0, pixel_mapping = 0;
  std::uint16_t fetch_grain = 0;
  std::uint8_t batch = 1, weight_format = 0, data_bank = 0, weight_bank = 0;
  std::uint32_t batch_stride = 0;
  std::uint8_t post_extension = 0, pixel_override = 0;
  std::uint16_t release = 0;
  std::uint16_t input_width_csc = 0, input_height_csc = 0, input_channel_csc = 0;
  std::uint16_t kernel_width_csc = 0, kernel_height_csc = 0, kernel_channel_csc = 0;
  std::uint16_t input_width_cmac = 0, input_height_cmac = 0;
  std::uint32_t bytes_per_kernel = 0;
  std::int16_t mean_ry = 0, mean_gu = 0, mean_bv = 0, mean_ax = 0;
  std::uint8_t mean_format = 0, conv_stride_x = 1, conv_stride_y = 1;
  std::uint8_t pad_x_left = 0, pad_x_right = 0, pad_y_top = 0, pad_y_bottom = 0;
  std::uint8_t dilation_x = 1, dilation_y = 1, pra_truncate = 0;
  std::uint8_t in_precision = 0, out_precision = 0;
  std::int16_t pad_val = 0;
  cvt in_cvt{}, out_cvt{};

  static constexpr void fields(auto& r, auto&& io) {
    io(r.conv_mode, r.data_reuse, r.weight_reuse, r.skip_data_rls, r.skip_weight_rls);
    io.pad(1);
    io(r.entry_per_slice, r.data_format, r.pixel_mapping, r.fetch_grain);
    io.pad(8);
    io(r.batch, r.weight_format, r.data_bank, r.weight_bank, r.batch_stride, r.post_extension,
       r.pixel_override, r.release, r.input_width_csc, r.input_height_csc, r.input_channel_csc,
       r.kernel_width_csc, r.kernel_height_csc, r.kernel_channel_csc, r.input_width_cmac,
       r.input_height_cmac, r.bytes_per_kernel, r.mean_ry, r.mean_gu, r.mean_bv, r.mean_ax,
       r.mean_format, r.conv_stride_x, r.conv_stride_y, r.pad_x_left, r.pad_x_right, r.pad_y_top,
       r.pad_y_bottom, r.dilation_x, r.dilation_y);
    io.pad(2);
    io(r.pra_truncate, r.in_precision, r.out_precision, r.pad_val, r.in_cvt, r.out_cvt);
  }
};
static_assert(byte_size<conv_op>() == 92);

struct conv_surface {
  cube weight{}, wmb{}, wgs{}, src{}, dst{};
  std::int64_t offset_u = 0;
  std::uint32_t in_line_uv_stride = 0;

  static constexpr void fields(auto& r, auto&& io) {
    io(r.weight, r.wmb, r.wgs, r.src, r.dst, r.offset_u, r.in_line_uv_stride);
  }
};
static_assert(byte_size<conv_surface>() == 172);

struct sdp_sub_op {
  std::uint8_t enable = 0, alu_type = 0, type = 0, mode = 0, act = 0, shift_value = 0,
               truncate = 0, precision = 0;
  std::int32_t alu_operand = 0, mul_operand = 0;
  cvt alu_cvt{}, mul_cvt{};

  static constexpr void fields(auto& r, auto&& io) {
    io(r.enable, r.alu_type, r.type, r.mode, r.act, r.shift_value, r.truncate, r.precision,
       r.alu_operand, r.mul_operand, r.alu_cvt, r.mul_cvt);
  }
};
static_assert(byte_size<sdp_sub_op>() == 32);

struct sdp_op {
  std::uint8_t src_precision = 0, dst_precision = 0;
  std::int16_t lut_index = -1;
  cvt out_cvt{};
  std::uint8_t conv_mode = 0, batch_num = 1;
  std::uint32_t batch_stride = 0;
  sdp_sub_op x1{}, x2{}, y{};

  static constexpr void fields(auto& r, auto&& io) {
    io(r.src_precision, r.dst_precision, r.lut_index, r.out_cvt, r.conv_mode, r.batch_num);
    io.pad(2);
    io(r.batch_stride, r.x1, r.x2, r.y);
  }
};
static_assert(byte_size<sdp_op>() == 116 && byte_size<sdp_op>() == operation_bytes);

struct sdp_surface {
  cube src{}, x1{}, x2{}, y{}, dst{};

  static constexpr void fields(auto& r, auto&& io) { io(r.src, r.x1, r.x2, r.y, r.dst); }
};
static_assert(byte_size<sdp_surface>() == 160);

// `le_offset` is the exponent's offset of an exponential LE, or the step of a linear one.
struct lut_slope {
  std::int16_t scale = 0;
  std::int8_t shift = 0;

  static constexpr void fields(auto& r, auto&& io) {
    io(r.scale, r.shift);
    io.pad(1);
  }
};

struct lut_param {
  std::array<std::int16_t, 65> le{};
  std::array<std::int16_t, 257> lo{};
  std::int8_t le_offset = 0, lo_offset = 0;
  std::uint64_t le_start = 0, le_end = 0, lo_start = 0, lo_end = 0;
  lut_slope le_underflow{}, le_overflow{}, lo_underflow{}, lo_overflow{};
  std::uint8_t hybrid = 0, underflow = 0, overflow = 0;  // who answers: 0 LE, 1 LO
  std::uint8_t method = 0;                               // of LE: 0 exponential, 1 linear

  static constexpr void fields(auto& r, auto&& io) {
    io(r.le, r.lo, r.le_offset);
    io.pad(1);
    io(r.lo_offset);
    io.pad(1);
    io(r.le_start, r.le_end, r.lo_start, r.lo_end, r.le_underflow, r.le_overflow, r.lo_underflow,
       r.lo_overflow, r.hybrid, r.underflow, r.overflow, r.method);
  }
};
static_assert(byte_size<lut_param>() == lut_bytes);

struct pdp_op {
  std::uint16_t partial_in_width_first = 0, partial_in_width_mid = 0, partial_in_width_last = 0;
  std::uint16_t partial_width_first = 0, partial_width_mid = 0, partial_width_last = 0;
  std::uint8_t split_num = 1, pool_mode = 0, pool_width = 0, pool_height = 0;
  std::uint8_t stride_x = 1, stride_y = 1, pad_left = 0, pad_right = 0, pad_top = 0,
               pad_bottom = 0, precision = 0;
  std::array<std::int32_t, 7> padding_value{};

  static constexpr void fields(auto& r, auto&& io) {
    io(r.partial_in_width_first, r.partial_in_width_mid, r.partial_in_width_last,
       r.partial_width_first, r.partial_width_mid, r.partial_width_last, r.split_num, r.pool_mode,
       r.pool_width, r.pool_height, r.stride_x, r.stride_y, r.pad_left, r.pad_right, r.pad_top,
       r.pad_bottom, r.precision);
    io.pad(1);
    io(r.padding_value);
  }
};
static_assert(byte_size<pdp_op>() == 52);

struct pdp_surface {
  cube src{}, dst{};

  static constexpr void fields(auto& r, auto&& io) { io(r.src, r.dst); }
};
static_assert(byte_size<pdp_surface>() == 64);

struct cdp_op {
  std::uint8_t in_precision = 0, out_precision = 0;
  std::int16_t lut_index = -1;
  cvt in_cvt{}, out_cvt{};
  std::uint8_t local_size = 0, bypass_sqsum = 0, bypass_out_mul = 0;

  static constexpr void fields(auto& r, auto&& io) {
    io(r.in_precision, r.out_precision, r.lut_index, r.in_cvt, r.out_cvt, r.local_size,
       r.bypass_sqsum, r.bypass_out_mul);
    io.pad(1);
  }
};
static_assert(byte_size<cdp_op>() == 24);

struct rubik_op {
  std::uint8_t mode = 0, precision = 0, stride_x = 1, stride_y = 1;

  static constexpr void fields(auto& r, auto&& io) {
    io(r.mode, r.precision, r.stride_x, r.stride_y);
  }
};
static_assert(byte_size<rubik_op>() == 4);

// Tasks of the runtime's own emulator, which computes on the host.
struct emulator_network {
  std::int16_t operation_desc = -1, buffer_desc = -1;
  std::uint16_t num_operations = 0;

  static constexpr void fields(auto& r, auto&& io) {
    io(r.operation_desc, r.buffer_desc, r.num_operations);
  }
};
static_assert(byte_size<emulator_network>() <= emulator_network_bytes);

// `call` is none of the public runtime's, which passes over operations that it does not know: a
// layer that the runtime's user adds, described in the notes of the loadable.
enum class emulator_op : std::uint8_t { power = 0, softmax = 1, call = 255 };
enum class emulator_format : std::uint16_t { int8 = 0, int8_x8 = 1, int16 = 2, fp16 = 3 };

struct emulator_softmax {
  std::uint8_t op_type = 1;
  float input_scale = 1, output_scale = 1;
  std::uint8_t axis = 0;

  static constexpr void fields(auto& r, auto&& io) {
    io(r.op_type);
    io.pad(3);
    io(r.input_scale, r.output_scale, r.axis);
  }
};
static_assert(byte_size<emulator_softmax>() <= emulator_operation_bytes);

struct emulator_call {
  std::uint8_t op_type = 255;
  float input_scale = 1, output_scale = 1;  // of the first input; all of them are in the notes
  std::uint32_t call = 0;                   // in the notes
  std::uint32_t inputs = 1;                 // buffers; the output's stands behind them

  static constexpr void fields(auto& r, auto&& io) {
    io(r.op_type);
    io.pad(3);
    io(r.input_scale, r.output_scale, r.call, r.inputs);
  }
};
static_assert(byte_size<emulator_call>() <= emulator_operation_bytes);

// The public runtime's record ends with the strides. The upper halves stand in the room behind it:
// cubes of its own operations have none, those of a `call` may have more than 65535 elements in a
// dimension, such as all pixels as one list.
struct emulator_buffer {
  std::int16_t address = -1;
  std::uint32_t offset = 0, size = 0;
  std::uint16_t format = 0, width = 0, height = 0, channel = 0;
  std::uint32_t line_stride = 0, surf_stride = 0;
  std::uint16_t upper_width = 0, upper_height = 0, upper_channel = 0;

  static constexpr void fields(auto& r, auto&& io) {
    io(r.address, r.offset, r.size, r.format, r.width, r.height, r.channel, r.line_stride,
       r.surf_stride, r.upper_width, r.upper_height, r.upper_channel);
  }
};
static_assert(byte_size<emulator_buffer>() == 32);

}  // namespace nvdlac::emit::firmware
