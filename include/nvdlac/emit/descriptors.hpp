// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/emit/descriptor_layers.hpp>
#include <nvdlac/emit/firmware.hpp>
#include <nvdlac/layer/convolution.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::emit {

template <>
struct descriptor_of<layer::host_softmax> {
  firmware::emulator_softmax op{};
  firmware::emulator_buffer src{}, dst{};

  constexpr void each_buffer(auto visit) const {
    visit(src);
    visit(dst);
  }
};

namespace detail {

// Whether only nvdlac reads a buffer, so that it may have dimensions of more than 16 bits.
enum class reader_of_buffer : std::uint8_t { public_runtime, nvdlac };

// The runtime knows int8 cubes of 8 and of 32 channels beside each other. Softmax reads its
// channels one behind the other, and calls know the configuration: others do not need a format.
constexpr firmware::emulator_buffer encode_buffer(layer::surface s, bytes atom,
                                               std::string_view field,
                                               reader_of_buffer by) {
  constexpr std::int32_t half = 0xffff;
  firmware::emulator_buffer b;
  const auto lower = [&](std::int32_t& n) {
    const auto upper = by == reader_of_buffer::nvdlac ? n >> 16 : 0;
    if (by == reader_of_buffer::nvdlac) n &= half;
    return static_cast<std::uint16_t>(upper);
  };
  b.upper_width = lower(s.shape.w);
  b.upper_height = lower(s.shape.h);
  b.upper_channel = lower(s.shape.c);
  const auto c = emit::encode(s, field);
  const auto format = s.precision == hw::precision::fp16    ? firmware::emulator_format::fp16
                      : s.precision == hw::precision::int16 ? firmware::emulator_format::int16
                      : atom.n == 8                         ? firmware::emulator_format::int8_x8
                                                            : firmware::emulator_format::int8;
  b.address = c.address;
  b.offset = c.offset;
  b.size = c.size;
  b.format = static_cast<std::uint16_t>(format);
  b.width = c.width;
  b.height = c.height;
  b.channel = c.channel;
  b.line_stride = c.line_stride;
  b.surf_stride = c.surf_stride;
  return b;
}

inline layer::surface decode_buffer(const firmware::emulator_buffer& b, std::string_view field,
                                    reader_of_buffer by) {
  const auto format = static_cast<firmware::emulator_format>(b.format);
  const auto precision = format == firmware::emulator_format::fp16    ? hw::precision::fp16
                         : format == firmware::emulator_format::int16 ? hw::precision::int16
                                                                      : hw::precision::int8;
  expect(precision != hw::precision::int8 || format == firmware::emulator_format::int8 ||
             format == firmware::emulator_format::int8_x8,
         field, b.format, "only int8, int16 and fp16 are supported");
  const auto whole = [&](std::uint16_t upper, std::uint16_t lower) {
    const auto n = by == reader_of_buffer::nvdlac ? std::uint32_t{upper} << 16 | lower : lower;
    expect(n > 0, field, 0, "the cube is empty");
    return narrow<std::int32_t>(n, field);
  };
  expect(b.address >= 0, field, b.address, "a cube in memory needs an address");
  const net::shape shape{whole(b.upper_channel, b.channel), whole(b.upper_height, b.height),
                         whole(b.upper_width, b.width)};
  return {{b.address, b.offset}, shape, b.line_stride, b.surf_stride, b.size, precision};
}

}  // namespace detail

constexpr descriptor_of<layer::host_softmax> encode(const layer::host_softmax& l, bytes atom) {
  expect(l.input.precision != hw::precision::int16, "softmax.src_data", encode(l.input.precision),
         "the host's softmax takes int8 and fp16");
  descriptor_of<layer::host_softmax> d;
  d.op.op_type = static_cast<std::uint8_t>(firmware::emulator_op::softmax);
  d.op.input_scale = l.input_scale;
  d.op.output_scale = l.output_scale;
  d.op.axis = 1;
  using enum detail::reader_of_buffer;
  d.src = detail::encode_buffer(l.input, atom, "softmax.src_data", public_runtime);
  d.dst = detail::encode_buffer(l.output, atom, "softmax.dst_data", public_runtime);
  return d;
}

inline layer::host_softmax decode(const descriptor_of<layer::host_softmax>& d) {
  expect(d.op.op_type == static_cast<std::uint8_t>(firmware::emulator_op::softmax),
         "emulator.op_type", d.op.op_type, "only softmax is supported");
  layer::host_softmax l;
  using enum detail::reader_of_buffer;
  l.input = detail::decode_buffer(d.src, "softmax.src_data", public_runtime);
  expect(l.input.precision != hw::precision::int16, "softmax.src_data", d.src.format,
         "the host's softmax takes int8 and fp16");
  l.output = detail::decode_buffer(d.dst, "softmax.dst_data", public_runtime);
  expect(l.input.precision == l.output.precision, "softmax.dst_data", d.dst.format,
         "the output's format is not the input's");
  expect(l.input.shape == l.output.shape, "softmax.dst_data", d.dst.channel,
         "the output's shape is not the input's");
  l.input_scale = d.op.input_scale;
  l.output_scale = d.op.output_scale;
  return l;
}

// The scales and what is computed are in the notes.
template <>
struct descriptor_of<layer::host_call> {
  firmware::emulator_call op{};
  std::vector<firmware::emulator_buffer> inputs{};
  firmware::emulator_buffer output{};

  constexpr void each_buffer(auto visit) const {
    for (const auto& in : inputs) visit(in);
    visit(output);
  }
};

constexpr descriptor_of<layer::host_call> encode(const layer::host_call& l, bytes atom) {
  descriptor_of<layer::host_call> d;
  d.op.input_scale = static_cast<float>(l.input_scales[0]);
  d.op.output_scale = static_cast<float>(l.output_scale);
  d.op.call = static_cast<std::uint32_t>(l.call);
  d.op.inputs = l.input_count;
  using enum detail::reader_of_buffer;
  for (const auto& s : l.inputs())
    d.inputs.push_back(detail::encode_buffer(s, atom, "call.input", nvdlac));
  d.output = detail::encode_buffer(l.output, atom, "call.output", nvdlac);
  return d;
}

inline layer::host_call decode(const descriptor_of<layer::host_call>& d) {
  layer::host_call l;
  using enum detail::reader_of_buffer;
  l.call = narrow<std::int16_t>(d.op.call, "call.call");
  l.input_count = static_cast<std::uint8_t>(d.inputs.size());
  for (std::size_t i = 0; i < d.inputs.size(); ++i)
    l.input_list[i] = detail::decode_buffer(d.inputs[i], "call.input", nvdlac);
  l.output = detail::decode_buffer(d.output, "call.output", nvdlac);
  return l;
}

template <>
struct descriptor_of<layer::cdp> {
  firmware::cdp_op op{};
  firmware::pdp_surface surface{};  // CDP's is the same
};

constexpr descriptor_of<layer::cdp> encode(const layer::cdp& l, bytes) {
  descriptor_of<layer::cdp> d;
  auto& op = d.op;
  op.in_precision = encode(l.input.precision);
  op.out_precision = encode(l.output.precision);
  op.lut_index = l.lut;
  op.in_cvt = encode(l.in, true);
  op.out_cvt = encode(l.out, true);
  op.local_size = narrow<std::uint8_t>(l.local_size, "cdp.local_size");
  d.surface.src = encode(l.input, "cdp.src_data");
  d.surface.dst = encode(l.output, "cdp.dst_data");
  return d;
}

// What `layer::cdp` cannot express, and what the firmware refuses, is an `error`. The firmware
// always programs both converters.
inline layer::cdp decode(const descriptor_of<layer::cdp>& d) {
  const auto& op = d.op;
  const auto p = decode_precision(op.in_precision, "cdp.in_precision");
  expect(op.out_precision == op.in_precision, "cdp.out_precision", op.out_precision,
         "CDP does not change the precision");
  expect(op.lut_index >= 0, "cdp.lut_index", op.lut_index, "CDP needs a lookup table");
  expect(op.local_size >= 3 && op.local_size <= 9 && op.local_size % 2 == 1, "cdp.local_size",
         op.local_size, "must be 3, 5, 7 or 9");
  expect(op.bypass_sqsum == 0, "cdp.bypass_sqsum", op.bypass_sqsum,
         "only sums of squares are supported");
  expect(op.bypass_out_mul == 0, "cdp.bypass_out_mul", op.bypass_out_mul,
         "only products are supported");
  layer::cdp l;
  l.input = decode(d.surface.src, "cdp.src_data", p);
  l.output = decode(d.surface.dst, "cdp.dst_data", p);
  expect(!l.input.at.on_the_fly(), "cdp.src_data.type", 2, "the input must come from memory");
  expect(!l.output.at.on_the_fly(), "cdp.dst_data.type", 2, "the result must go to memory");
  l.local_size = op.local_size;
  l.in = decode(op.in_cvt);
  l.out = decode(op.out_cvt);
  l.lut = op.lut_index;
  return l;
}

template <>
struct descriptor_of<layer::pdp> {
  firmware::pdp_op op{};
  firmware::pdp_surface surface{};
};

// Values that do not fit are an `error` that names the field.
constexpr descriptor_of<layer::pdp> encode(const layer::pdp& l, bytes) {
  descriptor_of<layer::pdp> d;
  auto& op = d.op;
  const auto& w = l.window;
  op.partial_in_width_first = l.split.in_first;
  op.partial_in_width_mid = l.split.in_mid;
  op.partial_in_width_last = l.split.in_last;
  op.partial_width_first = l.split.out_first;
  op.partial_width_mid = l.split.out_mid;
  op.partial_width_last = l.split.out_last;
  op.split_num = l.split.parts;
  op.precision = encode(l.input.precision);
  op.pool_mode = static_cast<std::uint8_t>(l.kind);
  op.pool_width = narrow<std::uint8_t>(w.kernel_w - 1, "pdp.pool_width");
  op.pool_height = narrow<std::uint8_t>(w.kernel_h - 1, "pdp.pool_height");
  op.stride_x = narrow<std::uint8_t>(w.stride_w, "pdp.stride_x");
  op.stride_y = narrow<std::uint8_t>(w.stride_h, "pdp.stride_y");
  op.pad_left = narrow<std::uint8_t>(w.pad_left, "pdp.pad_left");
  op.pad_right = narrow<std::uint8_t>(w.pad_right, "pdp.pad_right");
  op.pad_top = narrow<std::uint8_t>(w.pad_top, "pdp.pad_top");
  op.pad_bottom = narrow<std::uint8_t>(w.pad_bottom, "pdp.pad_bottom");
  for (std::int32_t i = 0; i < 7; ++i)
    op.padding_value[static_cast<std::size_t>(i)] = (i + 1) * l.pad_value;
  d.surface.src = encode(l.input, "pdp.src_data");
  d.surface.dst = encode(l.output, "pdp.dst_data");
  return d;
}

// What `layer::pdp` cannot express, and what the firmware refuses, is an `error`.
inline layer::pdp decode(const descriptor_of<layer::pdp>& d) {
  const auto& op = d.op;
  const auto p = decode_precision(op.precision, "pdp.precision");
  expect(op.pool_mode <= 2, "pdp.pool_mode", op.pool_mode,
         "there are average, maximum and minimum");
  expect(op.pool_width < 8, "pdp.pool_width", op.pool_width, "is 8 at most, stored as 7");
  expect(op.pool_height < 8, "pdp.pool_height", op.pool_height, "is 8 at most, stored as 7");
  expect(op.stride_x >= 1 && op.stride_x <= 8, "pdp.stride_x", op.stride_x, "must be 1 to 8");
  expect(op.stride_y >= 1 && op.stride_y <= 8, "pdp.stride_y", op.stride_y, "must be 1 to 8");
  expect(op.split_num >= 1 && op.split_num <= 64, "pdp.split_num", op.split_num, "must be 1 to 64");
  layer::pdp l;
  l.input = decode(d.surface.src, "pdp.src_data", p);
  l.output = decode(d.surface.dst, "pdp.dst_data", p);
  expect(!l.output.at.on_the_fly(), "pdp.dst_data.type", 2, "the result must go to memory");
  expect(op.split_num == 1 || !l.input.at.on_the_fly(), "pdp.split_num", op.split_num,
         "must be 1 behind SDP");
  l.kind = static_cast<net::pool_kind>(op.pool_mode);
  l.window = {op.pool_height + 1, op.pool_width + 1, op.stride_y,   op.stride_x, op.pad_top,
              op.pad_left,        op.pad_bottom,     op.pad_right, 1,           1};
  expect(std::in_range<std::int16_t>(op.padding_value[0]), "pdp.padding_value", op.padding_value[0],
         "has more than 16 bits");
  l.pad_value = static_cast<std::int16_t>(op.padding_value[0]);
  for (std::int32_t i = 0; i < 7; ++i) {
    const auto value = op.padding_value[static_cast<std::size_t>(i)];
    expect(value == (i + 1) * l.pad_value, "pdp.padding_value", value,
           "is not a multiple of the first");
  }
  l.split = {op.split_num,          op.partial_in_width_first, op.partial_in_width_mid,
             op.partial_in_width_last, op.partial_width_first, op.partial_width_mid,
             op.partial_width_last};
  return l;
}

template <>
struct descriptor_of<layer::rubik> {
  firmware::rubik_op op{};
  firmware::pdp_surface surface{};  // Rubik's is the same
};

constexpr descriptor_of<layer::rubik> encode(const layer::rubik& l, bytes) {
  descriptor_of<layer::rubik> d;
  d.op.precision = encode(l.input.precision);
  d.op.stride_x = narrow<std::uint8_t>(l.stride_x, "rubik.stride_x");
  d.op.stride_y = narrow<std::uint8_t>(l.stride_y, "rubik.stride_y");
  d.surface.src = encode(l.input, "rubik.src_data");
  d.surface.dst = encode(l.output, "rubik.dst_data");
  return d;
}

// What `layer::rubik` cannot express, and what the firmware refuses, is an `error`.
inline layer::rubik decode(const descriptor_of<layer::rubik>& d) {
  const auto& op = d.op;
  const auto p = decode_precision(op.precision, "rubik.precision");
  expect(op.mode == 0, "rubik.mode", op.mode, "only mode 0 (contract) is supported");
  expect(op.stride_x >= 1 && op.stride_x <= 32, "rubik.stride_x", op.stride_x, "must be 1 to 32");
  expect(op.stride_y >= 1 && op.stride_y <= 32, "rubik.stride_y", op.stride_y, "must be 1 to 32");
  layer::rubik l{.input = decode(d.surface.src, "rubik.src_data", p),
                 .output = decode(d.surface.dst, "rubik.dst_data", p),
                 .stride_y = op.stride_y,
                 .stride_x = op.stride_x};
  expect(!l.input.at.on_the_fly(), "rubik.src_data.type", 2, "the input must come from memory");
  expect(!l.output.at.on_the_fly(), "rubik.dst_data.type", 2, "the result must go to memory");
  return l;
}

// The firmware's record of a lookup table of SDP.

// What does not fit is an `error` that names the field.
constexpr firmware::lut_param encode(const layer::lut& lut) {
  const auto& s = lut.settings;
  const auto slope = [](const layer::lut_slope& l) {
    return firmware::lut_slope{l.scale, narrow<std::int8_t>(l.shift, "lut.slope.shifter")};
  };
  return {.le = lut.tables.le,
          .lo = lut.tables.lo,
          .le_offset = narrow<std::int8_t>(s.exponential ? s.offset : s.le.select,
                                           "lut.linear_exp_offset"),
          .lo_offset = narrow<std::int8_t>(s.lo.select, "lut.linear_only_offset"),
          .le_start = static_cast<std::uint64_t>(s.le.start),
          .le_end = static_cast<std::uint64_t>(s.le.end),
          .lo_start = static_cast<std::uint64_t>(s.lo.start),
          .lo_end = static_cast<std::uint64_t>(s.lo.end),
          .le_underflow = slope(s.le.underflow),
          .le_overflow = slope(s.le.overflow),
          .lo_underflow = slope(s.lo.underflow),
          .lo_overflow = slope(s.lo.overflow),
          .hybrid = s.hybrid_lo,
          .underflow = s.underflow_lo,
          .overflow = s.overflow_lo,
          .method = !s.exponential};
}

// Decodes a table for SDP, whose starts and ends have 32 bits.
inline layer::lut decode(const firmware::lut_param& r) {
  for (const auto choice : {r.hybrid, r.underflow, r.overflow, r.method})
    expect(choice <= 1, "lut priority or method", choice, "is neither 0 nor 1");
  const auto slope = [](const firmware::lut_slope& l) {
    return layer::lut_slope{l.scale, l.shift};
  };
  const auto end = [](std::uint64_t x) {
    return std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(x))};
  };
  const bool exponential = r.method == 0;
  return {.settings = {.exponential = exponential,
                       .offset = exponential ? int{r.le_offset} : 0,
                       .underflow_lo = r.underflow == 1,
                       .overflow_lo = r.overflow == 1,
                       .hybrid_lo = r.hybrid == 1,
                       .le = {end(r.le_start), end(r.le_end), exponential ? 0 : int{r.le_offset},
                              slope(r.le_underflow), slope(r.le_overflow)},
                       .lo = {end(r.lo_start), end(r.lo_end), r.lo_offset, slope(r.lo_underflow),
                              slope(r.lo_overflow)}},
          .tables = {r.le, r.lo}};
}

// The firmware's descriptors of hardware layers: one element of the operation list and of the
// surface list for each, encoded and decoded.

// Appends an element to the operation list and one to the surface list.
constexpr void encode(const layer::any& l, bytes atom, std::vector<std::uint8_t>& operations,
                      std::vector<std::uint8_t>& surfaces) {
  nvdlac::visit([&]<class Layer>(const Layer& what) {
    if constexpr (layer::on_engine<Layer>) {
      const descriptor_of<Layer> d = encode(what, atom);
      write_record(operations, d.op, firmware::operation_bytes);
      write_record(surfaces, d.surface, firmware::surface_bytes);
    } else {
      throw error("a layer of the host in a task of the hardware");
    }
  }, l);
}

// Appends an operation of the host to the emulator's list, and its buffers to theirs.
constexpr void encode_host(const layer::any& l, bytes atom, std::vector<std::uint8_t>& operations,
                           std::vector<std::uint8_t>& buffers) {
  nvdlac::visit([&]<class Layer>(const Layer& what) {
    if constexpr (layer::on_engine<Layer>) {
      throw error("a hardware layer in a task of the host");
    } else {
      const descriptor_of<Layer> d = encode(what, atom);
      write_record(operations, d.op, firmware::emulator_operation_bytes);
      d.each_buffer([&](const firmware::emulator_buffer& b) {
        write_record(buffers, b, firmware::emulator_buffer_bytes);
      });
    }
  }, l);
}

// Element `index` of both lists, of the engine `type`. What cannot be decoded is an `error` that
// names the operation and the field.
inline layer::any decode(unsigned type, std::span<const std::uint8_t> operations,
                         std::span<const std::uint8_t> surfaces, std::size_t index) {
  layer::any result;
  const auto is = [&]<class Layer>(std::type_identity<Layer>) {
    if constexpr (layer::on_engine<Layer>) {
      if (type != layer::index(layer::engine<Layer>::number)) return false;
      descriptor_of<Layer> d;
      d.op = read_record<decltype(d.op)>(operations, index, firmware::operation_bytes);
      d.surface = read_record<decltype(d.surface)>(surfaces, index, firmware::surface_bytes);
      result = decode(d);
      return true;
    }
    return false;
  };
  try {
    if (!any_of(layer::kinds{}, is))
      throw error(text("the operation type ", type, " is not supported"));
    return result;
  } catch (const error& e) {
    throw error(problem{.layer = text("operation ", index), .reason = e.problems().front().reason});
  }
}

constexpr firmware::consumer encode(const plan::link& l) {
  return {l.operation, static_cast<std::uint8_t>(l.event)};
}

// Appends an element to the dependency graph.
constexpr void encode_dependencies(const plan::operation& op, std::size_t index,
                                   std::vector<std::uint8_t>& graph) {
  firmware::common c;
  c.index = narrow<std::int16_t>(index, "common.index");
  c.op_type = static_cast<std::uint8_t>(layer::engine_of(op.layer.what));
  c.dependency_count = op.dependency_count;
  for (std::size_t e = 0; e < plan::engines; ++e) c.consumers[e] = encode(op.consumers[e]);
  c.fused_parent = encode(op.fused_parent);
  write_record(graph, c, byte_size<firmware::common>());
}

}  // namespace nvdlac::emit
